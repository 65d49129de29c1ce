// The schemas of the manifests of a release and its entities: no manifest is used that they do not read.
import { dictionaryOf, listOf, objectOf, oneOf, optional, wholeNumber } from '../base/schema.ts'
import { collectionName, entityName, line, moment, sha256 } from '../base/texts.ts'
import { definition } from '../catalog/definition-schema.ts'
import { finding } from '../source/findings.ts'
import { NUMBERINGS } from '../source/numbering.ts'
import { packageInfo } from '../source/package/package-info.ts'
import { alias, origin } from '../source/source.ts'
import { BOUNDARY_FILES, type BoundaryFileName } from './boundaries/boundary-levels.ts'
import { RECORD_FILES } from './files/record-file.ts'
import { INDEX_FILES } from './index/index-file.ts'

const MAX_COUNT = 0xffffffff
const MAX_ENTITIES = 10_000
const MAX_ALIASES = 1_000_000
const MAX_FINDINGS = 100_000

const count = wholeNumber(0, MAX_COUNT)
const fileSummary = objectOf({ size: wholeNumber(), sha256 })
const optionalSummary = optional(fileSummary)
const names = [...RECORD_FILES, ...INDEX_FILES]
const summaries = Object.fromEntries(names.map((name) => [name, fileSummary]))
const boundaries = Object.fromEntries(Object.values(BOUNDARY_FILES).map((name) => [name, optionalSummary]))

/** The digest of an entity is that of this manifest, and so of everything that belongs to the entity. */
export const entityManifest = objectOf({
  ...{ format: wholeNumber(), definition, count },
  /** The digests of the entities that it embeds, by name: its records and its index are made from them too. */
  parents: dictionaryOf(entityName, sha256, MAX_ENTITIES),
  files: objectOf({
    ...(summaries as Record<(typeof names)[number], typeof fileSummary>),
    facts: optionalSummary,
    ...(boundaries as Record<BoundaryFileName, typeof optionalSummary>),
  }),
})
/** An entity as a release names it. */
const released = objectOf({
  format: wholeNumber(),
  /** The name of its collection. */
  collection: collectionName,
  digest: sha256,
  count,
  /** SHA-256 of its records, the part of it that the digest of the release depends on. */
  records: sha256,
  /** SHA-256 of its facts, where there are any. */
  facts: optional(sha256),
  /** SHA-256 of the digests of its boundaries at all levels of detail, where it has any. */
  boundaries: optional(sha256),
  /** The digest that it would have without its boundaries: by it, entities that embed its records name it. */
  embeddedAs: optional(sha256),
  /** The size of all its files. */
  bytes: wholeNumber(),
  /** Set by the release: the same entity may be numbered otherwise in another. */
  numbering: optional(oneOf(...NUMBERINGS)),
})

/** How many records of a collection an import added, changed and removed. */
const changeCounts = objectOf({ added: count, changed: count, removed: count })

export const manifestSchema = objectOf({
  digest: sha256,
  built: moment,
  source: origin,
  versions: objectOf({ nomenclator: line, bun: line }),
  /** The entities by name, each after those that it embeds. */
  entities: dictionaryOf(entityName, released, MAX_ENTITIES),
  /** Each with the entity that it is about, if it is about one. */
  findings: listOf(objectOf({ ...finding, entity: optional(entityName) }), MAX_FINDINGS),
  /** The aliases that were imported; absent where there are none. */
  aliases: optional(listOf(alias, MAX_ALIASES)),
  /**
   * The packages that its lists belong to, by name; absent where there are none. Each has the digest of the definitions of its
   * lists: another declaration of the same records is another release.
   */
  packages: optional(listOf(objectOf({ ...packageInfo, definitions: sha256 }), MAX_ENTITIES)),
  /**
   * The changes since the release that was current before its import, by collection, as the import counted them: a comparison of
   * two releases reads all of their records. Absent where there was no release before, or where its records could not be read.
   */
  changes: optional(objectOf({ since: sha256, collections: dictionaryOf(collectionName, changeCounts, MAX_ENTITIES) })),
})

/** The parts of a manifest of any format that are read before it is known to be sound. */
export const manifestOutline = objectOf({
  built: optional(line),
  versions: optional(objectOf({ nomenclator: optional(line) })),
  entities: dictionaryOf(
    line,
    objectOf({ format: optional(wholeNumber()), digest: optional(line), numbering: optional(line) }),
    MAX_ENTITIES,
  ),
})
