// Brings a copy of the catalogs up to date: by the changes since its release if there are any, verified by digest, all at once.
import type { Service } from './connect.ts'
import { type CollectionDescription, DESCRIPTION } from './description.ts'
import { DigestMismatch, ReleaseGone } from './errors.ts'
import { type FormOf, jsonOf } from './json.ts'
import { keyOf } from './record-path.ts'
import type { Store, Stored, SyncOptions, SyncOutcome, SyncReport } from './store.ts'

const MANIFEST = {
  entities: [
    {
      ...{ name: 'string', collection: 'string', count: 'number', records: 'string' },
      ...{ facts: 'string|undefined', boundaries: 'string|undefined' },
    },
  ],
  /** The values of each stand in the order in which they are digested. */
  aliases: ['object'],
  /** The descriptions of the packages that its lists belong to. */
  packages: 'list|undefined',
} as const
const DOWNLOAD = { keep: false, maxBytes: 500e6 }
const CHANGE = { collection: 'string', key: 'object', new: 'object|undefined' } as const

/** A collection that the store does not have as it is in the release. */
type Missing = {
  readonly records: string
  readonly facts: string | undefined
  readonly digest: string
  readonly collection: CollectionDescription
}

/** Requests the lines of a list or of changes. */
type FetchLines = (path: string, parameters: Readonly<Record<string, unknown>>) => Promise<string[]>

export async function bringUp(service: Service, store: Store, { signal }: SyncOptions): Promise<SyncReport> {
  const description = await service.json('', DESCRIPTION, { signal })
  const { digest: release, built } = description.release
  const before = await store.head()
  const collections = Object.fromEntries(
    description.collections.map(({ name }): [string, SyncOutcome] => [name, 'same']),
  )
  const report = { release, from: before?.release, collections }
  if (before?.release === release) return report

  const fetchLines: FetchLines = async (path, parameters) => {
    const { body } = await service.send(path, { format: 'ndjson', release, ...parameters, signal }, DOWNLOAD)
    return body.split('\n').filter((line) => line !== '')
  }
  const path = `/releases/${encodeURIComponent(release)}/manifest`
  const manifest = await service.json(path, MANIFEST, { signal, release: undefined })
  await verify(manifest, release)
  const digests: Record<string, string> = Object.create(null)
  const missing: Missing[] = []
  for (const { collection: name, records, facts } of manifest.entities) {
    const collection = description.collections.find((described) => described.name === name)
    if (collection === undefined) continue
    // Codes are in no digest of the server: records without them are not those with them.
    const digest = [records, facts ?? [], codesOf(collection)].flat().join('-')
    digests[name] = digest
    if (before?.digests[name] === digest || (await store.get(digest)) !== undefined) continue
    missing.push({ records, facts, digest, collection })
  }
  const names = missing.map(({ collection }) => collection.name)
  const changes = before && names.length > 0 && (await changesBetween(before.release, release, names, fetchLines))
  for (const one of missing) {
    const { name } = one.collection
    const old = before && (await store.get(before.digests[name] ?? ''))
    const changed = changes && old && (await updated(one, old, changes, fetchLines))
    collections[name] = changed ? 'changed' : 'whole'
    await store.put(one.digest, changed || (await downloaded(one, fetchLines)))
  }
  await store.commit({ release, built, description, digests })
  return report
}

/** The digest of a release is that of a list of its collections. */
async function verify({ entities, aliases, packages = [] }: FormOf<typeof MANIFEST>, release: string): Promise<void> {
  const lines = entities.map(({ name, count, records, facts, boundaries }) =>
    [name, count, records, facts ?? [], boundaries === undefined ? [] : ['boundaries', boundaries]].flat().join(' '),
  )
  const aliasLines = aliases.map((alias) => JSON.stringify(Object.values(alias)))
  if (aliasLines.length > 0) lines.push(`aliases ${await sha256(aliasLines.join('\n'))}`)
  if (packages.length > 0) lines.push(`packages ${await sha256(packages.map(canonicalJson).join('\n'))}`)
  if ((await sha256(['nomenclator release 1', ...lines, ''].join('\n'))) !== release)
    throw new DigestMismatch(`the collections of release ${release} do not have its digest`)
}

