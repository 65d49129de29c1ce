// Reads a shelf in PostgreSQL.
import { parsedObject } from '../../base/json-bounds.ts'
import { entityOf, listingOf } from '../shelf/layout.ts'
import { type Listing, type Pointer, plainPointer } from '../shelf/pointer.ts'
import { soundPart } from '../shelf/shelf-failures.ts'
import type { ShelfReader } from '../shelf/shelf-reader.ts'
import type { ShelfConnection } from './connection.ts'

export const CHANNEL = 'nomenclator_shelf'

/** The prefix of the session names of nodes. */
export const REPORT_PREFIX = 'nomenclator:'

const POLL_SECONDS = 2
/** Time limit for a read without progress. */
const READ_SECONDS = 5

type PointerRow = { readonly generation: string; readonly change: string; readonly chain: string }

function pointerOf(row: PointerRow | undefined): Pointer {
  const chain = row?.chain.split(' ').filter((name) => name !== '') ?? []
  const value = { generation: Number(row?.generation ?? 0), change: row?.change ?? '', chain }
  return soundPart(plainPointer, value, 'a pointer')
}

/** Reads the state, and gives the session a name that shows the status of this node to others. */
export async function readPointer(connection: ShelfConnection, name = ''): Promise<Pointer> {
  // The time in the name is that of the server, since the clocks of nodes may differ.
  const report = "set_config('application_name', $1 || to_hex(extract(epoch FROM clock_timestamp())::bigint), false)"
  const [row] = await connection.query<PointerRow>(
    `SELECT generation, change, chain${name === '' ? '' : `, ${report}`} FROM nomenclator.pointer`,
    name === '' ? [] : [name],
    POLL_SECONDS,
  )
  return pointerOf(row)
}

export const readListing = (connection: ShelfConnection): Promise<Listing> =>
  connection.transaction('ISOLATION LEVEL REPEATABLE READ READ ONLY', async () => {
    const [row] = await connection.query<PointerRow & { history: string; id_registry: string }>(
      'SELECT generation, change, chain, history, id_registry FROM nomenclator.pointer',
      [],
      READ_SECONDS,
    )
    const all = 'SELECT digest, files FROM nomenclator.release'
    const releases = await connection.query<{ digest: string; files: string }>(all, [], READ_SECONDS)
    const { history = '', id_registry: idRegistry = '' } = row ?? {}
    const files = Object.fromEntries(releases.map((release) => [release.digest, parsedObject(release.files)]))
    return listingOf({ history, idRegistry, releases: files }, pointerOf(row))
  })

const CHUNKS_OF_A_QUERY = 500

export const pgReader = (connection: ShelfConnection): ShelfReader => ({
  listing: () => readListing(connection),
  entity: async (digest) => {
    const one = 'SELECT manifest FROM nomenclator.entity WHERE digest = $1'
    const [row] = await connection.query<{ manifest: string }>(one, [digest], READ_SECONDS)
    if (row === undefined) return undefined
    const chunks = await connection.query<{ file: string; start: string; digest: string; size: number }>(
      `SELECT file, start, chunk.digest, size FROM nomenclator.entity_chunk JOIN nomenclator.chunk ON chunk = chunk.digest
       WHERE entity = $1 ORDER BY file, start`,
      [digest],
      READ_SECONDS,
    )
    return entityOf({ ...row, chunks: chunks.map((chunk) => ({ ...chunk, start: Number(chunk.start) })) })
  },
  chunks: async function* (_entity, digests) {
    for (let at = 0; at < digests.length; at += CHUNKS_OF_A_QUERY) {
      const some = digests.slice(at, at + CHUNKS_OF_A_QUERY)
      const list = some.map((digest) => `'${digest}'`).join(', ')
      const rows = connection.copyOut(`SELECT digest, packed FROM nomenclator.chunk WHERE digest IN (${list})`)
      for await (const [digest, packed] of rows)
        if (digest !== undefined && packed !== undefined) yield [digest.toString('latin1'), packed]
    }
  },
})
