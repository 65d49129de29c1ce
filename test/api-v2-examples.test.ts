// The examples of docs/api-v2.md are run: what the document shows is what the bundled data gives.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { createApp } from '../src/http/app.ts'
import { bundledSource } from '../src/source/bundled.ts'
import { answerLaterTo } from './support/answered.ts'
import { withAnswers } from './support/examples.ts'
import { TestHome } from './support/releases.ts'

setDefaultTimeout(60_000)

const DOCUMENT = join(import.meta.dir, '..', 'docs', 'api-v2.md')

test('docs/api-v2.md shows the answers that are given; WRITE_EXAMPLES=1 writes them anew', async () => {
  using home = new TestHome()
  await home.import(bundledSource())
  const release = home.current()
  const app = createApp({
    release: () => release,
    shelf: home.shelf,
    policy: { baseUrl: 'https://catalogs.example.org', trustedProxies: undefined },
    logError: (error) => {
      throw error
    },
  })
  const document = await Bun.file(DOCUMENT).text()
  const written = await withAnswers(document, async (question) => {
    const response = await answerLaterTo(app, question, { peer: undefined, listeningUrl: 'http://127.0.0.1' })
    return { status: response.status, headers: response.headers, body: await response.text() }
  })
  if (process.env.WRITE_EXAMPLES === '1') await Bun.write(DOCUMENT, written)
  else expect(document).toBe(written)
})
