// New records without children, because the import brought them without what belongs to them.
import { entityIn } from '../../catalog/catalog.ts'
import { embedsOf, nameFieldOf } from '../../catalog/entity.ts'
import { DamagedRelease, type Release } from '../release.ts'
import { type Complement, rowsOfCompletion, storedRows } from './completion.ts'
import { officialCode, rowsInCode } from './official-code.ts'

export type WithoutChildren = {
  /** The collection of the new records, and the one that has none of theirs. */
  readonly collection: string
  readonly without: string
  readonly count: number
  /** Official code and name of the first few. */
  readonly examples: readonly string[]
}

const MAX_EXAMPLES = 5

/** The records that are new in a release, and have no children of an entity that the source does not provide. */
export async function recordsWithoutChildren(release: Release, provides: readonly string[], completion: Complement) {
  const found: WithoutChildren[] = []
  for (const [name, child] of release.catalog.entities) {
    if (provides.includes(name) || release.entity(name).count === 0) continue
    for (const [field, parent] of embedsOf(child)) {
      if (!provides.includes(parent.name) || !completion.provides.includes(parent.name)) continue
      const { starts } = release.entity(name).index.column(field)
      const labels = await newRecords(release, parent.name, completion, (at) => starts[at] === starts[at + 1])
      if (labels.length === 0) continue
      const examples = labels.slice(0, MAX_EXAMPLES)
      found.push({ collection: parent.plural, without: child.plural, count: labels.length, examples })
    }
  }
  return found
}

/** Official code and name of the records at some positions that what completes the release does not have. */
async function newRecords(
  release: Release,
  name: string,
  completion: Complement,
  isWanted: (position: number) => boolean,
): Promise<string[]> {
  const { definition, count } = release.entity(name)
  if (!Array.from({ length: count }, (_, at) => at).some(isWanted)) return []
  const knownCodes = await codesIn(completion, name)
  const rowsOf = await rowsInCode(definition, async (entity) => storedRows(release.entity(entity.name)))
  return [...rowsOf(name).values()].flatMap((row, position) => {
    const code = officialCode(definition, row, rowsOf)
    return isWanted(position) && !knownCodes(code) ? [`${code} ${row[nameFieldOf(definition)]}`] : []
  })
}

/** Returns a test for codes that the complement has; if its records are damaged, it may have all. */
async function codesIn(completion: Complement, name: string): Promise<(code: string) => boolean> {
  try {
    const definition = entityIn(completion.catalog, name)
    const rowsOf = await rowsOfCompletion(completion, name)
    const codes = new Set([...rowsOf(name).values()].map((row) => officialCode(definition, row, rowsOf)))
    return (code) => codes.has(code)
  } catch (error) {
    if (error instanceof DamagedRelease) return () => true
    throw error
  }
}
