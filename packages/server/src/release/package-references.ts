// The lists of a home, with their records, that packages may refer to.
import { memoized } from '../base/memoized.ts'
import { type Catalog, entityData } from '../catalog/catalog.ts'
import { type Entity, type Identity, identityFrom, nameFieldOf } from '../catalog/entity.ts'
import { wordsOf } from '../catalog/words.ts'
import { builtInCatalog } from '../source/built-in.ts'
import type { PackageOptions } from '../source/package/examined.ts'
import { knownList, outsideRecords, shippedLists } from '../source/package/known-lists.ts'
import type { KnownRecords } from '../source/package/list-records.ts'
import { identifierReader } from './diff.ts'
import type { ReleaseStore } from './home/release-store.ts'
import { codeReader } from './official-codes.ts'
import { takenIn } from './packages.ts'
import type { Release } from './release.ts'

/**
 * The names that are taken in a home, and the lists of other packages with their records. `fallback` has the lists that a home without
 * a release will have beside those of the package, which are those that ship with the program.
 */
export const homeForPackages =
  (store: ReleaseStore, fallback: Pick<Catalog, 'entities'> = builtInCatalog): NonNullable<PackageOptions['outside']> =>
  (packageName) => {
    const digest = store.currentDigest()
    if (digest === undefined) return { ...shippedLists(fallback), taken: takenIn(fallback, packageName), hasHome: true }
    const release = store.read(digest)
    const others = [...release.catalog.entities.values()].filter((entity) => entity.package !== packageName)
    return {
      taken: takenIn(release.catalog, packageName),
      definitions: others.map(entityData),
      recordsOf: (name) => knownRecords(release, name),
      known: () => others.filter((entity) => !embedsOf(entity, packageName)).map((entity) => knownIn(release)(entity)),
      hasHome: true,
    }
  }

/** True for a list that embeds one of a package, which can then not refer to it. */
const embedsOf = ({ fields }: Entity, packageName: string): boolean =>
  Object.values(fields).some(
    (field) => field.kind === 'embed' && (field.entity.package === packageName || embedsOf(field.entity, packageName)),
  )

const knownIn = memoized((release: Release) =>
  memoized((entity: Entity) =>
    knownList(entity, (code) => {
      const read = codeReader(release, entity, code)
      return Array.from({ length: release.entity(entity.name).count }, (_, position) => read(position) ?? '')
    }),
  ),
)

function knownRecords(release: Release, name: string): KnownRecords {
  const { definition, count } = release.entity(name)
  const key = definition.key.map((field) => identifierReader(release, definition, field))
  return outsideRecords(definition, {
    count,
    identityAt: (position) => identityFrom(key.flatMap((read) => read(position))),
    textAt: (field) => {
      const read = identifierReader(release, definition, field)
      return (position) => read(position).join(BETWEEN)
    },
    codeAt: (code) => codeReader(release, definition, code),
  })
}

/** A list of a release, and the keys of its records by their usual official code; undefined where there is no such collection. */
export function recordsByCode(release: Release, collection: string) {
  const entity = release.catalog.collections.get(collection)
  if (entity === undefined) return undefined
  const codeAt = codeReader(release, entity)
  const readers = entity.key.map((field) => identifierReader(release, entity, field))
  const byCode = new Map<string, Identity>()
  for (let position = 0; position < release.entity(entity.name).count; position++) {
    const code = codeAt(position)
    if (code !== undefined) byCode.set(code, identityFrom(readers.flatMap((read) => read(position))))
  }
  return { entity, byCode }
}

/**
 * Finds the code of the only record of a list that has a name, compared without case and accents, among those whose codes begin with
 * the same characters: those below one record.
 */
export function onlyOneNamed(
  release: Release,
  collection: string,
  beginning: number,
): (above: string, name: string) => string | undefined {
  const entity = release.catalog.collections.get(collection)
  const column = entity && release.entity(entity.name).index.column(nameFieldOf(entity))
  if (entity === undefined || column?.kind !== 'text') return () => undefined
  const { texts, starts, positions } = column
  const codeAt = codeReader(release, entity)
  const values = Map.groupBy(Array(texts.size).keys(), (value) => plainName(texts.text(value)))
  /** The codes of the records with a name, by what is above them; undefined where several are below the same. */
  const codesOf = (plain: string) => {
    const codes = new Map<string, string | undefined>()
    for (const value of values.get(plain) ?? [])
      for (const position of positions.subarray(starts[value], starts[value + 1])) {
        const code = codeAt(position)
        const above = code?.slice(0, beginning) ?? ''
        codes.set(above, codes.has(above) ? undefined : code)
      }
    return codes
  }
  const known = new Map<string, ReturnType<typeof codesOf>>()
  return (above, name) => {
    const plain = plainName(name)
    return known.getOrInsertComputed(plain, codesOf).get(above)
  }
}

const plainName = (name: string): string => wordsOf(name).join(' ')

const BETWEEN = '\0'
