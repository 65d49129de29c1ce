// The command that harvests a server of API v1: what it takes, and when it keeps the pages that it has downloaded.
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runHere } from '../../../../../test/support/command.ts'
import { type Fault, plainV1 } from '../../../../../test/support/plain-v1.ts'
import { sourceOf, TestHome, tiny } from '../../../../../test/support/releases.ts'

/** A home with few records, from which the lists that are not harvested are completed. */
async function homeOfFew(): Promise<TestHome> {
  const home = new TestHome()
  await home.import(sourceOf(tiny))
  return home
}

/** The files of pages that are kept in a home. */
function keptPages({ path }: TestHome): string[] {
  const harvest = join(path, 'harvest')
  const names = existsSync(harvest) ? readdirSync(harvest, { recursive: true, encoding: 'utf8' }) : []
  return names.filter((name) => name.endsWith('.pages'))
}

async function harvested(home: TestHome, fault: Fault | undefined, ...flags: readonly string[]) {
  await using server = await plainV1(fault)
  const ran = await runHere('import', 'v1', server.url, '--home', home.path, ...flags)
  return { ...ran, requests: server.requests.map((head) => head.split('\r\n')[0] as string) }
}

const onAudiences =
  (change: (body: string) => string): Fault =>
  (response, { collection }) =>
    collection === 'audiencias' ? { ...response, body: change(response.body) } : response

describe('import v1', () => {
  test('makes a release of what it has harvested, and keeps no page', async () => {
    using home = new TestHome()
    const { code, out, requests } = await harvested(home, undefined, '--json')
    expect([code, keptPages(home)]).toEqual([0, []])
    expect(JSON.parse(out)).toMatchObject({ digest: home.store.currentDigest(), outcome: 'activated' })
    expect(requests.length).toBeGreaterThan(1)
  })

  test('takes only the collections that are named', async () => {
    using home = await homeOfFew()
    const { code, requests } = await harvested(home, undefined, '--only', 'audiencias', '--accept-changes')
    expect(code).toBe(0)
    expect(requests.filter((line) => !line.includes('/api/v1/audiencias?'))).toEqual([])
  })

  test('keeps the pages of a dry run for the import that follows it', async () => {
    using home = await homeOfFew()
    const before = home.store.currentDigest()
    const { code, out } = await harvested(home, undefined, '--only', 'audiencias', '--dry-run')
    expect([code, home.store.currentDigest()]).toEqual([0, before])
    expect(out).toStartWith('Dry run: release ')
    expect(keptPages(home)).not.toEqual([])
  })

  test('throws the pages away whose records are faulty, since they would be faulty again', async () => {
    using home = await homeOfFew()
    const before = home.store.currentDigest()
    const fault = onAudiences((body) => body.replace(/"idAudiencia":\d+/, '"idAudiencia":"x"'))
    const { code, err } = await harvested(home, fault, '--only', 'audiencias')
    expect([code, home.store.currentDigest()]).toEqual([1, before])
    expect(err).toContain('idAudiencia')
    expect(keptPages(home)).toEqual([])
  })
})
