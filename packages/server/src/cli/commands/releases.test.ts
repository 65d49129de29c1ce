// The releases that prune removes, and the words of releases verify for a damaged one.
import { expect, test } from 'bun:test'
import { appendFileSync, rmSync } from 'node:fs'
import { TestHome } from '../../../../../test/support/releases.ts'
import { damagedCacheFile } from '../../../../../test/support/server.ts'
import { countries, smallSource } from '../../../../../test/support/small-source.ts'
import { run } from '../run.ts'

const silent = { out: () => {}, err: () => {}, data: () => {}, interactive: false }
const command = (home: TestHome, ...argv: string[]) => run([...argv, '--home', home.path], {}, silent)

async function homeOfThree(): Promise<{ home: TestHome; digests: string[] }> {
  const home = new TestHome()
  const digests: string[] = []
  for (const count of [1, 2, 3]) {
    await home.import(smallSource({ pais: countries(count) }))
    digests.push(home.store.currentDigest() as string)
  }
  return { home, digests }
}

test('prune keeps the newest besides the current one, and never removes that', async () => {
  const { home, digests } = await homeOfThree()
  using _home = home
  const [first, second, third] = digests as [string, string, string]
  await command(home, 'activate', first)
  await command(home, 'releases', 'prune', '--keep', '1')
  expect(home.store.digests().toSorted()).toEqual([first, third].toSorted())
  expect(home.store.digests()).not.toContain(second)
  await command(home, 'releases', 'prune', '--keep', '0')
  expect([home.store.digests(), home.store.currentDigest()]).toEqual([[first], first])
})

test('verify fails for a single damaged release', async () => {
  const { home, digests } = await homeOfThree()
  using _home = home
  expect(await command(home, 'releases', 'verify')).toBe(0)
  appendFileSync(home.fileOf(digests[1] as string, 'pais', 'records'), 'x')
  await expect(command(home, 'releases', 'verify')).rejects.toThrow('1 of 3 releases are damaged')
})

test('verify fails for a damaged file of the cache, which is no fault of a release', async () => {
  const { home, digests } = await homeOfThree()
  using _home = home
  const path = await damagedCacheFile(home.path)
  const reason = await command(home, 'releases', 'verify').then(() => '', String)
  expect(reason).toContain('the cache is damaged')
  expect(await command(home, 'releases', 'verify', digests[0] as string)).toBe(0)
  rmSync(path)
  expect(await command(home, 'releases', 'verify')).toBe(0)
})
