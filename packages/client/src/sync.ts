// Brings a copy of the catalogs up to date: by the changes since its release if there are any, verified by digest, all at once.
import type { CollectionDescription, Description, Service } from './connect.ts'
import { DigestMismatch, ReleaseGone } from './errors.ts'
import { keyValues } from './record-path.ts'
import type { Store, SyncOptions, SyncOutcome, SyncReport } from './store.ts'

type Stored = Readonly<Record<string, unknown>>

type ReleasedCollection = {
  readonly name: string
  readonly collection: string
  readonly count: number
  readonly records: string
  readonly facts?: string
}
type ReleaseManifest = {
  readonly entities: readonly ReleasedCollection[]
  /** The values of each stand in the order in which they are digested. */
  readonly aliases: readonly Readonly<Record<string, string>>[]
  /** The descriptions of the packages that its lists belong to. */
  readonly packages?: readonly object[]
}

/** The parameters that every request for a release has. */
type Pinned = { readonly release: string; readonly signal: AbortSignal | undefined }

/** A collection that the store does not have as it is in the release. */
type Missing = Pick<ReleasedCollection, 'records' | 'facts'> & {
  readonly digest: string
  readonly collection: CollectionDescription
}

export async function bringUp(service: Service, store: Store, { signal }: SyncOptions): Promise<SyncReport> {
  const description = await service.json<Description>('', { signal })
  const { digest: release, built } = description.release
  const before = await store.head()
  const outcomes: Record<string, SyncOutcome> = {}
  const report = { release, from: before?.release, collections: outcomes }
  for (const { name } of description.collections) outcomes[name] = 'same'
  if (before?.release === release) return report

  const pinned = { release, signal }
  const digests: Record<string, string> = {}
  const missing: Missing[] = []
  for (const { collection: name, records, facts } of await releasedCollections(service, pinned)) {
    const collection = description.collections.find((described) => described.name === name)
    if (collection === undefined) continue
    // Codes are in no digest of the server: records without them are not those with them.
    const digest = [records, facts ?? [], codesOf(collection)].flat().join('-')
    digests[name] = digest
    if (before?.digests[name] !== digest && (await store.get(digest)) === undefined)
      missing.push({ records, ...(facts && { facts }), digest, collection })
  }
  const changes = before && missing.length > 0 && (await changesSince(service, before.release, missing, pinned))
  for (const one of missing) {
    const { name } = one.collection
    const old = before && (await store.get(before.digests[name] ?? ''))
    const changed = changes && old && (await updated(service, one, pinned, old, changes))
    outcomes[name] = changed ? 'changed' : 'whole'
    await store.put(one.digest, changed || (await downloaded(service, one, pinned)))
  }
  await store.commit({ release, built, description, digests })
  return report
}

/** The digest of a release is that of a list of its collections, by which the list is verified. */
async function releasedCollections(service: Service, { release, signal }: Pinned) {
  const document = await service.json<ReleaseManifest>(`/releases/${release}/manifest`, { signal, release: undefined })
  const { entities, aliases, packages = [] } = document
  const lines = entities.map(({ name, count, records, facts = '' }) => `${name} ${count} ${records} ${facts}`.trimEnd())
  const aliasLines = aliases.map((alias) => JSON.stringify(Object.values(alias)))
  if (aliasLines.length > 0) lines.push(`aliases ${await sha256(aliasLines.join('\n'))}`)
  if (packages.length > 0) lines.push(`packages ${await sha256(packages.map(canonicalJson).join('\n'))}`)
  if ((await sha256(['nomenclator release 1', ...lines, ''].join('\n'))) !== release)
    throw new DigestMismatch(`the collections of release ${release} do not have its digest`)
  return entities
}

/** JSON in which the members of objects stand in the order of their names. */
const canonicalJson = (value: object): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const factsOf = ({ fields }: CollectionDescription) => fields.flatMap(({ path, fact }) => (fact ? [path] : []))
const codesOf = ({ derived }: CollectionDescription) => derived.map(({ path, steps = [path] }) => steps[0] as string)
const keyOf = (collection: CollectionDescription, record: object) => JSON.stringify(keyValues(collection, record))

const RECORDS_PER_LINE = 10

