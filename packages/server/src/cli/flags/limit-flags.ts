// The flags of serve that limit what slow and many clients can take.
import { type BudgetLimits, DEFAULT_BUDGET, MEGABYTE } from '../../http/limits/budget.ts'
import { type ComputeLimits, DEFAULT_COMPUTE_LIMITS } from '../../http/processes/hand-over.ts'
import { type ValuesOf, wholeNumber } from './flags.ts'

/** The factor by which the processor time is larger for a request that has many rows, or returns a whole collection. */
export const LONG_TIMES = 30
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
    description: 'streamed responses to one client address at a time',
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
  'max-compute': {
    value: 'N',
    env: 'MAX_COMPUTE',
    description: 'requests that a page worker hands over to compute workers at a time (searches, rows, new downloads)',
    defaultValue: String(DEFAULT_COMPUTE_LIMITS.requests),
    parse: wholeNumber(1, MAX_COUNT),
  },
  'max-compute-per-client': {
    value: 'N',
    env: 'MAX_COMPUTE_PER_CLIENT',
    description: 'handed over requests of one client address at a time',
    defaultValue: String(DEFAULT_COMPUTE_LIMITS.requestsPerClient),
    parse: wholeNumber(1, MAX_COUNT),
  },
  'max-compute-mb': {
    value: 'MEGABYTES',
    env: 'MAX_COMPUTE_MB',
    description: 'memory of its own that a compute worker may have before another takes its place',
    defaultValue: '300',
    parse: wholeNumber(50, MAX_COUNT),
  },
  'compute-seconds': {
    value: 'SECONDS',
    env: 'COMPUTE_SECONDS',
    description: `processor time of a request in a compute worker; tables of rows and downloads may use ${LONG_TIMES} times as much`,
    defaultValue: '1',
    parse: wholeNumber(1, 3_600),
  },
} as const

export const computeLimitsOf = (values: ValuesOf<typeof limitFlags>): ComputeLimits => ({
  requests: values['max-compute'],
  requestsPerClient: values['max-compute-per-client'],
  // A page worker and a compute worker each keep a body, and others are arriving.
  bytes: (values['max-unsent-mb'] * MEGABYTE) / 3,
  bytesPerClient: values['max-unsent-mb-per-client'] * MEGABYTE,
})

export const budgetLimitsOf = (values: ValuesOf<typeof limitFlags>): BudgetLimits => ({
  streams: values['max-streams'],
  streamsPerClient: values['max-streams-per-client'],
  bytes: values['max-unsent-mb'] * MEGABYTE,
  bytesPerClient: values['max-unsent-mb-per-client'] * MEGABYTE,
})
