// Finds a package: a directory, a zip, a descriptor, tables without one, here or at an address.
import { statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { parse } from '../../base/schema.ts'
import { line } from '../../base/texts.ts'
import { slugOf } from '../../catalog/slug.ts'
import { isZipFile } from '../zip.ts'
import type { Descriptor, Resource } from './descriptor.ts'
import {
  DESCRIPTOR_NAMES,
  directoryFiles,
  isAddress,
  MissingFile,
  type PackageFiles,
  pathFault,
  zipFiles,
} from './package-files.ts'
import { fileStem, packageNameFrom } from './parse-descriptor.ts'
import { isTableName } from './read/formats.ts'
import { unpacked } from './read/text.ts'
import { fetchFile, type RemoteOptions, remoteFiles, withAddresses } from './remote-files.ts'
import { tableNames } from './table.ts'

export type Located = {
  readonly files: PackageFiles
  /** The path of the descriptor among the files; undefined where there is none, and the tables tell all. */
  readonly descriptor: string | undefined
  /** Of files that were given, the only tables. */
  readonly only?: readonly string[]
  /** What the package is called in messages and in what is published. */
  readonly name: string
}

const DESCRIPTOR = /\.(json|ya?ml)$/i

/** Several files are tables of one directory. */
export async function locate(given: string | readonly string[], options: RemoteOptions): Promise<Located> {
  const [first = '', ...more] = typeof given === 'string' ? [given] : given
  const located =
    more.length > 0
      ? locateTables([first, ...more])
      : isAddress(first)
        ? await locateRemote(first, options)
        : await locateLocal(first)
  return { ...located, files: withAddresses(located.files, options) }
}

async function locateRemote(address: string, options: RemoteOptions): Promise<Located> {
  const url = URL.parse(address)
  if (url === null) throw new OperationalError(`${address} is not an address`)
  const { pathname } = url
  const file = basename(pathname)
  const name = `${url.origin}${pathname}`
  if (isTableName(file) || DESCRIPTOR.test(file))
    return oneFile(remoteFiles(url.href, options), decodeURIComponent(file), name)
  const fetched = await fetchFile(address, options)
  if (!isZipFile(fetched.path))
    throw new OperationalError(
      `${fetched.name} is neither a zip nor named like a descriptor; give the address of a datapackage.json`,
    )
  return inFiles(await zipFiles(fetched), fetched.name)
}

async function locateLocal(path: string): Promise<Located> {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw new OperationalError(`there is no file or directory ${path}`)
  if (stat.isDirectory()) return inFiles(directoryFiles(path), path)
  if (!stat.isFile()) throw new OperationalError(`${path} is neither a file nor a directory`)
  if (isTableName(path) || DESCRIPTOR.test(path)) return oneFile(directoryFiles(dirname(path)), basename(path), path)
  if (isZipFile(path)) return inFiles(await zipFiles({ path, name: path }), path)
  throw new OperationalError(
    `${path} is no package; give a directory, a zip, a datapackage.json or .yaml, or a table: CSV, JSON, NDJSON, .xlsx or .ods`,
  )
}

/** A descriptor, or the only table; JSON is a descriptor unless it is a list. */
async function oneFile(files: PackageFiles, path: string, name: string): Promise<Located> {
  if (await isTable(files, path)) return { files, descriptor: undefined, only: [path], name }
  return { files, descriptor: path, name }
}

const JSON_FILE = /\.json(\.gz)?$/i

async function isTable(files: PackageFiles, path: string): Promise<boolean> {
  if (!isTableName(path) || !JSON_FILE.test(path)) return isTableName(path)
  const { file, open } = await files.find(path)
  const { start, rest } = await unpacked(open(), file)
  await rest[Symbol.asyncIterator]().return?.()
  return new TextDecoder().decode(start).trimStart().startsWith('[')
}

function locateTables(paths: readonly string[]): Located {
  const directory = dirname(paths[0] as string)
  for (const path of paths) {
    if (!isTableName(path))
      throw new OperationalError(`${path} is no table; give CSV, JSON, NDJSON, .xlsx or .ods files, or one directory`)
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
      throw new OperationalError(`there is no file ${path}`)
    if (resolve(dirname(path)) !== resolve(directory))
      throw new OperationalError(
        `${path} is not in ${directory}; the files of a package are in one directory, or below it`,
      )
  }
  return {
    files: directoryFiles(directory),
    descriptor: undefined,
    only: paths.map((path) => basename(path)),
    name: directory,
  }
}

function inFiles(files: PackageFiles, name: string): Located {
  const paths = files.paths ?? []
  const descriptor = DESCRIPTOR_NAMES.find((one) => paths.includes(one)) ?? paths.find(isDescriptorInOtherCase)
  return { files, descriptor, name }
}

const isDescriptorInOtherCase = (path: string) => DESCRIPTOR_NAMES.some((name) => path.toLowerCase() === name)

/** A descriptor for tables that have none: one resource for each file or sheet. */
export async function bareDescriptor({ files, only, name }: Located): Promise<Descriptor> {
  const paths = only ?? (await tablesOf(files))
  if (paths.length === 0)
    throw new OperationalError(
      `${name} has neither a datapackage.json nor tables (CSV, JSON, NDJSON, .xlsx, .ods); give the directory that has them`,
    )
  const names = new Set<string>()
  const resources: Resource[] = []
  for (const path of paths) {
    const stem = slugOf(fileStem(path), '-')
    const [first, ...more] = await namesIn(files, path)
    if (more.length === 0) resources.push(bareResource(free(stem, names), path, first))
    else
      for (const one of [first, ...more]) resources.push(bareResource(free(slugOf(one ?? stem, '-'), names), path, one))
  }
  const label = only?.length === 1 ? fileStem(only[0] as string) : files.fallbackName
  return {
    name: packageNameFrom(label),
    ...('value' in parse(line, label) ? { title: label } : {}),
    licenses: [],
    sources: [],
    keywords: [],
    contributors: [],
    resources,
    own: new Map(),
  }
}

/** A workbook has a table in each of its sheets. */
const namesIn = async (files: PackageFiles, path: string): Promise<readonly (string | undefined)[]> =>
  /\.(xlsx|ods)(\.gz)?$/i.test(path) ? tableNames(await files.find(path)) : []

/** What a table is usually saved as; in other formats it may lie beside that. */
const USUAL = /\.(csv|tsv|xlsx)(\.gz)?$/i

async function tablesOf({ paths = [], ...files }: PackageFiles): Promise<readonly string[]> {
  const stemOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1) + fileStem(path)
  const stems = new Set(paths.filter((path) => USUAL.test(path)).map(stemOf))
  const tables: string[] = []
  for (const path of paths) {
    if (!USUAL.test(path) && (stems.has(stemOf(path)) || !(await isTable({ ...files, paths }, path)))) continue
    stems.add(stemOf(path))
    tables.push(path)
  }
  return tables
}

const bareResource = (name: string, path: string, sheetName: string | undefined): Resource => ({
  name,
  paths: [path],
  ...(sheetName === undefined ? {} : { dialect: { sheetName } }),
  own: new Map(),
})

function free(name: string, names: Set<string>): string {
  let one = name
  for (let number = 2; names.has(one); number++) one = `${name}-${number}`
  names.add(one)
  return one
}

/** The bytes of a file of the package, at most as many as are allowed. */
export async function smallFile(
  files: Pick<PackageFiles, 'find'>,
  path: string,
  max: number,
): Promise<{ readonly file: string; readonly bytes: Buffer }> {
  const fault = isAddress(path) ? undefined : pathFault(path)
  if (fault !== undefined) throw new MissingFile(path, fault)
  const { file, open } = await files.find(path)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of open()) {
    length += chunk.length
    if (length > max)
      throw new OperationalError(`${file} is larger than ${max >> 20} MB, which is the most that is read of it`)
    chunks.push(chunk)
  }
  return { file, bytes: Buffer.concat(chunks) }
}
