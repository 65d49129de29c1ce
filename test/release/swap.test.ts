// A release that is activated while the service runs: noticed, swapped without a fault, and the old one let go.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nomenclator } from '../support/releases.ts'
import { eventually, SAME_LINKS, Service, startPages, TwoReleases, workersOf } from '../support/service.ts'
import { message, send } from '../support/wire.ts'
import { fairTrial } from '../torture/traffic.ts'

setDefaultTimeout(180_000)

const SWAPS = 10
const CONNECTIONS = 64
const home = await TwoReleases.create()
const [first, second] = home.digests
const targets = await home.targets()
let service: Service

beforeAll(async () => {
  service = await Service.over(home, { flags: ['--workers', '1', ...SAME_LINKS] })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

const swapped = (digest: string) =>
  service.line(new RegExp(`^\\[\\d+\\] Serving release ${digest.slice(0, 12)} from now on\\.$`))

async function swap(digest: string): Promise<void> {
  home.store.activate(digest)
  await swapped(digest)
}

/** Which release responds: that of every sampled page must be the same. */
async function served(): Promise<string | undefined> {
  const versions = await Promise.all(
    targets.map(async ({ target, versions }) => {
      const { status, body } = await send(service.url, message('GET', target, 'Host: a'))
      return versions.findIndex((version) => version.status === status && version.body === body)
    }),
  )
  return new Set(versions).size === 1 ? home.digests[versions[0] ?? -1] : undefined
}

/** The mapped files of releases, as the kernel lists them for the process. */
const mapped = () =>
  readFileSync(`/proc/${workersOf(service.pid)[0]}/maps`, 'utf8')
    .split('\n')
    .filter((line) => line.includes(join(home.path, 'entities')))

test('the two releases have no response in common', () => {
  for (const { versions } of targets) {
    const [one, other] = versions.map(({ headers, body }) => [body, headers.ETag, headers['X-Total']])
    for (const part of one ?? []) if (part !== undefined) expect(other).not.toContain(part)
  }
})

test('is noticed, forth and back', async () => {
  for (const digest of [second, first, second]) {
    await swap(digest)
    expect(await served()).toBe(digest)
  }
})

test('activate and rollback, as they are typed, reach it', async () => {
  await swap(first)
  expect(await nomenclator('activate', second.slice(0, 12), '--home', home.path)).toMatchObject({ code: 0 })
  await swapped(second)
  expect(await served()).toBe(second)
  expect(await nomenclator('rollback', '--home', home.path)).toMatchObject({ code: 0 })
  await swapped(first)
  expect(await served()).toBe(first)
})

test(`${SWAPS} times under ${CONNECTIONS} connections, no request fails and no response mixes two releases`, async () => {
  const report = await fairTrial(async () => {
    await using load = await startPages(service.url, CONNECTIONS, targets)
    for (let swaps = 0; swaps < SWAPS; swaps++) {
      await swap(home.store.currentDigest() === first ? second : first)
      // As many as there are connections may have been requested before.
      await load.more(2 * CONNECTIONS)
    }
    return await load.stop()
  })
  expect(report).toMatchObject({ failed: 0, limited: 0, closedByServer: 0, reasons: {} })
  const [ofFirst = 0, ofSecond = 0] = report.versions
  expect(ofFirst + ofSecond).toBe(report.completed)
  expect(Math.min(ofFirst, ofSecond)).toBeGreaterThan(CONNECTIONS)
})

test.skipIf(process.platform !== 'linux')('the files of releases that were swapped away are unmapped', async () => {
  for (const digest of [second, first]) {
    if (digest !== home.store.currentDigest()) await swap(digest)
    const once = new Set(mapped().map((line) => line.split(/\s+/).at(-1)))
    const entities = Object.values(home.current().manifest.entities).map((entity) => entity.digest)
    const isCurrent = (path = '') => entities.some((entity) => path.includes(entity))
    expect([...once].some(isCurrent)).toBe(true)
    await eventually('only the current release is mapped, and only once', () => {
      const files = mapped().map((line) => line.split(/\s+/).at(-1) ?? '')
      return files.every(isCurrent) && files.length === new Set(files).size
    })
  }
})

test('a release that cannot be opened is refused with the reason, and the one before goes on being served', async () => {
  if (home.store.currentDigest() !== first) await swap(first)
  const path = home.fileOf(second, 'audiencia', 'records')
  const whole = readFileSync(path)
  truncateSync(path, whole.length - 1)
  home.force(second)
  const [said] = await service.line(/^\[\d+\] Not swapped, the release before goes on being served: .*/)
  expect(said).toContain(`${path} has ${whole.length - 1} bytes instead of ${whole.length}`)
  expect(await served()).toBe(first)

  writeFileSync(path, whole)
  home.store.activate(second)
  await swapped(second)
  expect(await served()).toBe(second)
})
