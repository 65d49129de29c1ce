// Brings a copy of the catalogs up to date: by changes where there are any to follow, verified by digest, put in place at once.
import type { CollectionDescription, Description, Service } from './connect.ts'
import { DigestMismatch, ReleaseGone } from './errors.ts'
import { valueAt } from './record-path.ts'
import type { Store, SyncOptions, SyncReport } from './store.ts'

type Stored = Readonly<Record<string, unknown>>

type ReleasedCollection = {
  readonly name: string
  readonly collection: string
  readonly count: number
  readonly records: string
  readonly facts?: string
}
type ReleaseManifest = {
  readonly digest: string
  readonly built: string
  readonly entities: readonly ReleasedCollection[]
  /** The values of each stand in the order in which they are digested. */
  readonly aliases: readonly Readonly<Record<string, string>>[]
  /** What the packages of its lists tell of themselves. */
  readonly packages?: readonly object[]
}

export async function bringUp(service: Service, store: Store, { signal }: SyncOptions): Promise<SyncReport> {
  const description = await service.json<Description>('', { signal })
  const { digest: release, built } = description.release
  const before = await store.head()
  const outcomes: Record<string, 'same' | 'changed' | 'whole'> = {}
  const report = { release, from: before?.release, collections: outcomes }
  for (const { name } of description.collections) outcomes[name] = 'same'
  if (before?.release === release) return report

  const pinned = { release, signal }
  const released = await releasedCollections(service, release, signal)
  const digests: Record<string, string> = {}
  const missing: Todo[] = []
  for (const { collection: name, records, facts } of released) {
    const collection = description.collections.find((described) => described.name === name)
    // Codes are in no digest of the server: records without them are not those with them.
    const digest = [records, ...(facts === undefined ? [] : [facts]), ...(collection ? codesOf(collection) : [])].join(
      '-',
    )
    digests[name] = digest
    if (collection === undefined || before?.digests[name] === digest) continue
    if ((await store.get(digest)) === undefined)
      missing.push({ name, records, ...(facts && { facts }), digest, collection, pinned })
  }
  const changes = before && missing.length > 0 ? await changesSince(service, before.release, missing) : undefined
  for (const todo of missing) {
    const old = before && (await store.get(before.digests[todo.name] ?? ''))
    let records = changes && old && (await updated(service, todo, old, changes))
    outcomes[todo.name] = records === undefined ? 'whole' : 'changed'
    records ??= await downloaded(service, todo)
    await store.put(
      todo.digest,
      records,
      records.map((record) => keyOf(todo.collection, record)),
    )
  }
  await store.commit({ release, built, description, digests })
  return report
}

/** A collection that the store does not have as it is in the release. */
type Todo = Pick<ReleasedCollection, 'name' | 'records' | 'facts'> & {
  readonly digest: string
  readonly collection: CollectionDescription
  readonly pinned: { readonly release: string; readonly signal: AbortSignal | undefined }
}

