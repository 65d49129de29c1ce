// All checks: every sentence with the functions that check it.
import { advice } from './advice.ts'
import type { Check, ChecksById, Severity } from './check.ts'
import { linkRules } from './link-rules.ts'
import { pageRules, recordChecks } from './page-rules.ts'
import { requestRules } from './request-rules.ts'
import { ADVICE, RULES } from './sentences.ts'

const functions: ChecksById<keyof typeof RULES | keyof typeof ADVICE> = {
  ...pageRules,
  ...recordChecks,
  ...linkRules,
  ...requestRules,
  ...advice,
}

const checksOf = (severity: Severity, sentences: typeof RULES | typeof ADVICE): readonly Check[] =>
  Object.entries(sentences).map(([id, rule]) => ({ id, severity, rule, ...functions[id as keyof typeof functions] }))

/** The checks in the order of docs/verify.md. */
export const checks: readonly Check[] = [...checksOf('rule', RULES), ...checksOf('advice', ADVICE)]
