// The flags of serve that limit what slow and many clients can take.
import { type BudgetLimits, DEFAULT_BUDGET, MEGABYTE } from '../../http/limits/budget.ts'
import { type ComputeLimits, DEFAULT_COMPUTE_LIMITS } from '../../http/processes/hand-over.ts'
import { type ValuesOf, wholeNumber } from './flags.ts'

/** The factor by which the processor time is larger for a request that has many rows, or returns a whole collection. */
export const LONG_TIMES = 30
const MAX_COUNT = 1_000_000

const amountOf = (value: string) => (env: string, description: string, defaultAmount: number) =>
  ({ value, env, description, defaultValue: String(defaultAmount), parse: wholeNumber(1, MAX_COUNT) }) as const
const count = amountOf('N')
const megabytes = amountOf('MEGABYTES')

export const limitFlags = {
  'max-connections': {
    value: 'N',
    env: 'MAX_CONNECTIONS',
    description: 'connections of a process; default is three quarters of its limit on open files',
    parse: wholeNumber(1, MAX_COUNT),
  },
  'max-streams': count('MAX_STREAMS', 'responses that a process streams at a time', DEFAULT_BUDGET.streams),
  'max-streams-per-client': count(
    'MAX_STREAMS_PER_CLIENT',
    'streamed responses to one client address at a time',
    DEFAULT_BUDGET.streamsPerClient,
  ),
  'max-unsent-mb': megabytes(
    'MAX_UNSENT_MB',
    'how much a process keeps for clients that have not read it',
    DEFAULT_BUDGET.bytes / MEGABYTE,
  ),
  'max-unsent-mb-per-client': megabytes(
    'MAX_UNSENT_MB_PER_CLIENT',
    'of these for one client address',
    DEFAULT_BUDGET.bytesPerClient / MEGABYTE,
  ),
  'max-compute': count(
    'MAX_COMPUTE',
    'requests that a page worker hands over to compute workers at a time (searches, rows, new downloads)',
    DEFAULT_COMPUTE_LIMITS.requests,
  ),
  'max-compute-per-client': count(
    'MAX_COMPUTE_PER_CLIENT',
    'handed over requests of one client address at a time',
    DEFAULT_COMPUTE_LIMITS.requestsPerClient,
  ),
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
