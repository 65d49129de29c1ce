// The flags of serve that limit what slow and many clients can take.
import { type BudgetLimits, DEFAULT_BUDGET, MEGABYTE } from '../../http/limits/budget.ts'
import { DEFAULT_THINKING, type ThinkLimits } from '../../http/processes/hand-over.ts'
import { type ValuesOf, wholeNumber } from './flags.ts'

/** How many times as long a request may take that has many rows, or gives a whole collection. */
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
  'max-thinking': {
    value: 'N',
    env: 'MAX_THINKING',
    description: 'requests of a process that take thought (searches, rows, downloads to be made) at a time',
    defaultValue: String(DEFAULT_THINKING.requests),
    parse: wholeNumber(1, MAX_COUNT),
  },
  'max-thinking-per-client': {
    value: 'N',
    env: 'MAX_THINKING_PER_CLIENT',
    description: 'of these from one client address',
    defaultValue: String(DEFAULT_THINKING.requestsPerClient),
    parse: wholeNumber(1, MAX_COUNT),
  },
  'max-thinking-mb': {
    value: 'MEGABYTES',
    env: 'MAX_THINKING_MB',
    description: 'memory of its own that a process that thinks may have before another takes its place',
    defaultValue: '300',
    parse: wholeNumber(50, MAX_COUNT),
  },
  'think-seconds': {
    value: 'SECONDS',
    env: 'THINK_SECONDS',
    description: `processor time that such a request may take; tables of rows and downloads may take ${LONG_TIMES} times as much`,
    defaultValue: '1',
    parse: wholeNumber(1, 3_600),
  },
} as const

export const thinkLimitsOf = (values: ValuesOf<typeof limitFlags>): ThinkLimits => ({
  requests: values['max-thinking'],
  requestsPerClient: values['max-thinking-per-client'],
  // A body is kept by the process that serves and by the one that thinks, and others are arriving.
  bytes: (values['max-unsent-mb'] * MEGABYTE) / 3,
  bytesPerClient: values['max-unsent-mb-per-client'] * MEGABYTE,
})

export const budgetLimitsOf = (values: ValuesOf<typeof limitFlags>): BudgetLimits => ({
  streams: values['max-streams'],
  streamsPerClient: values['max-streams-per-client'],
  bytes: values['max-unsent-mb'] * MEGABYTE,
  bytesPerClient: values['max-unsent-mb-per-client'] * MEGABYTE,
})
