// Publishes the changes of a home: first the chunks, which nobody reads yet, then everything else in one transaction.
import { hostname } from 'node:os'
import { OperationalError } from '../../base/operational-error.ts'
import { pack } from '../../base/zstd.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { verifyEntity } from '../../release/home/verify.ts'
import { MANIFEST_FILE, parseManifest } from '../../release/manifest.ts'
import { ChunkReader, type FileChunk } from '../shelf/chunks.ts'
import { shelvedEntity } from '../shelf/home-shelf.ts'
import type { ShelvedEntity } from '../shelf/layout.ts'
import type { Listing, Pointer, ReleaseFiles } from '../shelf/pointer.ts'
import { ShelfChanged } from '../shelf/shelf-failures.ts'
import type { ShelfConnection } from './connection.ts'
import { CHANNEL } from './pg-reader.ts'

/** A change to the shelf. */
export type ShelfChange = {
  /** The state before the change. */
  readonly base: Listing
  readonly history: string
  readonly idRegistry: string
  /** Releases that are new, or have other files than before. */
  readonly put: ReadonlyMap<string, ReleaseFiles>
  readonly removed: readonly string[]
  /** The command that makes the change. */
  readonly doing: string
  /** The state after the change. By its name a writer recognizes its own change after a connection broke. */
  readonly next: Pointer
}

export const isEmptyChange = ({ base, history, idRegistry, put, removed }: ShelfChange): boolean =>
  put.size === 0 && removed.length === 0 && history === base.history && idRegistry === base.idRegistry

/**
 * The caller holds the lock of the writers. Throws if the shelf has changed since the base, which can happen only if the
 * lock was lost with a connection.
 */
export async function publish(connection: ShelfConnection, store: ReleaseStore, change: ShelfChange): Promise<void> {
  const entities = new Map<string, ShelvedEntity>()
  const named = [...change.put.values()].flatMap(entitiesOf)
  for (const digest of await missingEntities(connection, named))
    entities.set(digest, await sendChunks(connection, store, digest))
  await connection.transaction('', async () => {
    await refuseIfChanged(connection, change.base)
    for (const [digest, { manifest, chunks }] of entities) await putEntity(connection, digest, manifest, chunks)
    for (const [digest, files] of change.put) await putRelease(connection, digest, files)
    for (const digest of change.removed)
      await connection.query('DELETE FROM nomenclator.release WHERE digest = $1', [digest])
    if (change.removed.length > 0 || change.put.size > 0) await removeUnused(connection)
    await movePointer(connection, change)
  })
}

/** Replaces damaged chunks by those of a home. Returns the number of replaced chunks. */
export async function mendChunks(connection: ShelfConnection, store: ReleaseStore, digests: readonly string[]) {
  const rows = await connection.query<{ entity: string; file: string; start: string; chunk: string; size: number }>(
    `SELECT entity, file, start, chunk, size FROM nomenclator.entity_chunk JOIN nomenclator.chunk ON chunk = chunk.digest
     WHERE chunk IN (SELECT jsonb_array_elements_text($1::text::jsonb))`,
    [JSON.stringify(digests)],
  )
  const mended = new Set<string>()
  for (const { entity, file, start, chunk, size } of rows) {
    const whole = { file, start: Number(start), size, digest: chunk }
    using reader = new ChunkReader(store.entityDirectory(entity))
    const bytes = mended.has(chunk) ? undefined : reader.bytesOf(whole)
    if (bytes === undefined) continue
    const packed = Buffer.from(await pack(bytes))
    await connection.query('UPDATE nomenclator.chunk SET packed = $2, packed_sha256 = sha256($2) WHERE digest = $1', [
      chunk,
      packed,
    ])
    mended.add(chunk)
  }
  // Nodes that refused the damaged chunks try again.
  await connection.query(`SELECT pg_notify('${CHANNEL}', '')`)
  return mended.size
}

/** Declares the state of the shelf right, so that nodes with a later state follow it again. */
export const renewPointer = (connection: ShelfConnection, base: Listing, next: Pointer): Promise<void> =>
  connection.transaction('', async () => {
    await refuseIfChanged(connection, base)
    await movePointer(connection, { ...base, next, doing: 'shelf accept' })
  })

function entitiesOf(files: ReleaseFiles): string[] {
  const parsed = parseManifest(files[MANIFEST_FILE] ?? '')
  if (parsed.state !== 'readable') throw new OperationalError('a release that cannot be read cannot be published')
  return Object.values(parsed.manifest.entities).map(({ digest }) => digest)
}

async function missingEntities(connection: ShelfConnection, digests: readonly string[]): Promise<string[]> {
  const rows = await connection.query<{ digest: string }>(
    `SELECT DISTINCT value AS digest FROM jsonb_array_elements_text($1::text::jsonb)
     WHERE NOT EXISTS (SELECT FROM nomenclator.entity WHERE entity.digest = value)`,
    [JSON.stringify(digests)],
  )
  return rows.map(({ digest }) => digest)
}

