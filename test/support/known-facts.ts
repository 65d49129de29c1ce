// Rows with some of their facts, drawn from the definitions.
import fc from 'fast-check'
import { entityIn } from '../../packages/server/src/catalog/catalog.ts'
import { type FactField, type FactValue, factsOf } from '../../packages/server/src/catalog/entity.ts'
import { isNameFact } from '../../packages/server/src/catalog/languages/languages.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import type { Rows } from './releases.ts'

/** Few values, so that many records have the same, and the outermost among them. */
const DISTINCT = 6

/** Names are searched, and random letters would abbreviate others. */
const NAMES = ['Logic', 'Topology', 'Number theory', 'Ethics', 'Logic and ethics', 'Dialectics']

function valuesOf(fact: FactField): FactValue[] {
  if (isNameFact(fact)) return NAMES
  if (fact.type === 'text') return fc.sample(fc.stringMatching(fact.pattern), { seed: 1, numRuns: DISTINCT })
  const step = (fact.max - fact.min) / DISTINCT
  const inner = Array.from({ length: DISTINCT }, (_, at) => fact.min + step * (at + 1) * 0.97)
  return [fact.min, fact.max, 0, ...(fact.type === 'integer' ? inner.map(Math.round) : inner)]
}

/** Every third row has a fact unknown, another one for each fact; and every seventh all of them. */
export function withFacts(rowsByName: Rows): Rows {
  const entries = Object.entries(rowsByName).map(([name, rows]) => {
    const facts = factsOf(entityIn(builtInCatalog, name)).map(([fact, field]) => [fact, valuesOf(field)] as const)
    const known = rows.map((row, at) => {
      const some = facts.flatMap(([fact, values], which) =>
        at % 7 === 0 || (at + which) % 3 === 0 ? [] : [[fact, values[(at * 5 + which) % values.length] as FactValue]],
      )
      return { ...row, ...Object.fromEntries(some) }
    })
    return [name, known]
  })
  return Object.fromEntries(entries)
}
