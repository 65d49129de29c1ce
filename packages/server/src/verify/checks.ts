// Every check there is, by its id: what docs/verify.md lists.
import { adviceChecks } from './advice.ts'
import type { Check } from './check.ts'
import { rules } from './rules.ts'

export const checks: readonly Check[] = [...rules, ...adviceChecks]
