// Another Nomenclator that releases are taken from: what it publishes over API v2, fetched, bounded and checked.

import { Failure } from '../../base/failure.ts'
import { isObject } from '../../base/json.ts'
import { type Catalog, type EntityData, orderedCatalog } from '../../catalog/catalog.ts'
import { definitionFault } from '../../catalog/definition-check.ts'
import { type Entity, type Identity, identityFrom } from '../../catalog/entity.ts'
import { recordParser } from '../../catalog/flatten.ts'
import { V2_PATH } from '../../http/routes.ts'
import {
  DIGEST,
  parsedObject,
  type ReleasedEntity,
  type ReleasedPackage,
  type ReleaseFinding,
  releaseDigest,
} from '../../release/manifest.ts'
import { packagesFault } from '../../release/packages.ts'
import { DOWNLOAD_LIMITS, type Download, type DownloadOptions, download } from '../../source/download.ts'
import type { Faults } from '../../source/faults.ts'
import { readLines, UnreadableFile } from '../../source/lines.ts'
import { PoliteClient, Refused } from '../../source/live-v1/client.ts'
import { NUMBERINGS } from '../../source/numbering.ts'
import { printable, serviceAddress } from '../../source/requests.ts'
import type { Alias, Block, GivenRow, Origin as SourceOrigin } from '../../source/source.ts'

/** An entity as the origin publishes it. */
type OriginEntity = Pick<ReleasedEntity, 'collection' | 'count' | 'records' | 'facts' | 'numbering'> & {
  readonly name: string
  readonly definition: EntityData
}

/** A release of the origin: its checksums are those of its digest. */
export type OriginRelease = {
  readonly digest: string
  readonly built: string
  readonly source: SourceOrigin
  /** The entities in the order of the checksums. */
  readonly entities: readonly OriginEntity[]
  readonly findings: readonly ReleaseFinding[]
  readonly aliases: readonly Alias[]
  readonly packages: readonly ReleasedPackage[] | undefined
  readonly catalog: Catalog
}

/** What is downloaded of an entity, and what happens on the way. */
export type RecordsDownload = Pick<DownloadOptions, 'directory' | 'onProgress' | 'onRetry'>

const REQUESTS = { rate: undefined, timeout: 30_000, retries: 3, backoff: 250 } as const

/** Records are not longer on average, whatever their fields; some few may be. */
const MAX_RECORD_BYTES = 1 << 16
const FEW_RECORDS = 16
const MAX_DOWNLOAD_BYTES = 4e9
const MAX_ENTITIES = 1_000
/** Whoever follows an origin for years keeps no more of its responses. */
const MAX_KEPT = 8
const MAX_RECORDS = 1e9

export class Origin {
  readonly base: string
  readonly #client = new PoliteClient(REQUESTS)
  readonly #signal: AbortSignal
  /** What was fetched last from each address, with the tag that it had. */
  readonly #fetched = new Map<string, { readonly etag: string; readonly text: string }>()

  constructor(url: string, signal: AbortSignal = new AbortController().signal) {
    this.base = serviceAddress(url, V2_PATH)
    this.#signal = signal
  }

