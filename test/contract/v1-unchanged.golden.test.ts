// API v1 is frozen: its responses are those on record, byte for byte.
import { test } from 'bun:test'
import { join } from 'node:path'
import { catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import type { App } from '../../packages/server/src/http/app.ts'
import { RateTable, rateLimited } from '../../packages/server/src/http/limits/rate-limit.ts'
import { Metrics } from '../../packages/server/src/http/observation/metrics.ts'
import { observed } from '../../packages/server/src/http/observation/observed-app.ts'
import { builtIn } from '../support/built-in.ts'
import { contractEntities } from '../support/expected.ts'
import { expectGolden } from '../support/golden.ts'
import { jumbled } from '../support/jumbled-catalog.ts'
import { withFacts } from '../support/known-facts.ts'
import { type Rows, releaseOf, variantOf } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { smallSource } from '../support/small-source.ts'
import { type Exchange, rawResponseTo, requests } from '../support/v1-exchanges.ts'

const ON_RECORD = join(import.meta.dir, '..', 'data', 'v1-responses.json')
/** Overviews and problems list what there is, so other collections would show in them. */
const catalog = catalogOf(contractEntities.map((name) => builtIn(name)))

function observedAndLimited(app: App): App {
  const metrics = new Metrics()
  const policy = { trustedProxies: undefined }
  const limit = { requests: 1_000_000, windowSeconds: 1 }
  const limited = rateLimited(app, { limit, table: RateTable.ofOneProcess(), policy, metrics })
  return observed(limited, { metrics, log: () => {}, policy, accessLog: undefined, slowMilliseconds: 1 })
}

test.each<[string, Rows, ((app: App) => App) | undefined]>([
  ['', jumbled, undefined],
  [' where facts are known', withFacts(jumbled), undefined],
  [' when it is counted, logged and limited', jumbled, observedAndLimited],
])('every response is the one on record%s', async (_where, rows, wrapped) => {
  const release = variantOf(await releaseOf(smallSource(rows)), { catalog })
  const server = serverOf(() => release, {}, undefined, wrapped)
  try {
    const exchanges: Exchange[] = []
    for (const request of requests) exchanges.push({ request, response: await rawResponseTo(server.url, request) })
    await expectGolden(ON_RECORD, `${JSON.stringify(exchanges, null, 2)}\n`)
  } finally {
    await server.close()
  }
})
