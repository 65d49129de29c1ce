// The descriptions of packages, in a release or with definitions from elsewhere.
import { listOf, objectOf, optional, such, suchThat, type TypeOf, text } from '../../base/schema.ts'
import { entityName, line, paragraph } from '../../base/texts.ts'
import type { EntityData } from '../../catalog/catalog.ts'

const MAX_NAME = 200
const MAX_ENTRIES = 1_000
/** The most letters of a resource that was inferred. */
export const MAX_DESCRIBED = 1 << 18

/** One word that a command can take. */
const packageName = suchThat(
  line,
  `one word of at most ${MAX_NAME} letters`,
  (name) => name.length <= MAX_NAME && !/\s/.test(name) && !(name in Object.prototype),
)

const said = optional(paragraph)
const entries = listOf(
  objectOf({
    ...{ name: said, title: said, path: said, email: said, organization: said },
    roles: optional(listOf(paragraph, MAX_ENTRIES)),
  }),
  MAX_ENTRIES,
)

export const packageInfo = {
  ...{ name: packageName, title: said, description: said, version: said, homepage: said },
  ...{ licenses: entries, sources: entries, contributors: entries, keywords: listOf(paragraph, MAX_ENTRIES) },
  /** The names of its entities. */
  lists: listOf(entityName, MAX_ENTRIES),
  /** Of lists about which something was inferred, the resource of the complete descriptor that was obeyed, as JSON. */
  described: optional(listOf(objectOf({ list: entityName, resource: text(MAX_DESCRIBED) }), MAX_ENTRIES)),
  /** True if its licence forbids to pass it on. */
  restricted: optional(such('true', (value): value is true => value === true)),
}
export const packageInfos = listOf(objectOf(packageInfo), MAX_ENTRIES)

/** A package as it is shown. */
export type PackageInfo = TypeOf<typeof packageInfos>[number]

/** Says which lists of packages are not those of these definitions. */
export function packageListsFault(
  packages: readonly PackageInfo[],
  definitions: ReadonlyMap<string, EntityData>,
): string | undefined {
  if (new Set(packages.map(({ name }) => name)).size < packages.length) return 'two packages have the same name'
  for (const { name, lists } of packages) {
    const own = [...definitions.values()].filter((definition) => definition.package === name)
    const areOwn = lists.every((list) => definitions.get(list)?.package === name)
    if (!areOwn || new Set(lists).size !== own.length || lists.length !== own.length)
      return `package ${name} names other lists than its own`
  }
  return undefined
}