  /** The digest of its current release, or of the one whose digest begins like this. */
  async find(prefix: string | undefined): Promise<string> {
    const url = `${this.base}${V2_PATH}/releases`
    const releases: unknown = parsedJson(await this.#get(url))
    if (!Array.isArray(releases) || !releases.every((one) => isObject(one) && isDigest(one.digest)))
      throw new Failure(`${url} does not list releases as API v2 of Nomenclator does; nothing was changed`)
    const isWanted = ({ digest, current }: { digest: string; current: unknown }) =>
      prefix === undefined ? current === true : digest.startsWith(prefix)
    const [found, ...others] = releases.filter(isWanted)
    if (found !== undefined && others.length === 0) return found.digest
    const what = prefix === undefined ? 'current release' : `release ${prefix}`
    throw new Failure(`${url} lists ${found === undefined ? 'no' : 'more than one'} ${what}; nothing was changed`)
  }

  /** A release, once its checksums have been seen to be those of its digest. */
  async release(digest: string): Promise<OriginRelease> {
    const url = this.#urlOf(digest, 'manifest')
    const text = await this.#get(url).catch((error) => {
      if (error instanceof Refused && error.status === 404)
        throw new Failure(`${this.base} runs a version of Nomenclator that cannot be mirrored; it has no ${url}`)
      throw error
    })
    const parsed = parsedObject(text)
    const release = typeof parsed === 'string' ? parsed : parseRelease(parsed as Unchecked)
    const wrong = typeof release === 'string' ? release : wrongDigest(release, digest)
    if (typeof release === 'string' || wrong !== undefined)
      throw new Failure(`${url} is refused: ${printable(String(wrong))}; nothing was changed`)
    return release
  }

  /** The signature of a release; undefined where it is not signed. */
  async signature(digest: string): Promise<string | undefined> {
    try {
      return await this.#get(this.#urlOf(digest, 'signature'))
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined
      throw error
    }
  }

  /** Downloads the records of an entity with their facts, or goes on where it stopped. */
  async download(
    digest: string,
    { name, collection, count }: OriginEntity,
    options: RecordsDownload,
  ): Promise<Download> {
    const query = `release=${digest}&format=ndjson&embed=id&facts=true`
    return download(`${this.base}${V2_PATH}/${collection}/all?${query}`, {
      ...DOWNLOAD_LIMITS,
      ...options,
      maxBytes: Math.min(Math.max(count, FEW_RECORDS) * MAX_RECORD_BYTES, MAX_DOWNLOAD_BYTES),
      encoding: 'zstd',
      staysOnHost: true,
      wrongStart: (start) => (isZstd(start) || start[0] === OPENING_BRACE ? undefined : `something else than ${name}`),
      advice: 'see whether the origin is well',
      onStart: () => {},
    })
  }

  #keep(url: string, fetched: { readonly etag: string; readonly text: string }): void {
    this.#fetched.delete(url)
    this.#fetched.set(url, fetched)
    const [oldest = ''] = this.#fetched.keys()
    if (this.#fetched.size > MAX_KEPT) this.#fetched.delete(oldest)
  }

  #urlOf = (digest: string, part: string) => `${this.base}${V2_PATH}/releases/${digest}/${part}`

  /** The text at an address, which is not sent again as long as the origin says that it is the same. */
  async #get(url: string): Promise<string> {
    const earlier = this.#fetched.get(url)
    try {
      const condition: Record<string, string> = earlier === undefined ? {} : { 'If-None-Match': earlier.etag }
      const { headers, body } = await this.#client.get(url, this.#signal, { Accept: '*/*', ...condition })
      const text = new TextDecoder().decode(body)
      const etag = headers.get('etag')
      if (etag !== null) this.#keep(url, { etag, text })
      return text
    } catch (error) {
      if (earlier !== undefined && error instanceof Refused && error.status === 304) return earlier.text
      throw error
    }
  }
}

