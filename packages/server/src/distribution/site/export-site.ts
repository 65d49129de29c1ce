// Writes the pages of API v1 as files, with configurations by which nginx and Caddy serve them as the contract says.
//
//   DIR/nginx.conf, DIR/Caddyfile   name the directory of one release; replaced last, each at once
//   DIR/site.json                   which release that is
//   DIR/<digest>/pages/             a file for each page of each collection
//   DIR/<digest>/links.map          the links of each page, for nginx
//   DIR/<digest>/checksums          what is signed of the release, and checksums.minisig where it is signed
//
// The directory of the release before stays, so that a server that has not been reloaded serves it to the end.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { v1PathOf } from '../../base/api-v1.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { type CatalogCollection, v1Collections } from '../../catalog/collections.ts'
import { pageHeaders } from '../../http/v1/page-headers.ts'
import { type PageNumber, pagesOf, type RecordPage, readPage } from '../../query/page.ts'
import { syncDirectory } from '../../release/files/durable-file.ts'
import type { Release } from '../../release/release.ts'
import { SIGNATURE_FILE, signedBytes } from '../../release/signing/release-signature.ts'
import { caddyConfig } from './caddy.ts'
import { nginxConfig } from './nginx.ts'
import type { Site, SiteCollection } from './site.ts'

type SiteOptions = {
  /** Where links lead; undefined for the address that a request is sent to. */
  readonly baseUrl: string | undefined
  /** The signature of the release, which is put beside its checksums. */
  readonly signature?: string | undefined
  /** Where the directory will be on the machine that serves it. */
  readonly servedFrom?: string | undefined
  readonly onProgress?: (collection: string, done: number, expected: number) => void
}

type SiteReport = {
  readonly directory: string
  readonly release: string
  readonly pages: number
  readonly bytes: number
  /** Whether the pages of this release were there already. */
  readonly isUnchanged: boolean
}

const SITE_FILE = 'site.json'
const DIGITS = 16
/** What is no plain text between quotes, in one of the two configurations. */
const MEANINGFUL = /["'`$\\{}\p{Cc}]/u

export function exportSite(release: Release, target: string, options: SiteOptions): SiteReport {
  const directory = resolve(target)
  const served = options.servedFrom ?? directory
  if (MEANINGFUL.test(served))
    throw new OperationalError(
      `the path ${JSON.stringify(served)} has characters that mean something in a configuration; give another`,
    )
  const collections = v1Collections(release.catalog)
  if (collections.length === 0)
    throw new OperationalError(
      'no list of the release has pages of API v1, which is what a site consists of; "nomenclator:v1" at a resource of a ' +
        'package gives it pages',
    )
  const before = previousRelease(directory, release.digest)
  mkdirSync(directory, { recursive: true })
  const name = release.digest.slice(0, DIGITS)
  const isUnchanged = existsSync(join(directory, name))
  if (!isUnchanged) {
    const building = join(directory, `${name}.next`)
    rmSync(building, { recursive: true, force: true })
    for (const collection of collections) writePages(release, collection, building, options.onProgress)
    writeLinks(release, collections, building)
    syncDirectory(building)
    renameSync(building, join(directory, name))
  }
  writeProof(release, join(directory, name), options.signature)
  const described = collections.map((collection) => describe(release, collection))
  const site: Site = {
    directory: join(served, name),
    release: release.digest,
    lastModified: release.lastModified,
    baseUrl: options.baseUrl,
    collections: described,
  }
  const pages = described.reduce((sum, { totalPages }) => sum + Math.max(totalPages, 1), 0)
  const bytes = collections.reduce((sum, { entity }) => sum + sizeOfRecords(release, entity), 0)
  const summary = { release: release.digest, built: release.manifest.built, before, pages, bytes }
  replace(join(directory, SITE_FILE), `${JSON.stringify(summary, null, 2)}\n`)
  replace(join(directory, 'nginx.conf'), nginxConfig(site))
  replace(join(directory, 'Caddyfile'), caddyConfig(site))
  syncDirectory(directory)
  for (const other of readdirSync(directory))
    if (/^[0-9a-f]{16}(?:\.next)?$/.test(other) && other !== name && other !== before?.slice(0, DIGITS))
      rmSync(join(directory, other), { recursive: true, force: true })
  return { directory, release: release.digest, pages, bytes, isUnchanged }
}

const sizeOfRecords = (release: Release, entity: string) =>
  release.entity(entity).stored?.manifest.files.records.size ?? 0

/** The release that was exported here before this one; a directory with anything else in it is refused. */
function previousRelease(directory: string, digest: string): string | undefined {
  if (!existsSync(directory) || readdirSync(directory).length === 0) return undefined
  try {
    const { release, before } = JSON.parse(readFileSync(join(directory, SITE_FILE), 'utf8'))
    const previous = release === digest ? before : release
    return typeof previous === 'string' ? previous : undefined
  } catch {
    const building = /^[0-9a-f]{16}\.next$/
    if (readdirSync(directory).every((name) => building.test(name))) return undefined
    throw new OperationalError(
      `${directory} has something else in it; give an empty directory, or one that export site has written`,
    )
  }
}

/** Whoever reads the file meanwhile has it as it was or as it will be. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.next`, text)
  renameSync(`${path}.next`, path)
}

function describe(release: Release, { name, entity }: CatalogCollection): SiteCollection {
  const total = release.entity(entity).count
  return { name, path: v1PathOf({ name }), total, totalPages: pagesOf(total) }
}

function writeProof({ manifest }: Release, directory: string, signature: string | undefined): void {
  writeFileSync(join(directory, 'checksums'), signedBytes(manifest))
  if (signature !== undefined) replace(join(directory, SIGNATURE_FILE), signature)
}

const PAGES = 'pages'
const PROGRESS_PAGES = 500

/** The pages of a collection; an empty one has a first page too. */
function* pagesIn(release: Release, collection: CatalogCollection): Generator<RecordPage> {
  const count = Math.max(pagesOf(release.entity(collection.entity).count), 1)
  for (let number = 1; number <= count; number++)
    yield readPage(release, collection, number as PageNumber) as RecordPage
}

function writePages(
  release: Release,
  collection: CatalogCollection,
  directory: string,
  onProgress: SiteOptions['onProgress'] = () => {},
): void {
  const pages = join(directory, PAGES, collection.name)
  mkdirSync(pages, { recursive: true })
  const built = new Date(release.lastModified)
  const expected = pagesOf(release.entity(collection.entity).count)
  for (const { number, body } of pagesIn(release, collection)) {
    const path = join(pages, `${number}.json`)
    writeFileSync(path, body)
    // The time of a file is what servers send as Last-Modified.
    utimesSync(path, built, built)
    if (number % PROGRESS_PAGES === 0) onProgress(`pages of ${collection.name}`, number, expected)
  }
}

const BASE_URL = '$nomenclator_base_url'

/** nginx cannot count: the links stand under the name of the collection and the number of the page. */
function writeLinks(release: Release, collections: readonly CatalogCollection[], directory: string): void {
  let links = ''
  for (const collection of collections)
    for (const page of pagesIn(release, collection)) {
      const { Link } = pageHeaders(page, BASE_URL)
      if (Link !== undefined) links += `${collection.name}/${page.number} '${Link}';\n`
    }
  writeFileSync(join(directory, 'links.map'), links)
}
