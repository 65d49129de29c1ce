// API v1 is frozen: its answers are those on record, byte for byte.
import { expect, test } from 'bun:test'
import onRecord from './data/v1-answers.json' with { type: 'json' }
import { jumbled } from './support/jumbled-catalog.ts'
import { withFacts } from './support/known-facts.ts'
import { releaseOf } from './support/releases.ts'
import { serverOf } from './support/server.ts'
import { smallSource } from './support/small-source.ts'
import { recorded, requests } from './support/v1-requests.ts'

test.each([
  ['', jumbled],
  [' where facts are known', withFacts(jumbled)],
] as const)('every answer on record is given again%s', async (_where, rows) => {
  const release = await releaseOf(smallSource(rows))
  const server = serverOf(() => release)
  try {
    expect(onRecord.map(({ request }) => request)).toEqual([...requests])
    for (const { request, answer } of onRecord) expect(await recorded(server.url, request)).toBe(answer)
  } finally {
    await server.close()
  }
})
