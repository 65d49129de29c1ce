// The examples of docs/api-v2.md are run: what the document shows is what the bundled data gives.
import { setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { withResponses } from '../support/examples.ts'
import { expectGolden } from '../support/golden.ts'
import { asRecorded, recordedSource } from '../support/recorded-lists.ts'
import { TestHome } from '../support/releases.ts'
import { appOf, responseTo } from '../support/responses.ts'

setDefaultTimeout(180_000)

const DOCUMENT = join(import.meta.dir, '..', '..', 'docs', 'api-v2.md')

test('docs/api-v2.md shows the responses that the service gives', async () => {
  using home = new TestHome()
  await home.import(recordedSource())
  const release = asRecorded(home.current())
  const app = appOf(() => release, {
    store: home.store,
    policy: { baseUrl: 'https://catalogs.example.org', trustedProxies: undefined },
  })
  const document = await Bun.file(DOCUMENT).text()
  const written = await withResponses(document, async (request) => {
    const response = await responseTo(app, request, { peer: undefined, listeningUrl: 'http://127.0.0.1' })
    return { status: response.status, headers: response.headers, body: await response.text() }
  })
  await expectGolden(DOCUMENT, written)
})
