// The facts of records that a source names only in passing: those that are known of the same official code stay.
import { type Entity, embeddedAt, factsOf, type Values } from '../../catalog/entity.ts'
import type { Block, CodeReference, GivenRow } from '../../source/source.ts'
import { type Complement, rowsOfCompletion } from './completion.ts'
import { officialCode } from './official-code.ts'

/** The official code of a record that is referred to by its own; identifiers of other numberings mean nothing here. */
const codeOf = (entity: Entity, code: CodeReference): string =>
  entity.code
    .map((field) => {
      const part = code[field]
      return typeof part === 'object' ? codeOf(embeddedAt(entity, field), part) : part
    })
    .join('/')

/** Invented facts are known of no record but their own. */
export async function* withKnownFacts(
  blocks: AsyncIterable<Block> | Iterable<Block>,
  entity: Entity,
  completion: Complement,
): AsyncGenerator<Block> {
  const before = completion.catalog.entities.get(entity.name)
  const isKnown = before !== undefined && completion.provides.includes(entity.name) && !completion.origin.synthetic
  const known = new Map<string, Values>()
  if (isKnown) {
    const rowsOf = await rowsOfCompletion(completion, entity.name)
    for (const row of rowsOf(entity.name).values()) known.set(officialCode(before, row, rowsOf), row)
  }
  const facts = factsOf(entity).map(([name]) => name)
  const completed = (row: GivenRow): GivenRow => {
    const values = known.get(codeOf(entity, row)) ?? {}
    const missing = facts.filter((name) => row[name] === undefined && values[name] !== undefined)
    return { ...row, ...Object.fromEntries(missing.map((name) => [name, values[name] as string | number])) }
  }
  for await (const block of blocks) yield { ...block, rows: block.rows.map(completed) }
}
