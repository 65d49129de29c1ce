// What each sight pays for each role: one table of weights, and the place that adds them up.
import type { Column, Sights } from './columns.ts'
import weights from './weights.json' with { type: 'json' }

export type Role = keyof typeof weights
export type Weights = Readonly<Record<Role, Readonly<Record<string, number>>>>
export const WEIGHTS: Weights = weights
export const ROLES = Object.keys(weights) as readonly Role[]

/** The score of a role for a column, in the units of a logit. `more` are sights of the column and another list together. */
function scoreOf(role: Role, { sights }: Column, more: Sights = {}, table: Weights = WEIGHTS): number {
  let sum = 0
  for (const [sight, weight] of Object.entries(table[role])) sum += weight * (more[sight] ?? sights[sight] ?? 0)
  return sum
}

/** How much more likely a role is than that a column is a plain value. */
export const marginOf = (role: Role, column: Column, more?: Sights, table?: Weights): number =>
  scoreOf(role, column, more, table) - scoreOf('value', column, {}, table)
