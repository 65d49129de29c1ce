// Whether what packages say of themselves is sound, where it comes from elsewhere with the definitions of their lists.
import { isObject } from '../../base/json.ts'
import type { EntityData } from '../../catalog/catalog.ts'

const MAX_NAME = 200

/** Whether it can name a package: one word that a command can take. */
const isName = (name: unknown): name is string =>
  typeof name === 'string' &&
  name !== '' &&
  name.length <= MAX_NAME &&
  !/[\p{Cc}\s]/u.test(name) &&
  !(name in Object.prototype)

const MAX_TEXT = 20_000
const MAX_ENTRIES = 1_000
const isText = (value: unknown) => typeof value === 'string' && value.length <= MAX_TEXT
const mayBeText = (value: unknown) => value === undefined || isText(value)

const isListOf = (value: unknown, isOne: (one: unknown) => boolean): value is readonly unknown[] =>
  Array.isArray(value) && value.length <= MAX_ENTRIES && value.every(isOne)

/** Whether all that it says are texts, or lists of texts. */
const isEntry = (value: unknown) =>
  isObject(value) && Object.values(value).every((one) => isText(one) || isListOf(one, isText))

type Definitions = ReadonlyMap<string, EntityData>
type Unchecked = Readonly<Record<string, unknown>>

/** What is wrong with packages that came with these definitions. */
export function packageInfosFault(packages: unknown, definitions: Definitions): string | undefined {
  if (!isListOf(packages, isObject)) return 'its packages are not a list'
  const names = new Set<unknown>()
  for (const one of packages as readonly Unchecked[]) {
    const wrong = packageFault(one, definitions)
    if (wrong !== undefined) return wrong
    if (names.has(one.name)) return `two packages are named ${one.name}`
    names.add(one.name)
  }
  const stray = [...definitions.values()].find((one) => one.package !== undefined && !names.has(one.package))
  return stray && `the list ${stray.name} belongs to a package that is not named`
}

function packageFault(one: Unchecked, definitions: Definitions): string | undefined {
  const { name, title, description, version, homepage, licenses, sources, keywords, contributors, lists } = one
  if (!isName(name)) return 'a package has no sound name'
  const areTexts = [title, description, version, homepage].every(mayBeText)
  const areEntries = [licenses, sources, contributors].every((value) => isListOf(value, isEntry))
  if (!areTexts || !areEntries || !isListOf(keywords, isText)) return `what package ${name} says of itself is not sound`
  const isOwn = (list: unknown) => definitions.get(String(list))?.package === name
  const own = [...definitions.values()].filter((definition) => definition.package === name)
  return isListOf(lists, isOwn) && new Set(lists).size === own.length && lists.length === own.length
    ? undefined
    : `package ${name} names other lists than its own`
}
