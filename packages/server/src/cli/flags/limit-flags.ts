// The flags of serve that limit what slow and many clients can take.
import { type BudgetLimits, DEFAULT_BUDGET, MEGABYTE } from '../../http/limits/budget.ts'
import { type ValuesOf, wholeNumber } from './flags.ts'

const MAX_COUNT = 1_000_000

export const limitFlags = {
  'max-connections': {
    value: 'N',
    env: 'MAX_CONNECTIONS',
    description: 'connections of a process; default is three quarters of its limit on open files',
    parse: wholeNumber(1, MAX_COUNT),
  },
  'max-streams': {
    value: 'N',
    env: 'MAX_STREAMS',
    description: 'responses that a process streams at a time',
    defaultValue: String(DEFAULT_BUDGET.streams),
    parse: wholeNumber(1, MAX_COUNT),
  },
  'max-streams-per-client': {
    value: 'N',
    env: 'MAX_STREAMS_PER_CLIENT',
    description: 'of these to one client address',
    defaultValue: String(DEFAULT_BUDGET.streamsPerClient),
    parse: wholeNumber(1, MAX_COUNT),
  },
  'max-unsent-mb': {
    value: 'MEGABYTES',
    env: 'MAX_UNSENT_MB',
    description: 'how much a process keeps for clients that have not read it',
    defaultValue: String(DEFAULT_BUDGET.bytes / MEGABYTE),
    parse: wholeNumber(1, MAX_COUNT),
  },
  'max-unsent-mb-per-client': {
    value: 'MEGABYTES',
    env: 'MAX_UNSENT_MB_PER_CLIENT',
    description: 'of these for one client address',
    defaultValue: String(DEFAULT_BUDGET.bytesPerClient / MEGABYTE),
    parse: wholeNumber(1, MAX_COUNT),
  },
} as const

export const budgetLimitsOf = (values: ValuesOf<typeof limitFlags>): BudgetLimits => ({
  streams: values['max-streams'],
  streamsPerClient: values['max-streams-per-client'],
  bytes: values['max-unsent-mb'] * MEGABYTE,
  bytesPerClient: values['max-unsent-mb-per-client'] * MEGABYTE,
})