function parsedJson(text: string, parse: (json: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

type Unchecked = Readonly<Record<string, unknown>>

const MAX_TEXT = 5_000
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT
const areTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText)
const isCount = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_RECORDS
const isDigest = (value: unknown): value is string => typeof value === 'string' && DIGEST.test(value)

/** The release, or what is wrong with it. */
function parseRelease({
  digest,
  built,
  source,
  entities,
  findings,
  aliases,
  packages,
}: Unchecked): OriginRelease | string {
  if (!isDigest(digest)) return 'it has no digest'
  if (!isText(built) || Number.isNaN(Date.parse(built))) return 'it does not say when it was built'
  const origin = parseSource(source)
  if (origin === undefined) return 'it does not say where it came from'
  if (!Array.isArray(findings) || !findings.every(isFinding)) return 'its findings are not sound'
  if (!Array.isArray(aliases) || !aliases.every(isAlias)) return 'its aliases are not sound'
  if (!Array.isArray(entities) || entities.length === 0 || entities.length > MAX_ENTITIES) return 'it has no entities'
  const definitions = new Map<string, EntityData>()
  for (const entity of entities) {
    const wrong = entityFault(entity, definitions)
    if (wrong !== undefined) return wrong
    definitions.set(entity.name, entity.definition)
  }
  if (new Set([...definitions.values()].map(({ plural }) => plural)).size < definitions.size)
    return 'two collections have one name'
  const wrong = packages === undefined ? undefined : packagesFault(packages, definitions)
  if (wrong !== undefined) return wrong
  return {
    digest,
    built: new Date(built).toISOString(),
    source: origin,
    entities: entities.map(({ name, collection, count, records, facts, numbering, definition }) => ({
      name,
      collection,
      count,
      records,
      ...(facts === undefined ? {} : { facts }),
      ...(numbering === undefined ? {} : { numbering }),
      definition,
    })),
    findings: findings.map(({ kind, says, count, examples, entity }) => ({
      kind,
      description: says,
      count,
      examples,
      ...(entity === undefined ? {} : { entity }),
    })),
    aliases: aliases.map(({ entity, code, alias, reason }) => ({ entity, code, alias, reason })),
    packages: packages as OriginRelease['packages'],
    catalog: orderedCatalog([...definitions.values()]),
  }
}

function entityFault(value: unknown, known: ReadonlyMap<string, EntityData>): string | undefined {
  if (!isObject(value)) return 'an entity is not an object'
  const { name, collection, count, records, facts, numbering, definition } = value
  const wrong = definitionFault(definition, known)
  if (wrong !== undefined) return wrong
  const defined = definition as EntityData
  if (name !== defined.name || known.has(defined.name) || collection !== defined.plural)
    return `${defined.name} is not named as it is defined`
  if (numbering !== undefined && !NUMBERINGS.some((known) => known === numbering))
    return `${defined.name} has a numbering that is not known here`
  const areSums = isDigest(records) && (facts === undefined || isDigest(facts))
  return areSums && isCount(count) ? undefined : `${defined.name} has no sound checksums`
}

function parseSource(value: unknown): SourceOrigin | undefined {
  if (!isObject(value)) return undefined
  const { kind, title, synthetic, credits, options } = value
  const isCredit = (one: unknown) => isObject(one) && isText(one.to) && areTexts(one.of)
  const isOption = (one: unknown) => isText(one) || typeof one === 'number' || typeof one === 'boolean'
  if (!isText(kind) || !isText(title) || typeof synthetic !== 'boolean') return undefined
  if (!Array.isArray(credits) || !credits.every(isCredit)) return undefined
  if (!isObject(options) || !Object.values(options).every(isOption)) return undefined
  return {
    kind,
    title,
    synthetic,
    credits: credits.map(({ to, of }) => ({ to, of })),
    options: options as SourceOrigin['options'],
  }
}

const isFinding = (value: unknown) =>
  isObject(value) &&
  isText(value.kind) &&
  isText(value.says) &&
  isCount(value.count) &&
  areTexts(value.examples) &&
  (value.entity === undefined || isText(value.entity))

const isAlias = (value: unknown) =>
  isObject(value) && [value.entity, value.code, value.alias, value.reason].every(isText)

function wrongDigest({ digest, entities, aliases, packages }: OriginRelease, expected: string): string | undefined {
  const content = Object.fromEntries(entities.map((entity) => [entity.name, entity]))
  if (digest !== expected) return `it is release ${digest} and not ${expected}`
  return releaseDigest({ entities: content, aliases, packages }) === digest
    ? undefined
    : 'its checksums are not those of its digest'
}

const OPENING_BRACE = 0x7b
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const isZstd = (start: Uint8Array) => ZSTD_MAGIC.equals(start.subarray(0, ZSTD_MAGIC.length))

/** The rows in a download, and not one more than there should be. */
export async function* downloadedRows(
  path: string,
  definition: Entity,
  count: number,
  faults: Faults,
): AsyncGenerator<Block> {
  const file = `${definition.plural} of the origin`
  let taken = 0
  try {
    for await (const { first, lines, isDamaged } of readLines(
      { file, open: () => plainBytes(path) },
      faults,
      () => 'utf-8',
    )) {
      const rows = lines.map((line) => (isDamaged ? undefined : rowIn(line, definition)))
      const wrong = rows.indexOf(undefined)
      if (wrong >= 0) {
        const value = lines[wrong]
        faults.add({
          file,
          line: first + wrong,
          column: 'all',
          value,
          expected: `a record of ${definition.plural} as JSON`,
        })
        return
      }
      taken += rows.length
      if (taken > count)
        throw new Failure(`the origin sends more than the ${count} records of ${definition.plural} that it announced`)
      yield { file, lines: lines.map((_, at) => first + at), rows: rows as readonly GivenRow[] }
    }
  } catch (error) {
    // What is wrong with the line is among the faults.
    if (error instanceof UnreadableFile) return
    if (error instanceof Failure) throw error
    throw new Failure(`what the origin sent of ${definition.plural} cannot be decompressed`)
  }
}

async function* plainBytes(path: string): AsyncGenerator<Buffer> {
  const file = Bun.file(path)
  const start = new Uint8Array(await file.slice(0, ZSTD_MAGIC.length).arrayBuffer())
  const stream = isZstd(start) ? file.stream().pipeThrough(new DecompressionStream('zstd')) : file.stream()
  for await (const { buffer, byteOffset, length } of stream as AsyncIterable<Uint8Array>)
    yield Buffer.from(buffer as ArrayBuffer, byteOffset, length)
}

/** A record with keys in place of embedded records is a row, but for copies and for what is not known. */
function rowIn(line: string, definition: Entity): GivenRow | undefined {
  const record = parsedJson(line, recordParser(definition))
  if (!isObject(record)) return undefined
  const row: Record<string, string | number> = {}
  for (const [name, { kind }] of Object.entries(definition.fields)) {
    const value = record[name]
    if (kind === 'copy' || value === null) continue
    const given = kind === 'value' ? textOf(value) : isKeyList(value) ? identityFrom(value) : value
    if (typeof given !== 'string' && typeof given !== 'number') return undefined
    row[name] = given
  }
  return row
}

/** Values are given as text, those that are not text as JSON. */
const textOf = (value: unknown) => (typeof value === 'string' || value === undefined ? value : JSON.stringify(value))

const isKeyList = (value: unknown): value is readonly Identity[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'string' || typeof part === 'number')
