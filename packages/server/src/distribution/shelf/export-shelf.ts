// Writes a home as the files of a shelf, for any host of static files: what never changes first, and the pointer last.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { DurableFile, replaceDurably, syncDirectory } from '../../release/files/durable-file.ts'
import { readTextSync } from '../../release/files/regular-file.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { MANIFEST_FILE, type Manifest, parsedObject } from '../../release/manifest.ts'
import { HomeShelf } from './home-shelf.ts'
import {
  chunkName,
  entityName,
  entityText,
  listingName,
  POINTER_NAME,
  parseListing,
  parsePointer,
  pointerText,
} from './layout.ts'
import { compareStates, type Listing } from './pointer.ts'

type ExportedShelf = {
  readonly generation: number
  readonly releases: number
  /** Chunks and their bytes that were written; what was there already is not counted. */
  readonly chunks: number
  readonly bytes: number
}

/** Whoever reads the directory meanwhile has the state before or the new one. What neither of them names is removed. */
export async function exportShelf(store: ReleaseStore, directory: string): Promise<ExportedShelf> {
  const home = new HomeShelf(store)
  const state = home.state()
  if (state === undefined)
    throw new OperationalError('there is no sound current release to export; see nomenclator releases verify')
  const { pointer, listing } = state
  const before = stateIn(directory)
  if (before === undefined && existsSync(directory) && readdirSync(directory).length > 0)
    throw new OperationalError(`${directory} has other files in it; give a directory that is empty or has a shelf`)
  const { trouble } = compareStates([{ ...pointer, host: store.home }], before)
  if (trouble !== undefined)
    throw new OperationalError(
      `${directory} has generation ${before?.generation}, from which generation ${pointer.generation} of ${store.home} does not go on; ` +
        'nothing was written. Take it over first with nomenclator import mirror, or give an empty directory.',
    )
  const now = parseListing(listing, pointer) as Listing
  const written = { chunks: 0, bytes: 0 }
  for (const entity of entitiesIn(now)) {
    const shelved = await home.entity(entity)
    if (shelved === undefined)
      throw new OperationalError(`entity ${entity} is damaged; see nomenclator releases verify`)
    for (const { digest } of shelved.chunks) {
      const path = join(directory, chunkName(entity, digest))
      if (existsSync(path)) continue
      const bytes = await home.chunk(entity, digest)
      if (bytes === undefined)
        throw new OperationalError(`entity ${entity} is damaged; see nomenclator releases verify`)
      place(path, bytes)
      written.chunks++
      written.bytes += bytes.length
    }
    place(join(directory, entityName(entity)), Buffer.from(entityText(shelved)))
  }
  place(join(directory, listingName(pointer.listing)), Buffer.from(listing))
  replaceDurably(join(directory, POINTER_NAME), pointerText(pointer))
  prune(
    join(directory, 'entities'),
    new Set([now, before].flatMap((one) => (one === undefined ? [] : entitiesIn(one)))),
  )
  const { generation } = pointer
  return { generation, releases: now.releases.size, ...written }
}

/** The state that a directory has; undefined where it has none. */
function stateIn(directory: string): Listing | undefined {
  const pointer = parsePointer(readTextSync(join(directory, POINTER_NAME)) ?? '')
  if (pointer === undefined) return undefined
  return parseListing(readTextSync(join(directory, listingName(pointer.listing))) ?? '', pointer)
}

const entitiesIn = ({ releases }: Listing): string[] => [
  ...new Set(
    [...releases.values()].flatMap((files) => {
      const { entities = {} } = parsedObject(files[MANIFEST_FILE] ?? '') as Partial<Manifest>
      return Object.values(entities).map(({ digest }) => digest)
    }),
  ),
]

/** A file appears whole under its name. One that is there has the same content. */
function place(path: string, bytes: Uint8Array): void {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  const next = `${path}.next`
  rmSync(next, { force: true })
  const file = new DurableFile(next)
  try {
    file.write(bytes)
    file.finish()
  } finally {
    file[Symbol.dispose]()
  }
  renameSync(next, path)
  syncDirectory(dirname(path))
}

function prune(directory: string, named: ReadonlySet<string>): void {
  for (const digest of existsSync(directory) ? readdirSync(directory) : [])
    if (!named.has(digest)) rmSync(join(directory, digest), { recursive: true, force: true })
}
