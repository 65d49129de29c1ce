// The releases and the id registry that a shelf offers, held to limits before anything is fetched.

import { isObject } from '../../base/json.ts'
import { parsedObject } from '../../base/json-bounds.ts'
import { dictionaryOf, objectOf, readOrUndefined, such, wholeNumber } from '../../base/schema.ts'
import { entityName, line, sha256 } from '../../base/texts.ts'
import { hasText } from '../../release/files/regular-file.ts'
import { IdRegistry, savedIds } from '../../release/home/id-registry.ts'
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { MANIFEST_FILE } from '../../release/manifest.ts'
import { MAX_REGISTRY_VALUES } from './layout.ts'
import type { Listing, ReleaseFiles } from './pointer.ts'
import { ReleaseRefused, soundPart } from './shelf-failures.ts'

/** Larger entities are not fetched. */
export const MAX_ENTITY_BYTES = 2 ** 34
const MAX_SHELF_BYTES = 2 ** 38
const MAX_ENTITIES = 1_000

/** An entity as far as it can be fetched. */
const entity = objectOf({ digest: sha256, bytes: wholeNumber(0, MAX_ENTITY_BYTES) })

/** The parts of a manifest that its entities are fetched by, in any format. */
export const fetchable = objectOf({
  built: line,
  source: objectOf({ kind: line, options: such('an object', isObject) }),
  entities: dictionaryOf(entityName, entity, MAX_ENTITIES),
})

/** The releases of a shelf in the order in which they are fetched; throws if all together are too large. */
export function newestFirst(releases: Listing['releases']): [string, ReleaseFiles][] {
  const sizes = new Map<string, number>()
  const dated = [...releases].map((release) => {
    const manifest = parsedObject(release[1][MANIFEST_FILE] ?? '')
    const { built = '', entities = {} } = readOrUndefined(fetchable, manifest) ?? {}
    for (const { digest, bytes } of Object.values(entities)) sizes.set(digest, Math.max(bytes, sizes.get(digest) ?? 0))
    return { built, release }
  })
  const bytes = sizes.values().reduce((sum, size) => sum + size, 0)
  if (bytes > MAX_SHELF_BYTES)
    throw new ReleaseRefused(`the releases of the shelf have ${bytes} bytes, which is more than ${MAX_SHELF_BYTES}`)
  return dated.toSorted((a, b) => b.built.localeCompare(a.built)).map(({ release }) => release)
}

/** The id registry of a shelf as this home writes it. */
export function readRegistry(store: ReleaseStore, json: string): string {
  if (json === '' || hasText(store.idRegistryFile, json)) return json
  const saved = soundPart(savedIds, parsedObject(json, MAX_REGISTRY_VALUES), 'an id registry')
  return `${JSON.stringify(new IdRegistry(saved).save())}\n`
}
