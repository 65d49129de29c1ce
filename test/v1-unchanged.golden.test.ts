// API v1 is frozen: its responses are those on record, byte for byte.
import { test } from 'bun:test'
import { join } from 'node:path'
import { catalogOf } from '../src/catalog/catalog.ts'
import { entities } from '../src/catalog/entities.ts'
import { contractEntities } from './support/expected.ts'
import { expectGolden } from './support/golden.ts'
import { jumbled } from './support/jumbled-catalog.ts'
import { withFacts } from './support/known-facts.ts'
import { releaseOf, variantOf } from './support/releases.ts'
import { serverOf } from './support/server.ts'
import { smallSource } from './support/small-source.ts'
import { type Exchange, rawResponseTo, requests } from './support/v1-exchanges.ts'

const ON_RECORD = join(import.meta.dir, 'data', 'v1-responses.json')
/** Overviews and problems list what there is, so other collections would show in them. */
const catalog = catalogOf(contractEntities.map((name) => entities[name]))

test.each([
  ['', jumbled],
  [' where facts are known', withFacts(jumbled)],
] as const)('every response is the one on record%s', async (_where, rows) => {
  const release = variantOf(await releaseOf(smallSource(rows)), { catalog })
  const server = serverOf(() => release)
  try {
    const exchanges: Exchange[] = []
    for (const request of requests) exchanges.push({ request, response: await rawResponseTo(server.url, request) })
    await expectGolden(ON_RECORD, `${JSON.stringify(exchanges, null, 2)}\n`)
  } finally {
    await server.close()
  }
})
