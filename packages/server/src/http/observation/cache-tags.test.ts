// A response that may be cached has the tags of its release; one that follows the current release has one more, by which it is purged.
import { afterAll, expect, test } from 'bun:test'
import { ThreeReleases } from '../../../../../test/support/releases.ts'
import { appOf, responseTo } from '../../../../../test/support/responses.ts'
import { withCacheTags } from './cache-tags.ts'

const three = await ThreeReleases.create()
afterAll(() => three[Symbol.dispose]())
const [a, , c] = three.digests as [string, string, string]
const release = three.current()
const app = appOf(() => release, { store: three.store })
const tag = (digest: string) => `release-${digest.slice(0, 12)}`

test.each<[string, string | null]>([
  ['/api/v1/paises', `${tag(c)} current`],
  ['/api/v1', `${tag(c)} current`],
  ['/api/v2/paises', `${tag(c)} current`],
  [`/api/v2/paises?release=${a}`, tag(a)],
  [`/api/v2/paises?release=${a.slice(0, 8)}`, `${tag(a)} current`],
  [`/api/v2/paises/all?release=${c}`, tag(c)],
  [`/api/v2/releases/${a}/checksums`, tag(a)],
  ['/api/v2/releases', `${tag(c)} current`],
  ['/api/v1/nothing', null],
  ['/api/v2/paises?page=999', null],
  ['/api/v2/paises?page=0', null],
])('%s has %p', async (target, tags) => {
  const plain = await responseTo(app, { target })
  const { headers } = await responseTo(
    withCacheTags(app, () => release),
    { target },
  )
  expect([headers.get('Surrogate-Key'), headers.get('Cache-Tag')]).toEqual([tags, tags?.replace(' ', ',') ?? null])
  // Nothing else is another, and without the flag there are none.
  for (const name of ['Surrogate-Key', 'Cache-Tag']) headers.delete(name)
  expect([...headers]).toEqual([...plain.headers])
})

test.each([
  ['a problem, whatever else it says', 404, ''],
  ['what must not be stored', 200, 'Cache-Control: no-store\r\n'],
])('%s has no tags', async (_name, status, head) => {
  const tagged = withCacheTags(
    () => ({ status, head, body: undefined }),
    () => release,
  )
  const { headers } = await responseTo(tagged, { target: '/explore' })
  expect([headers.get('Surrogate-Key'), headers.get('Cache-Tag')]).toEqual([null, null])
})
