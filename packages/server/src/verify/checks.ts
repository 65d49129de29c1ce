// Every check there is, by its id: what docs/verify.md lists.
import { advice } from './advice.ts'
import type { Check } from './check.ts'
import { rules } from './rules.ts'

export const checks: readonly Check[] = [
  ...rules.map((rule) => ({ severity: 'rule', ...rule }) as const),
  ...advice.map((check) => ({ severity: 'advice', ...check }) as const),
]