/** Each batch is a transaction of its own: if a batch fails, those before it are not sent again. */
const BATCH_CHUNKS = 64

/** Sends the chunks of an entity that the shelf lacks. */
async function sendChunks(connection: ShelfConnection, store: ReleaseStore, digest: string): Promise<ShelvedEntity> {
  const directory = store.entityDirectory(digest)
  const [wrong] = await verifyEntity(directory, digest)
  if (wrong !== undefined) throw new OperationalError(`nothing was published: ${wrong.message}`)
  const entity = shelvedEntity(directory, digest)
  const lacking = new Map(entity.chunks.map((chunk) => [chunk.digest, chunk]))
  const there = await connection.query<{ digest: string }>(
    'SELECT digest FROM nomenclator.chunk WHERE digest IN (SELECT jsonb_array_elements_text($1::text::jsonb))',
    [JSON.stringify([...lacking.keys()])],
  )
  for (const one of there) lacking.delete(one.digest)
  const waiting = [...lacking.values()]
  using reader = new ChunkReader(directory)
  while (waiting.length > 0) {
    const batch = await Promise.all(waiting.splice(0, BATCH_CHUNKS).map((chunk) => chunkRow(reader, chunk)))
    await connection.copyIn('nomenclator.chunk (digest, size, packed, packed_sha256)', batch)
  }
  return entity
}

async function chunkRow(reader: ChunkReader, chunk: FileChunk) {
  const bytes = reader.bytesOf(chunk)
  if (bytes === undefined) throw new OperationalError(`nothing was published: ${chunk.file} has changed meanwhile`)
  const packed = await pack(bytes)
  const size = Buffer.alloc(4)
  size.writeInt32BE(chunk.size)
  return [Buffer.from(chunk.digest), size, packed, new Bun.CryptoHasher('sha256').update(packed).digest()] as const
}

async function refuseIfChanged(connection: ShelfConnection, base: Pointer): Promise<void> {
  const [now] = await connection.query<{ generation: string; change: string }>(
    'SELECT generation, change FROM nomenclator.pointer FOR UPDATE',
  )
  if (now === undefined || Number(now.generation) !== base.generation || now.change !== base.change)
    throw new ShelfChanged('the shelf was changed by another machine meanwhile; nothing was published, try again')
}

async function putEntity(connection: ShelfConnection, digest: string, manifest: string, chunks: readonly FileChunk[]) {
  await connection.query('INSERT INTO nomenclator.entity (digest, manifest) VALUES ($1, $2)', [digest, manifest])
  await connection.query(
    `INSERT INTO nomenclator.entity_chunk (entity, file, start, chunk)
     SELECT $1::text, file, start, digest FROM jsonb_to_recordset($2::text::jsonb) AS (file text, start bigint, digest text)`,
    [digest, JSON.stringify(chunks)],
  )
}

async function putRelease(connection: ShelfConnection, digest: string, files: ReleaseFiles): Promise<void> {
  await connection.query(
    `INSERT INTO nomenclator.release (digest, files) VALUES ($1, $2)
     ON CONFLICT (digest) DO UPDATE SET files = excluded.files`,
    [digest, JSON.stringify(files)],
  )
  await connection.query('DELETE FROM nomenclator.release_entity WHERE release = $1', [digest])
  await connection.query(
    `INSERT INTO nomenclator.release_entity (release, entity)
     SELECT DISTINCT $1::text, value FROM jsonb_array_elements_text($2::text::jsonb)`,
    [digest, JSON.stringify(entitiesOf(files))],
  )
}

/** Removes entities without a release and chunks without an entity, such as those of interrupted publications. */
async function removeUnused(connection: ShelfConnection): Promise<void> {
  await connection.query(
    `DELETE FROM nomenclator.entity WHERE NOT EXISTS
     (SELECT FROM nomenclator.release_entity WHERE release_entity.entity = entity.digest)`,
  )
  await connection.query(
    `DELETE FROM nomenclator.chunk WHERE NOT EXISTS
     (SELECT FROM nomenclator.entity_chunk WHERE entity_chunk.chunk = chunk.digest)`,
  )
}

async function movePointer(
  connection: ShelfConnection,
  { history, idRegistry, doing, next }: Pick<ShelfChange, 'history' | 'idRegistry' | 'doing' | 'next'>,
): Promise<void> {
  const { generation, change, chain } = next
  await connection.query(
    `UPDATE nomenclator.pointer SET generation = $1, change = $2, chain = $3, history = $4, id_registry = $5,
       changed = clock_timestamp(), changed_by = $6`,
    [generation, change, chain.join(' '), history, idRegistry, `${doing} (process ${process.pid} on ${hostname()})`],
  )
  await connection.query(`SELECT pg_notify('${CHANNEL}', $1)`, [String(generation)])
}
