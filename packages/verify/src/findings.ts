// A finding: what came where something else was expected.
import { printable } from './printable.ts'

export type RuleFinding = {
  /** The request, where it is not the one that was checked. */
  readonly request?: string | undefined
  readonly came: string
  /** Absent in a finding of advice, of which the check says enough. */
  readonly expected?: string | undefined
}

/** Empty if nothing is wrong; undefined if there was nothing to check. */
export type RuleFindings = readonly RuleFinding[] | undefined

/** Returns a finding unless a condition holds. */
export const unless = (holds: boolean, came: string, expected?: string, request?: string): readonly RuleFinding[] =>
  holds ? [] : [{ came, expected, request }]

export const headerCame = (name: string, value: string | undefined) =>
  value === undefined ? `no ${name}` : `${name}: ${printable(value)}`
