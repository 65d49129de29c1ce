// Where the files of a package are: a directory, a zip, or an address; each path stays inside.
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { type TextFile, textFile } from '../lines.ts'
import { type NamedFile, UnusableZip } from '../unusable-zip.ts'
import { filesInZip, isMetadata, type ZippedFile } from '../zip.ts'

export type PackageFiles = {
  /** What the package is called where it does not say so itself. */
  readonly fallbackName: string
  /** The paths of the files that it has; undefined where they cannot be listed. */
  readonly paths: readonly string[] | undefined
  /** The file at a path; throws a MissingFile. */
  readonly find: (path: string) => Promise<TextFile>
}

/** A file that is not there, or that a package must not name. */
export class MissingFile extends OperationalError {
  readonly path: string
  readonly expected: string

  constructor(path: string, expected: string) {
    super(`${path}: ${expected}`)
    this.path = path
    this.expected = expected
  }
}

export const isAddress = (path: string): boolean => /^https?:\/\//i.test(path)

/** The limits of common file systems. */
const MAX_PATH = 1_000
const MAX_STEP = 255

/** What is wrong with a path that leads out of the package; undefined where it stays in it. */
export function pathFault(path: string): string | undefined {
  if (/\p{Cc}/u.test(path)) return 'a path without control characters'
  if (path.length > MAX_PATH || path.split(/[/\\]/).some((step) => Buffer.byteLength(step) > MAX_STEP))
    return `a path of at most ${MAX_PATH} letters, each part of which a file can be called`
  if (/^([/\\~]|[A-Za-z]:)/.test(path) || /^[a-z][a-z0-9+.-]*:/i.test(path))
    return 'a path relative to the descriptor, or an http or https address'
  if (path.split(/[/\\]/).includes('..')) return 'a path without .., which stays in the directory of the descriptor'
  return undefined
}

/** The path as the files of a package are listed. */
const plainPath = (path: string) =>
  path
    .replaceAll('\\', '/')
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .join('/')

const MAX_LISTED = 10_000
const MAX_DEPTH = 10

export function directoryFiles(directory: string): PackageFiles {
  const root = realpathSync(directory)
  const paths = [...walk(directory, '', MAX_DEPTH)].slice(0, MAX_LISTED)
  return {
    fallbackName: basename(root) || 'package',
    paths,
    find: async (path) => {
      const fault = pathFault(path)
      if (fault !== undefined) throw new MissingFile(path, fault)
      const full = join(directory, plainPath(path))
      const stat = statSync(full, { throwIfNoEntry: false })
      if (stat === undefined) throw missing(path, paths)
      if (!stat.isFile()) throw new MissingFile(path, 'a file, and this is none')
      if (!`${realpathSync(full)}`.startsWith(root === sep ? root : `${root}${sep}`))
        throw new MissingFile(
          path,
          'a file in the directory of the descriptor, and this is a link that leads out of it',
        )
      return textFile(full)
    },
  }
}

function* walk(directory: string, below: string, depth: number): Generator<string> {
  if (depth === 0) return
  for (const entry of readdirSync(join(directory, below), { withFileTypes: true }).sort(byName)) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) yield* walk(directory, path, depth - 1)
    else yield path
  }
}

const byName = (one: { readonly name: string }, other: { readonly name: string }) =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0

const TOO_MUCH = { why: 'which is the most that is read', advice: 'if it is right, unpack it and give the directory' }

/** All files of a zip. What one packs as a folder has its descriptor a level down, and paths start there. */
export async function zipFiles(given: NamedFile & { readonly bytes?: Buffer }): Promise<PackageFiles> {
  const { files } = await filesInZip(given, (name) => !name.endsWith('/') && !isMetadata(name), TOO_MUCH)
  if (files.length === 0) throw new UnusableZip(given, 'is empty', 'give the zip of a package, or its directory')
  const base = baseOf(files.map(({ name }) => name))
  const byPath = new Map<string, ZippedFile>()
  for (const file of files) {
    if (!file.name.startsWith(base)) continue
    const path = plainPath(file.name.slice(base.length))
    if (pathFault(path) === undefined && !byPath.has(path)) byPath.set(path, file)
  }
  const paths = [...byPath.keys()]
  return {
    fallbackName: basename(given.name).replace(/\.zip$/i, '') || 'package',
    paths,
    find: async (path) => {
      const fault = pathFault(path)
      if (fault !== undefined) throw new MissingFile(path, fault)
      const file = byPath.get(plainPath(path))
      if (file === undefined) throw missing(path, paths)
      return { file: `${given.name}/${file.name}`, open: file.open }
    },
  }
}

export const DESCRIPTOR_NAMES = ['datapackage.json', 'datapackage.yaml', 'datapackage.yml'] as const

/** The descriptor nearest to the root tells where the package begins; without one, a folder that has all files is its root. */
function baseOf(names: readonly string[]): string {
  const depth = (name: string) => name.split('/').length
  const [descriptor] = names
    .filter((name) => DESCRIPTOR_NAMES.some((one) => name === one || name.endsWith(`/${one}`)))
    .sort((one, other) => depth(one) - depth(other))
  if (descriptor !== undefined) return descriptor.slice(0, descriptor.lastIndexOf('/') + 1)
  const folder = names[0]?.slice(0, names[0].indexOf('/') + 1) ?? ''
  return folder !== '' && names.every((name) => name.startsWith(folder)) ? folder : ''
}

/** Names the file that only differs in case, or that lies elsewhere. */
function missing(path: string, paths: readonly string[]): MissingFile {
  const folded = plainPath(path).toLowerCase()
  const other = paths.find((one) => one.toLowerCase() === folded)
  if (other !== undefined)
    return new MissingFile(path, `a file that is there; ${other} is, whose letters differ in case`)
  const name = basename(folded)
  const elsewhere = paths.find((one) => basename(one).toLowerCase() === name)
  const hint = elsewhere === undefined ? '' : `; ${elsewhere} is`
  return new MissingFile(path, `a file that is there${hint}`)
}