/** The digest of a release is that of a list of its collections, so the list is known to be the right one. */
async function releasedCollections(service: Service, release: string, signal: AbortSignal | undefined) {
  const document = await service.json<ReleaseManifest>(`/releases/${release}/manifest`, { signal, release: undefined })
  const { entities, aliases, packages = [] } = document
  const lines = entities.map(({ name, count, records, facts = '' }) => `${name} ${count} ${records} ${facts}`.trimEnd())
  const aliasLines = aliases.map((alias) => JSON.stringify(Object.values(alias)))
  if (aliasLines.length > 0) lines.push(`aliases ${await sha256(aliasLines.join('\n'))}`)
  if (packages.length > 0) lines.push(`packages ${await sha256(packages.map(canonicalJson).join('\n'))}`)
  const text = ['nomenclator release 1', ...lines, ''].join('\n')
  if ((await sha256(text)) !== release)
    throw new DigestMismatch(`the collections of release ${release} are not those that its digest says`)
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
const codesOf = ({ derived = [] }: CollectionDescription) =>
  derived.map(({ path, steps = [path] }) => steps[0] as string)
const keyOf = ({ keyPaths, fields }: CollectionDescription, record: object) =>
  keyText(keyPaths.map((path) => valueAt(record, path, fields.find((field) => field.path === path)?.steps)))
/** Of several values, none has what stands between them. */
const keyText = (values: readonly unknown[]) =>
  values.length === 1 ? String(values[0]) : values.map((value) => encodeURIComponent(String(value))).join('/')

const RECORDS_PER_LINE = 10

/**
 * Whether records are those of the release: put together as the server stores them, they have the same digest. `texts` has the
 * JSON of each as it was received, since numbers may lose digits where they are parsed.
 */
async function isSound(
  { collection, records: expected, facts }: Todo,
  records: readonly Stored[],
  texts?: readonly string[],
): Promise<boolean> {
  const [names, codes] = [factsOf(collection), codesOf(collection)]
  const lines: string[] = []
  const factLines: string[] = []
  let line: string[] = []
  for (const [at, record] of records.entries()) {
    const values = names.map((name) => [name, record[name]] as const)
    // The facts stand at the end of a record, and after them its codes.
    const added = [...values, ...codes.map((name) => [name, record[name]] as const)]
    const tail = added.length === 0 ? '}' : JSON.stringify(Object.fromEntries(added))
    line.push(`${(texts?.[at] ?? JSON.stringify(record)).slice(0, -tail.length)}}`)
    factLines.push(`${JSON.stringify(Object.fromEntries(values.filter(([, value]) => value !== null)))}\n`)
    if (line.length === RECORDS_PER_LINE || at === records.length - 1) {
      lines.push(`[${line.join()}]\n`)
      line = []
    }
  }
  if ((await sha256(lines.join(''))) !== expected) return false
  return facts === undefined
    ? factLines.every((facts) => facts === '{}\n')
    : (await sha256(factLines.join(''))) === facts
}

type Parameters = Readonly<Record<string, unknown>>

async function textLines(service: Service, path: string, parameters: Parameters): Promise<string[]> {
  // A server gives no codes to clients of version 0.3.0, which name the format last.
  const { body } = await service.send(path, { format: 'ndjson', ...parameters }, { keep: false })
  return body.split('\n').filter((line) => line !== '')
}

const lines = async <T>(service: Service, path: string, parameters: Parameters): Promise<T[]> =>
  (await textLines(service, path, parameters)).map((line) => JSON.parse(line) as T)

/** All records, which must be those of the release. */
async function downloaded(service: Service, todo: Todo): Promise<Stored[]> {
  const { name, pinned } = todo
  const texts = await textLines(service, `/${name}/all`, { ...pinned, facts: true })
  const records = texts.map((line) => JSON.parse(line) as Stored)
  if (await isSound(todo, records, texts)) return records
  throw new DigestMismatch(`${name} of release ${pinned.release} was received, but not with the digest that it has`)
}

type Changed = { readonly collection: string; readonly key: object; readonly new?: Stored }

/** Undefined where the old release is gone from the server. */
async function changesSince(service: Service, from: string, missing: readonly Todo[]): Promise<Changed[] | undefined> {
  const { release: to, signal } = (missing[0] as Todo).pinned
  try {
    return await lines<Changed>(service, '/changes', {
      from,
      to,
      in: missing.map(({ name }) => name),
      signal,
      release: undefined,
    })
  } catch (error) {
    if (error instanceof ReleaseGone) return undefined
    throw error
  }
}

/** A record with these members at its end, in this order; what it does not have is not known. */
function withAll(record: Stored, added: readonly string[]): Stored {
  const own = Object.entries(record).filter(([name]) => !added.includes(name))
  return Object.fromEntries([...own, ...added.map((name) => [name, record[name] ?? null] as const)])
}

/** The records with their changes applied; undefined where that does not give those of the release. */
async function updated(
  service: Service,
  todo: Todo,
  old: readonly object[],
  changes: readonly Changed[],
): Promise<Stored[] | undefined> {
  const { name, collection, pinned } = todo
  const added = [...factsOf(collection), ...codesOf(collection)]
  // A copy that was made before the server told codes has none to keep.
  if (old.some((record) => codesOf(collection).some((code) => !(code in record)))) return undefined
  const records = new Map(old.map((record) => [keyOf(collection, record), record as Stored]))
  for (const change of changes) {
    if (change.collection !== name) continue
    const key = keyText(Object.values(change.key).flat())
    if (change.new !== undefined) records.set(key, withAll(change.new, added))
    // Of records that are numbered otherwise now, all are removed first: nothing is left to apply changes to.
    else if (records.delete(key) && records.size === 0) return undefined
  }
  const inPlace = [...records.values()]
  if (await isSound(todo, inPlace)) return inPlace
  // Changes do not tell the order of the records: it is taken from the keys of all of them.
  const keys = await lines<Stored>(service, `/${name}/all`, { ...pinned, fields: collection.keyPaths })
  const ordered = keys.flatMap((key): Stored[] => {
    const record = records.get(keyOf(collection, key))
    return record === undefined ? [] : [record]
  })
  return (await isSound(todo, ordered)) ? ordered : undefined
}