/** JSON in which the members of objects stand in the order of their names. */
const canonicalJson = (value: unknown): string =>
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

const RECORDS_PER_LINE = 10

/**
 * True if records are those of the release: put together as the server stores them, they have the same digest. `texts` has the
 * JSON of each as it was received, since numbers may lose digits when they are parsed.
 */
async function isSound(missing: Missing, records: readonly Stored[], texts?: readonly string[]): Promise<boolean> {
  const facts = factsOf(missing.collection)
  // The facts stand at the end of a record, and after them its codes.
  const added = [...facts, ...codesOf(missing.collection)]
  const withoutAdded = records.map((record, at) => {
    const tail = added.length === 0 ? '}' : JSON.stringify(record, added)
    return `${(texts?.[at] ?? JSON.stringify(record)).slice(0, -tail.length)}}`
  })
  let text = ''
  for (let at = 0; at < records.length; at += RECORDS_PER_LINE)
    text += `[${withoutAdded.slice(at, at + RECORDS_PER_LINE).join()}]\n`
  if ((await sha256(text)) !== missing.records) return false
  const knownFacts = (record: Stored) => facts.filter((name) => record[name] !== null)
  const factLines = records.map((record) => `${JSON.stringify(record, knownFacts(record))}\n`)
  if (missing.facts === undefined) return factLines.every((line) => line === '{}\n')
  return (await sha256(factLines.join(''))) === missing.facts
}

const parsed = <const F>(lines: readonly string[], form: F) =>
  lines.map((body) => jsonOf({ url: 'a line of NDJSON', body }, form))

/** All records, which must be those of the release. */
async function downloaded(missing: Missing, fetchLines: FetchLines): Promise<Stored[]> {
  const { name } = missing.collection
  const texts = await fetchLines(`/${name}/all`, { facts: true })
  const records = parsed(texts, 'object')
  if (await isSound(missing, records, texts)) return records
  throw new DigestMismatch(`the records of ${name} that were received do not have the digest in the release`)
}

/** The changes of collections; undefined if the server does not have the old release any more. */
const changesBetween = (from: string, to: string, names: readonly string[], fetchLines: FetchLines) =>
  fetchLines('/changes', { from, to, in: names, release: undefined })
    .then((lines) => parsed(lines, CHANGE))
    .catch((error: unknown) => {
      if (!(error instanceof ReleaseGone)) throw error
    })

/** A record with these members at its end, in this order; null for those that it does not have. */
function withAll(record: Stored, added: readonly string[], { fields }: CollectionDescription): Stored {
  const names = new Set(fields.map(({ path, steps = path.split('.') }) => steps[0] as string))
  // A change may have the digest of a shape, which is no field.
  const own = Object.entries(record).filter(([name]) => names.has(name) && !added.includes(name))
  return Object.fromEntries([...own, ...added.map((name) => [name, record[name] ?? null] as const)])
}

/** The records with their changes applied; undefined if that does not give those of the release. */
async function updated(
  missing: Missing,
  old: readonly object[],
  changes: readonly FormOf<typeof CHANGE>[],
  fetchLines: FetchLines,
): Promise<readonly Stored[] | undefined> {
  const { collection } = missing
  const added = [...factsOf(collection), ...codesOf(collection)]
  const records = new Map(old.map((record) => [keyOf(collection, record), record as Stored]))
  for (const change of changes.filter((one) => one.collection === collection.name)) {
    const key = JSON.stringify(Object.values(change.key).flat().map(String))
    if (change.new !== undefined) records.set(key, withAll(change.new, added, collection))
    // If records are numbered otherwise now, all are removed first, and none is left to apply changes to.
    else if (records.delete(key) && records.size === 0) return undefined
  }
  const inPlace = [...records.values()]
  if (await isSound(missing, inPlace)) return inPlace
  // Changes do not say the order of the records: it is that of all keys.
  const lines = await fetchLines(`/${collection.name}/all`, { fields: collection.keyPaths })
  const ordered = parsed(lines, 'object')
    .map((key) => records.get(keyOf(collection, key)))
    .filter((record) => record !== undefined)
  return (await isSound(missing, ordered)) ? ordered : undefined
}
