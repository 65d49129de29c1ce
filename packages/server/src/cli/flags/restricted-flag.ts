// The flag of commands that pass releases on: also the lists whose licence forbids that to others.
import { yes } from './flags.ts'
import { switchOf } from './serve-values.ts'

const description = 'also give lists whose licence forbids to pass them on, to machines of the same institution'

export const restrictedFlag = { 'include-restricted': { description, parse: yes } } as const

/** An export has no variable: it would pass on what only the service was to. */
export const servesRestrictedFlag = {
  'include-restricted': switchOf('INCLUDE_RESTRICTED', description),
} as const