/**
 * True if records are those of the release: put together as the server stores them, they have the same digest. `texts` has the
 * JSON of each as it was received, since numbers may lose digits when they are parsed.
 */
async function isSound(
  { collection, records: recordsDigest, facts: factsDigest }: Missing,
  records: readonly Stored[],
  texts?: readonly string[],
): Promise<boolean> {
  const facts = factsOf(collection)
  // The facts stand at the end of a record, and after them its codes.
  const added = [...facts, ...codesOf(collection)]
  const withoutAdded = records.map((record, at) => {
    const tail = added.length === 0 ? '}' : JSON.stringify(record, added)
    return `${(texts?.[at] ?? JSON.stringify(record)).slice(0, -tail.length)}}`
  })
  let text = ''
  for (let at = 0; at < records.length; at += RECORDS_PER_LINE)
    text += `[${withoutAdded.slice(at, at + RECORDS_PER_LINE).join()}]\n`
  if ((await sha256(text)) !== recordsDigest) return false
  const knownFacts = records.map(
    (record) =>
      `${JSON.stringify(
        record,
        facts.filter((name) => record[name] !== null),
      )}\n`,
  )
  return factsDigest === undefined
    ? knownFacts.every((line) => line === '{}\n')
    : (await sha256(knownFacts.join(''))) === factsDigest
}

type Parameters = Readonly<Record<string, unknown>>

async function linesOf(service: Service, path: string, parameters: Parameters): Promise<string[]> {
  const { body } = await service.send(path, { format: 'ndjson', ...parameters }, { keep: false })
  return body.split('\n').filter((line) => line !== '')
}

const parsed = <T>(lines: readonly string[]): T[] => lines.map((line) => JSON.parse(line) as T)

/** All records, which must be those of the release. */
async function downloaded(service: Service, missing: Missing, pinned: Pinned): Promise<Stored[]> {
  const { name } = missing.collection
  const texts = await linesOf(service, `/${name}/all`, { ...pinned, facts: true })
  const records = parsed<Stored>(texts)
  if (await isSound(missing, records, texts)) return records
  throw new DigestMismatch(
    `the records of ${name} that were received do not have the digest of release ${pinned.release}`,
  )
}

type Changed = { readonly collection: string; readonly key: object; readonly new?: Stored }

/** Undefined if the server does not have the old release any more. */
const changesSince = (service: Service, from: string, missing: readonly Missing[], { release, signal }: Pinned) =>
  linesOf(service, '/changes', {
    from,
    to: release,
    in: missing.map(({ collection }) => collection.name),
    signal,
    release: undefined,
  }).then(parsed<Changed>, (error: unknown) => {
    if (!(error instanceof ReleaseGone)) throw error
  })

/** A record with these members at its end, in this order; null for those that it does not have. */
function withAll(record: Stored, added: readonly string[]): Stored {
  const own = Object.entries(record).filter(([name]) => !added.includes(name))
  return Object.fromEntries([...own, ...added.map((name) => [name, record[name] ?? null] as const)])
}

/** The records with their changes applied; undefined if that does not give those of the release. */
async function updated(
  service: Service,
  missing: Missing,
  pinned: Pinned,
  old: readonly object[],
  changes: readonly Changed[],
): Promise<readonly Stored[] | undefined> {
  const { collection } = missing
  const added = [...factsOf(collection), ...codesOf(collection)]
  const records = new Map(old.map((record) => [keyOf(collection, record), record as Stored]))
  for (const change of changes) {
    if (change.collection !== collection.name) continue
    const key = JSON.stringify(Object.values(change.key).flat().map(String))
    if (change.new !== undefined) records.set(key, withAll(change.new, added))
    // If records are numbered otherwise now, all are removed first, and none is left to apply changes to.
    else if (records.delete(key) && records.size === 0) return undefined
  }
  const inPlace = [...records.values()]
  if (await isSound(missing, inPlace)) return inPlace
  // Changes do not say the order of the records: it is that of all keys.
  const lines = await linesOf(service, `/${collection.name}/all`, { ...pinned, fields: collection.keyPaths })
  const ordered = parsed<Stored>(lines)
    .map((key) => records.get(keyOf(collection, key)))
    .filter((record) => record !== undefined)
  return (await isSound(missing, ordered)) ? ordered : undefined
}
