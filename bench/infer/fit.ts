// Fits the weights to labelled columns, near those that were set by hand: a conditional logit over the roles that a column may have.
import { type Column, inferredTable } from '../../packages/server/src/source/package/infer/columns.ts'
import type { KnownList } from '../../packages/server/src/source/package/infer/inference.ts'
import {
  type KeyedTable,
  knownTargets,
  relationsOf,
  sightsBesideKey,
  type Target,
  targetsIn,
} from '../../packages/server/src/source/package/infer/relations.ts'
import { relatedness } from '../../packages/server/src/source/package/infer/roles.ts'
import { ROLES, type Role, type Weights } from '../../packages/server/src/source/package/infer/score.ts'
import type { Case } from './labels.ts'
import { optionsOf } from './tally.ts'

/** A role that a column may have, with what is seen of it. */
type Option = { readonly role: Role; readonly sights: Readonly<Record<string, number>>; readonly isRight: boolean }
/** The options of one labelled column. */
export type Example = readonly Option[]

const folded = (name: string) =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}|[^a-z0-9]/gu, '')

/** The labelled columns of a list, with the labelled key. */
export function examplesOf({ list, descriptor, profiles }: Case, known: readonly KnownList[]): readonly Example[] {
  const outside = knownTargets(known)
  const tables = list.files.flatMap((file, at): KeyedTable[] => {
    const resource = descriptor.resources[at]
    const profile = resource && profiles.get(resource.name)
    if (resource === undefined || profile === undefined) return []
    const table = inferredTable(resource, profile, [])
    const first = file.header.filter((_, column) => optionsOf(file.labels[column] ?? '?')[0]?.roles[0] === 'key')
    const names = file.key?.[0] ?? first
    return [{ ...table, key: table.columns.filter(({ name }) => names.includes(name)) }]
  })
  const targets = [...tables.flatMap(targetsIn), ...outside]
  return tables.flatMap((table, at) => {
    const { header = [], labels = [] } = list.files[at] ?? {}
    return table.columns.flatMap((column): Example[] => {
      const label = labels[header.indexOf(column.name)] ?? '?'
      if (label.split('|').includes('?') || column.profile.values.length === 0) return []
      const example = optionsFor(column, table, targets, label)
      return example.some(({ isRight }) => isRight) ? [example] : []
    })
  })
}

function optionsFor(column: Column, table: KeyedTable, targets: readonly Target[], label: string): Example {
  const isKey = table.key.includes(column)
  const wanted = optionsOf(label).flatMap(({ roles }) => roles)
  const isWanted = (role: Role, target?: Target): boolean => {
    if (isKey) return role === 'key'
    if (role !== 'reference') return wanted.includes(role)
    const to = `reference:${folded(target?.resource ?? '')}`
    return wanted.some((one) => one.startsWith('reference:') && (one.startsWith(to) || to.startsWith(one)))
  }
  const relations = relationsOf(column, table, targets)
  const besides = { ...sightsBesideKey(column, table), related: relatedness(relations) }

  const plain = ROLES.filter((role) => role !== 'parent' && role !== 'reference').map(
    (role): Option => ({
      role,
      sights: role === 'key' ? column.sights : { ...column.sights, ...besides },
      isRight: isWanted(role),
    }),
  )
  const related = relations.map(({ target, sights }): Option => {
    const role = target.table?.resource === table.resource ? 'parent' : 'reference'
    return { role, sights: { ...column.sights, ...besides, ...sights }, isRight: isWanted(role, target) }
  })
  return [...plain, ...related]
}

const ROUNDS = 100
const RATE = 0.5
/** How strongly weights stay where the hand has set them, for each labelled column. */
const NEARNESS = 0.03

/** An option as the places of its weights, with what is seen of each. */
type Sparse = { readonly at: Int32Array; readonly seen: Float64Array; readonly isRight: boolean }

export function fitted(examples: readonly Example[], hand: Weights): Weights {
  const names = ROLES.flatMap((role) => Object.keys(hand[role]).map((sight) => ({ role, sight })))
  const places = new Map(names.map(({ role, sight }, at) => [`${role} ${sight}`, at]))
  const start = Float64Array.from(names, ({ role, sight }) => hand[role][sight] ?? 0)
  const sparse = examples.map((example) =>
    example.map(({ role, sights, isRight }): Sparse => {
      const seen = Object.entries(sights).filter(([sight, value]) => value !== 0 && places.has(`${role} ${sight}`))
      return {
        at: Int32Array.from(seen, ([sight]) => places.get(`${role} ${sight}`) as number),
        seen: Float64Array.from(seen, ([, value]) => value),
        isRight,
      }
    }),
  )
  const weights = start.slice()
  const squares = new Float64Array(weights.length)
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = gradientOf(sparse, weights)
    for (let at = 0; at < weights.length; at++) {
      const pull = NEARNESS * ((start[at] as number) - (weights[at] as number))
      const slope = (gradient[at] as number) / examples.length + pull
      squares[at] = (squares[at] as number) + slope ** 2
      weights[at] = (weights[at] as number) + (RATE * slope) / Math.sqrt((squares[at] as number) + 1e-6)
    }
  }
  const fittedTo = structuredClone(hand) as Record<Role, Record<string, number>>
  for (const [at, { role, sight }] of names.entries())
    fittedTo[role][sight] = Math.round(100 * (weights[at] as number)) / 100
  return fittedTo
}

/** The slope of the log-likelihood of the right roles. */
function gradientOf(examples: readonly (readonly Sparse[])[], weights: Float64Array): Float64Array {
  const gradient = new Float64Array(weights.length)
  for (const example of examples) {
    const scores = example.map(({ at, seen }) =>
      seen.reduce((sum, value, index) => sum + value * (weights[at[index] as number] as number), 0),
    )
    const best = Math.max(...scores)
    const odds = scores.map((score) => Math.exp(score - best))
    const all = odds.reduce((sum, one) => sum + one, 0)
    const right = odds.reduce((sum, one, index) => sum + (example[index]?.isRight === true ? one : 0), 0)
    for (const [index, { at, seen, isRight }] of example.entries()) {
      const pull = (isRight ? (odds[index] as number) / right : 0) - (odds[index] as number) / all
      if (Math.abs(pull) < 1e-6) continue
      for (let place = 0; place < at.length; place++)
        gradient[at[place] as number] = (gradient[at[place] as number] as number) + pull * (seen[place] as number)
    }
  }
  return gradient
}
