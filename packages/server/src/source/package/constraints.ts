// The constraints that a schema declares, as a check of the text of a value. A breach is reported; what is published stays.

import type { Constraints } from './descriptor.ts'
import { patternCheck } from './pattern.ts'

export type ConstraintCheck = {
  readonly isRequired: boolean
  /** What is expected instead; undefined where nothing is wrong. */
  readonly breach: (text: string) => string | undefined
}

type Check = (text: string) => string | undefined

/** Undefined where nothing is to be checked. */
export function constraintCheck(constraints: Constraints): ConstraintCheck | undefined {
  const checks = [
    ...patternChecks(constraints),
    ...enumChecks(constraints),
    ...lengthChecks(constraints),
    ...boundChecks(constraints),
    ...uniqueChecks(constraints),
  ]
  const isRequired = constraints.required === true
  if (checks.length === 0 && !isRequired) return undefined
  return {
    isRequired,
    breach: (text) => {
      for (const check of checks) {
        const expected = check(text)
        if (expected !== undefined) return expected
      }
      return undefined
    },
  }
}

function patternChecks({ pattern }: Constraints): Check[] {
  const matches = pattern === undefined ? undefined : patternCheck(pattern)
  return matches === undefined ? [] : [(text) => (matches(text) ? undefined : `the pattern ${pattern}`)]
}

const MAX_SHOWN = 10

function enumChecks({ enum: values }: Constraints): Check[] {
  if (values === undefined) return []
  const known = new Set(values)
  return [(text) => (known.has(text) ? undefined : `one of ${values.slice(0, MAX_SHOWN).join(', ')}`)]
}

function lengthChecks({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Constraints): Check[] {
  if (minLength === 0 && maxLength === Number.POSITIVE_INFINITY) return []
  return [
    (text) => {
      const { length } = [...text]
      return length >= minLength && length <= maxLength ? undefined : `${minLength} to ${maxLength} characters`
    },
  ]
}

/** Numbers are compared as numbers, dates and other texts as they are written. */
function boundChecks({ minimum, maximum }: Constraints): Check[] {
  const isBelow = (text: string, bound: string) => {
    const [value, limit] = [Number(text), Number(bound)]
    return Number.isFinite(value) && Number.isFinite(limit) ? value < limit : text < bound
  }
  return [
    ...(minimum === undefined ? [] : [(text: string) => (isBelow(text, minimum) ? `at least ${minimum}` : undefined)]),
    ...(maximum === undefined ? [] : [(text: string) => (isBelow(maximum, text) ? `at most ${maximum}` : undefined)]),
  ]
}

function uniqueChecks({ unique }: Constraints): Check[] {
  if (unique !== true) return []
  const seen = new Set<string>()
  return [
    (text) => {
      if (seen.has(text)) return 'a value that no row before it has'
      seen.add(text)
      return undefined
    },
  ]
}
