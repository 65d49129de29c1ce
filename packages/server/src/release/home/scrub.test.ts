// The scrub finds damage that no size shows, tells of it until it is mended, and leaves the processor to others.
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestHome, ThreeReleases } from '../../../../../test/support/releases.ts'
import { eventually } from '../../../../../test/support/service.ts'
import type { LogEvent } from '../../base/log.ts'
import { ENTITY_MANIFEST_FILE, MANIFEST_FILE } from '../manifest.ts'
import { damageWords, Scrub, type ScrubState } from './scrub.ts'

setDefaultTimeout(180_000)

const model = await ThreeReleases.create()
afterAll(() => model[Symbol.dispose]())
const [a, b, c] = model.digests as [string, string, string]

let scrub: Scrub | undefined
afterEach(() => scrub?.[Symbol.dispose]())

function scrubbing(home: TestHome, rest: (worked: number) => Promise<void> = async () => {}) {
  const events: LogEvent[] = []
  const states: ScrubState[] = []
  scrub = new Scrub({
    store: home.store,
    log: (event) => events.push(event),
    onChange: (state) => states.push(state),
    rest,
  })
  return { scrub, events, states }
}

/** Changes a byte in the middle of a file, and nothing else of it. */
function alter(path: string): void {
  const bytes = readFileSync(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

const kinds = (events: readonly LogEvent[]) => events.map(({ event }) => event)

test('sound releases are sound, and each entity is read once', async () => {
  using home = model.copyTo(new TestHome(), a, b)
  let slices = 0
  const { scrub, events, states } = scrubbing(home, async () => {
    slices++
  })
  await scrub.run()
  expect(kinds(events)).toEqual(['scrub-ended'])
  expect(states).toEqual([{ damage: {}, sound: true, ended: expect.any(Number) }])
  const entities = readdirSync(join(home.path, 'entities'))
  const files = entities.flatMap((one) => readdirSync(home.store.entityDirectory(one)))
  expect(slices).toBe(files.filter((name) => name !== ENTITY_MANIFEST_FILE).length)
})

describe('an altered byte', () => {
  const FILES = ['records', 'offsets', 'etags', 'index', 'words'] as const

  test.each(FILES)('in %s is found, named with what to do, and forgotten when it is mended', async (file) => {
    using home = model.copyTo(new TestHome(), a)
    const path = home.fileOf(a, 'audiencia', file)
    copyFileSync(path, join(home.path, 'whole'))
    alter(path)
    const { scrub, events, states } = scrubbing(home)
    await scrub.run()
    const message = `the release is damaged: ${path} has other content than it was built with. It was left as it is; import its source again to replace it, or activate another release.`
    const damage = { [home.released(a, 'audiencia').digest]: message }
    expect(kinds(events)).toEqual(['damage-found', 'scrub-ended'])
    expect([states[0], states.at(-1)]).toEqual([
      { damage, sound: false, ended: 0 },
      { damage, sound: false, ended: expect.any(Number) },
    ])
    expect(damageWords(scrub.state)).toEqual([message])
    renameSync(join(home.path, 'whole'), path)
    await eventually('it is mended', () => Object.keys(scrub.state.damage).length === 0)
    expect([kinds(events).at(-1), scrub.state.sound]).toEqual(['damage-mended', true])
  })

  test('that is found again is told once', async () => {
    using home = model.copyTo(new TestHome(), a)
    alter(home.fileOf(a, 'audiencia', 'records'))
    const { scrub, events } = scrubbing(home)
    for (let times = 0; times < 3; times++) await scrub.run()
    expect(kinds(events).filter((kind) => kind !== 'scrub-ended')).toEqual(['damage-found'])
    expect(scrub.state.sound).toBe(false)
  })

  test('is found in the current release first, then in those before it, then in the others', async () => {
    using home = model.copyTo(new TestHome(), a, b)
    for (const digest of [a, b, c]) alter(home.fileOf(digest, 'audiencia', 'records'))
    const { scrub, states } = scrubbing(home)
    await scrub.run()
    expect(Object.keys(states.at(-1)?.damage ?? {})).toEqual(
      [b, a, c].map((one) => home.released(one, 'audiencia').digest),
    )
  })

  test('is found at once after a crash, and only in the current release', async () => {
    using home = model.copyTo(new TestHome(), a, b)
    for (const digest of [a, b]) alter(home.fileOf(digest, 'audiencia', 'records'))
    const { scrub, states } = scrubbing(home, () => Promise.reject(new Error('it rests')))
    await scrub.verifyCurrent()
    expect(states.map(({ damage }) => Object.keys(damage))).toEqual([[home.released(b, 'audiencia').digest]])
  })
})

describe('what is not damage', () => {
  test('a release that is removed meanwhile', async () => {
    using home = model.copyTo(new TestHome(), a)
    const { scrub, states } = scrubbing(home, async () => {
      if (home.store.digests().includes(c)) home.store.remove(c)
    })
    await scrub.run()
    expect(states.map(({ sound }) => sound)).toEqual([true])
  })

  test('a home that is gone meanwhile: nothing is known of it then', async () => {
    using home = model.copyTo(new TestHome(), a)
    const { scrub, events, states } = scrubbing(home, async () => {
      rmSync(home.path, { recursive: true, force: true })
    })
    await scrub.run()
    expect([events, states]).toEqual([[], []])
  })
})

test('damage that is removed with its release is forgotten', async () => {
  using home = model.copyTo(new TestHome(), a)
  alter(home.fileOf(c, 'audiencia', 'records'))
  const { scrub } = scrubbing(home)
  await scrub.run()
  expect(Object.keys(scrub.state.damage)).toHaveLength(1)
  home.store.remove(c)
  await eventually('it is forgotten', () => Object.keys(scrub.state.damage).length === 0)
})

test('a manifest that is not JSON is damage of its release', async () => {
  using home = model.copyTo(new TestHome(), a)
  writeFileSync(join(home.store.releaseDirectory(b), MANIFEST_FILE), '{')
  const { scrub } = scrubbing(home)
  await scrub.run()
  expect(Object.entries(scrub.state.damage)).toEqual([[b, expect.stringContaining('is not JSON')]])
})

test('it rests at least twenty times as long as it works, even where files are small', async () => {
  using home = model.copyTo(new TestHome(), a)
  let worked = 0
  let rested = 0
  const sleep = Bun.sleep
  // Waits are added up and not made.
  Bun.sleep = (milliseconds: number | Date) => {
    rested += Number(milliseconds)
    return Promise.resolve()
  }
  try {
    scrub = new Scrub({ store: home.store, log: () => {}, onChange: () => {} })
    // The time of the processor: whatever else the machine has to do is no work of the scrub.
    const before = process.cpuUsage()
    await scrub.run()
    const { user, system } = process.cpuUsage(before)
    worked = (user + system) / 1_000
  } finally {
    Bun.sleep = sleep
  }
  expect(worked / rested).toBeLessThan(0.05)
})

test.each([
  [0, 0, undefined],
  [5, 5, undefined],
  [6, 6, '1 more are damaged; see nomenclator releases verify'],
  [9, 6, '4 more are damaged; see nomenclator releases verify'],
])('of %i damages, %i lines are told', (count, lines, last) => {
  const damage = Object.fromEntries(Array.from({ length: count }, (_, at) => [`digest ${at}`, `damage ${at}`]))
  const told = damageWords({ damage, ended: 0 })
  expect(told).toHaveLength(lines)
  if (last !== undefined) expect(told.at(-1)).toBe(last)
})
