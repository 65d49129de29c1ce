// The state that the connections of a server share, for a connection over a fake socket.

import { Budget, type BudgetLimits, DEFAULT_BUDGET } from '../../packages/server/src/http/limits/budget.ts'
import { Metrics } from '../../packages/server/src/http/observation/metrics.ts'
import { ReadQueue } from '../../packages/server/src/http/wire/read-queue.ts'
import type { Handler, ServerState } from '../../packages/server/src/http/wire/server-state.ts'
import { Turns } from '../../packages/server/src/http/wire/turns.ts'

export const serverState = (
  handler: Handler,
  { limits = {}, metrics = new Metrics() }: { limits?: Partial<BudgetLimits>; metrics?: Metrics } = {},
): ServerState => ({
  handler,
  budget: new Budget({ ...DEFAULT_BUDGET, ...limits }, metrics),
  // Everything is done at once.
  turns: new Turns(Number.POSITIVE_INFINITY),
  largeReads: new ReadQueue(),
  url: 'http://127.0.0.1:80',
  clock: { milliseconds: 0, date: 'now' },
  requestMilliseconds: 15_000,
  draining: false,
  responsesPaused: false,
  onClosed: () => {},
  chunksReceived: 0,
})
