// All checks: every sentence with the functions that check it.
import { advice } from './advice.ts'
import { cachingAdvice } from './caching-advice.ts'
import type { Check, CheckFunctions } from './check.ts'
import { linkRules } from './link-rules.ts'
import { pageRules, recordChecks } from './page-rules.ts'
import { requestRules } from './request-rules.ts'
import { ADVICE, RULES } from './sentences.ts'

const functions: Readonly<Record<keyof typeof RULES | keyof typeof ADVICE, CheckFunctions>> = {
  ...pageRules,
  ...recordChecks,
  ...linkRules,
  ...requestRules,
  ...advice,
  ...cachingAdvice,
}

const rules = Object.keys(RULES) as (keyof typeof RULES)[]
const advised = Object.keys(ADVICE) as (keyof typeof ADVICE)[]

/** The checks in the order of docs/verify.md. */
export const checks: readonly Check[] = [
  ...rules.map((id) => ({ id, severity: 'rule', rule: RULES[id], ...functions[id] }) as const),
  ...advised.map((id) => ({ id, severity: 'advice', rule: ADVICE[id], ...functions[id] }) as const),
]
