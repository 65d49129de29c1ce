// The cache of the real service: where it is, that workers share it, and that it lasts.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory, TestHome } from '../support/releases.ts'
import { eventually, Service, type ServiceOptions } from '../support/service.ts'
import { countries, smallSource } from '../support/small-source.ts'

setDefaultTimeout(180_000)

const home = new TestHome()
beforeAll(async () => {
  await home.import(smallSource({ pais: countries(3_000) }), { acceptChanges: true })
})
afterAll(() => home[Symbol.dispose]())

/** The headers that several clients get, each over a connection of its own, so that all workers have some. */
async function downloads(options: ServiceOptions): Promise<(string | null)[][]> {
  await using service = await Service.over(home, options)
  const headers: (string | null)[][] = []
  for (let client = 0; client < 12; client++) {
    const response = await fetch(`${service.url}/api/v2/paises/all`, {
      headers: { 'Accept-Encoding': 'gzip', Connection: 'close' },
      decompress: false,
    })
    const digest = new Bun.CryptoHasher('sha256').update(await response.arrayBuffer()).digest('base64')
    const header = (name: string) => response.headers.get(name)
    expect([`sha-256=:${digest}:`, null]).toContain(header('repr-digest'))
    headers.push([header('content-encoding'), header('etag'), header('repr-digest')])
  }
  return headers
}

test('all workers serve one file, and so does the service after a restart', async () => {
  using cache = new TestDirectory()
  const options = { flags: ['--workers', '2', '--cache', cache.path] }
  const headers = await downloads(options)
  expect(new Set(headers.map(String)).size).toBe(1)
  expect(readdirSync(cache.path)).toHaveLength(1)
  expect(await downloads(options)).toEqual(headers)
})

test('the cache is in the home, unless a variable says otherwise', async () => {
  await downloads({ flags: ['--workers', '1'] })
  expect(readdirSync(join(home.path, 'cache'))).toHaveLength(1)
  using cache = new TestDirectory()
  await downloads({ flags: ['--workers', '1'], env: { NOMENCLATOR_CACHE: cache.path } })
  expect(readdirSync(cache.path)).toHaveLength(1)
})

test('without a cache, or without a directory for it, downloads are not compressed', async () => {
  const [plain] = await downloads({ flags: ['--workers', '1'], env: { NOMENCLATOR_CACHE_SIZE: '0' } })
  expect([plain?.[0], plain?.[2]]).toEqual([null, null])
  using directory = new TestDirectory()
  writeFileSync(join(directory.path, 'file'), '')
  await using service = await Service.over(home, {
    flags: ['--workers', '1', '--cache', join(directory.path, 'file', 'cache')],
  })
  await eventually('it says so', () => service.said.err.includes('NO CACHE: '))
  expect((await fetch(`${service.url}/api/v2/paises/all`)).status).toBe(200)
})
