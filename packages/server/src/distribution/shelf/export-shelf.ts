// Writes a home as the files of a shelf, for any host of static files: immutable files first, and the pointer last.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { boundedJson, parsedObject } from '../../base/json-bounds.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { replaceDurably } from '../../release/files/durable-file.ts'
import { readTextSync } from '../../release/files/regular-file.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { MANIFEST_FILE, type Manifest } from '../../release/manifest.ts'
import { HomeShelf } from './home-shelf.ts'
import {
  chunkName,
  entityName,
  entityText,
  listingName,
  listingOf,
  POINTER_NAME,
  parsePointer,
  pointerText,
} from './layout.ts'
import { compareStates, type Listing } from './pointer.ts'

/** A concurrent reader gets the state before or the new one; files that belong to neither are removed. */
export async function exportShelf(
  store: ReleaseStore,
  directory: string,
  options: ConstructorParameters<typeof HomeShelf>[1] = {},
) {
  const home = new HomeShelf(store, options)
  const state = home.state()
  if (state === undefined)
    throw new OperationalError('there is no sound current release to export; see nomenclator releases verify')
  const { pointer, listing, leftOut } = state
  const before = stateIn(directory)
  if (before === undefined && existsSync(directory) && readdirSync(directory).length > 0)
    throw new OperationalError(`${directory} has other files in it; give a directory that is empty or has a shelf`)
  const { trouble } = compareStates([{ ...pointer, host: store.home }], before)
  if (trouble !== undefined)
    throw new OperationalError(
      `${directory} has generation ${before?.generation}, from which generation ${pointer.generation} of ${store.home} does not go on; ` +
        'nothing was written. Take it over first with nomenclator import mirror, or give an empty directory.',
    )
  const now = listingOf(boundedJson(Buffer.from(listing)), pointer)
  // Without chunks that existed before.
  const written = { chunks: 0, bytes: 0 }
  for (const entity of entitiesIn(now)) {
    const shelved = await home.entity(entity)
    if (shelved === undefined) throw damagedEntity(entity)
    for (const { digest } of shelved.chunks) {
      const path = join(directory, chunkName(entity, digest))
      if (existsSync(path)) continue
      const bytes = await home.chunk(entity, digest)
      if (bytes === undefined) throw damagedEntity(entity)
      place(path, bytes)
      written.chunks++
      written.bytes += bytes.length
    }
    place(join(directory, entityName(entity)), entityText(shelved))
  }
  place(join(directory, listingName(pointer.listing)), listing)
  replaceDurably(join(directory, POINTER_NAME), pointerText(pointer))
  const named = [...entitiesIn(now), ...(before === undefined ? [] : entitiesIn(before))]
  prune(join(directory, 'entities'), new Set(named))
  return { generation: pointer.generation, releases: now.releases.size, ...written, leftOut }
}

const damagedEntity = (entity: string) =>
  new OperationalError(`entity ${entity} is damaged; see nomenclator releases verify`)

/** Returns the state of the shelf in a directory; undefined if there is none. */
function stateIn(directory: string): Listing | undefined {
  const bytesOf = (name: string) => Buffer.from(readTextSync(join(directory, name)) ?? '')
  const pointer = parsePointer(bytesOf(POINTER_NAME))
  return pointer && listingOf(boundedJson(bytesOf(listingName(pointer.listing))), pointer)
}

const entitiesIn = ({ releases }: Listing): string[] => [
  ...new Set(
    [...releases.values()].flatMap((files) => {
      const { entities = {} } = parsedObject(files[MANIFEST_FILE] ?? '') as Partial<Manifest>
      return Object.values(entities).map(({ digest }) => digest)
    }),
  ),
]

/** Creates a file at once as a whole. An existing file has the same content, since its name depends on it. */
function place(path: string, content: string | Uint8Array): void {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  replaceDurably(path, content)
}

function prune(directory: string, named: ReadonlySet<string>): void {
  for (const digest of existsSync(directory) ? readdirSync(directory) : [])
    if (!named.has(digest)) rmSync(join(directory, digest), { recursive: true, force: true })
}
