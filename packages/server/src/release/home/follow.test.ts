// A server that follows the current release has the next one as soon as it is activated, and keeps the last one that is sound.
import { afterAll, describe, expect, jest, setDefaultTimeout, spyOn, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { IRREGULAR } from '../../../../../test/support/irregular-files.ts'
import { TestHome, ThreeReleases } from '../../../../../test/support/releases.ts'
import { type Following, followCurrent } from './follow.ts'
import { type Damage, noDamage, openReleaseToServe, type ReleaseToServe } from './release-to-serve.ts'

setDefaultTimeout(180_000)

const model = await ThreeReleases.create()
afterAll(() => model[Symbol.dispose]())
const [a, b, c] = model.digests as [string, string, string]
const POLL_MILLISECONDS = 1_000

/** For as long as it is there, time passes only by `pollOnce`. */
class ClockInHand implements Disposable {
  constructor() {
    jest.useFakeTimers()
  }

  [Symbol.dispose](): void {
    jest.useRealTimers()
  }
}
const pollOnce = () => jest.advanceTimersByTime(POLL_MILLISECONDS)
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A home in which the first of three releases is current and followed. */
class Followed extends TestHome {
  readonly following: Following
  readonly events: string[] = []
  damage: Damage = noDamage
  #awaited: (() => void) | undefined

  constructor({ isReported = true } = {}) {
    super()
    model.copyTo(this, a)
    this.following = followCurrent(
      this.store,
      { release: this.store.open(a) },
      {
        onSwap: ({ manifest }) => this.#note(`swapped to ${manifest.digest}`),
        log: ({ event, message }) => {
          if (event !== 'release-swapped') this.#note(`${event}: ${message}`)
        },
        damage: () => this.damage,
        ...(isReported ? {} : { watch: () => ({ close: () => {} }) }),
      },
    )
  }

  get served(): string {
    const { manifest, entity } = this.following.release()
    return `${manifest.digest} ${new TextDecoder().decode(entity('audiencia').records.page(0)).match(/"descCorta":"(.*?)"/)?.[1]}`
  }

  async until(event: string | RegExp): Promise<void> {
    const happened = () => this.events.some((one) => (typeof event === 'string' ? one === event : event.test(one)))
    while (!happened()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#awaited = resolve
      await promise
    }
  }

  /** Makes a release current without a look at it, as a release may be damaged afterwards. */
  force(digest: string): void {
    writeFileSync(`${this.store.currentFile}.next`, `${digest}\n`)
    renameSync(`${this.store.currentFile}.next`, this.store.currentFile)
  }

  hide(digest: string): void {
    renameSync(this.store.releaseDirectory(digest), join(this.path, 'hidden'))
  }

  show(digest: string): void {
    renameSync(join(this.path, 'hidden'), this.store.releaseDirectory(digest))
  }

  override [Symbol.dispose](): void {
    this.following[Symbol.dispose]()
    super[Symbol.dispose]()
  }

  #note(event: string): void {
    this.events.push(event)
    this.#awaited?.()
  }
}

test('the release that was there first is served until another is activated', async () => {
  using home = new Followed()
  expect(home.served).toBe(`${a} Uno`)
  home.store.activate(b)
  await home.until(`swapped to ${b}`)
  expect(home.served).toBe(`${b} Dos`)
  expect(home.events).toEqual([`swapped to ${b}`])
})

test('the same release that is built again before the first look is served', async () => {
  using home = new Followed()
  const path = join(home.store.releaseDirectory(a), 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...manifest, built: '2001-01-01T00:00:00.000Z' }))
  await home.until(`swapped to ${a}`)
  expect(home.following.release().manifest.built).toBe('2001-01-01T00:00:00.000Z')
})

test('every activation is followed as soon as the system reports it, and so is a rollback', async () => {
  using _clock = new ClockInHand()
  using home = new Followed()
  await home.following.look()
  for (const digest of [b, c, a]) {
    home.store.activate(digest)
    await home.until(`swapped to ${digest}`)
  }
  home.events.length = 0
  home.store.rollback()
  await home.until(`swapped to ${c}`)
  expect(home.served).toBe(`${c} Tres`)
})

test('what was handed out before a swap can still be read after it', async () => {
  using home = new Followed()
  const { records } = home.following.release().entity('audiencia')
  home.store.activate(b)
  await home.until(`swapped to ${b}`)
  home.store.remove(a)
  Bun.gc(true)
  expect(new TextDecoder().decode(records.page(0))).toContain('"descCorta":"Uno"')
})

describe('a release that cannot be opened', () => {
  const missing = /^release-refused: Not swapped, .*: the release is damaged: .*manifest\.json is missing/

  test('is refused with the reason, and the one before goes on being served', async () => {
    using home = new Followed()
    home.hide(b)
    home.force(b)
    await home.until(missing)
    expect(home.served).toBe(`${a} Uno`)
  })

  test('does not stand in the way of the next', async () => {
    using home = new Followed()
    home.hide(b)
    home.force(b)
    await home.until(missing)
    home.store.activate(c)
    await home.until(`swapped to ${c}`)
    expect(home.served).toBe(`${c} Tres`)
  })

  test('is served once it is mended and activated again', async () => {
    using home = new Followed()
    home.hide(b)
    home.force(b)
    await home.until(missing)
    home.show(b)
    home.store.activate(b)
    await home.until(`swapped to ${b}`)
    expect(home.served).toBe(`${b} Dos`)
  })
})

test('a release that is built and activated anew under the same digest is opened anew', async () => {
  using home = new Followed()
  // By then it knows which files are open.
  await home.following.look()
  const path = home.fileOf(a, 'audiencia', 'records')
  writeFileSync(path, readFileSync(path, 'utf8').replace('Uno', 'Unx'))
  // A mapped file shows the damage at once.
  expect(home.served).toBe(`${a} Unx`)
  await home.import(ThreeReleases.source('Uno'))
  await home.until(`swapped to ${a}`)
  expect(home.served).toBe(`${a} Uno`)
})

describe('a look at the release that is served', () => {
  const rewritten = (home: Followed, change: (manifest: object) => object, digest = a) => {
    const path = join(home.store.releaseDirectory(digest), 'manifest.json')
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))))
  }

  test.each<[string, (home: Followed) => void, string[]]>([
    ['finds it as it was', () => {}, []],
    [
      'finds its file in the place of another',
      (home) => {
        const path = home.fileOf(a, 'audiencia', 'records')
        writeFileSync(`${path}.other`, readFileSync(path))
        renameSync(`${path}.other`, path)
      },
      [`swapped to ${a}`],
    ],
    [
      'finds that it was built again',
      (home) => rewritten(home, (manifest) => ({ ...manifest, built: '2099-01-01T00:00:00.000Z' })),
      [`swapped to ${a}`],
    ],
    ['finds only its manifest written again', (home) => rewritten(home, (manifest) => manifest), []],
    ['finds another', (home) => home.force(b), [`swapped to ${b}`]],
    [
      'finds another that was built at the same moment',
      (home) => {
        const { built } = home.following.release().manifest
        rewritten(home, (manifest) => ({ ...manifest, built }), b)
        home.force(b)
      },
      [`swapped to ${b}`],
    ],
  ])('%s', async (_, change, events) => {
    using _clock = new ClockInHand()
    using home = new Followed()
    await home.following.look()
    change(home)
    await home.following.look()
    expect(home.events).toEqual(events)
    await home.following.look()
    expect(home.events).toEqual(events)
  })
})

describe('a home that is gone', () => {
  const away = (home: Followed) => `${home.path}-away`
  const gone = /^home-gone: THE HOME IS GONE, release [0-9a-f]{12} goes on being served: .*current is missing/
  const returned = 'home-returned: The home is there again.'

  test.each<[string, (home: Followed) => void, (home: Followed) => void]>([
    [
      'under another name',
      (home) => renameSync(home.path, away(home)),
      (home) => {
        rmSync(home.path, { recursive: true, force: true })
        renameSync(away(home), home.path)
      },
    ],
    [
      'with an empty directory in its place',
      (home) => {
        renameSync(home.path, away(home))
        mkdirSync(home.path)
      },
      (home) => {
        rmSync(home.path, { recursive: true })
        renameSync(away(home), home.path)
      },
    ],
    [
      'but for its releases',
      (home) => renameSync(home.store.currentFile, join(home.path, 'other')),
      (home) => renameSync(join(home.path, 'other'), home.store.currentFile),
    ],
  ])('%s: what was served is kept, and the home is followed again', async (_, hide, show) => {
    using _clock = new ClockInHand()
    using home = new Followed()
    hide(home)
    pollOnce()
    await home.until(gone)
    expect([home.served, home.following.degraded()]).toEqual([
      `${a} Uno`,
      [expect.stringContaining('THE HOME IS GONE')],
    ])
    show(home)
    pollOnce()
    await home.until(returned)
    expect(home.following.degraded()).toEqual([])
    // The clock stands still, so only a report of the change can lead to this.
    home.store.activate(b)
    await home.until(`swapped to ${b}`)
    expect(home.served).toBe(`${b} Dos`)
  })

  test('that comes back as a copy with another release is followed, and watched', async () => {
    using _clock = new ClockInHand()
    using home = new Followed()
    renameSync(home.path, away(home))
    pollOnce()
    await home.until(gone)
    cpSync(away(home), home.path, { recursive: true })
    home.store.activate(c)
    pollOnce()
    await home.until(`swapped to ${c}`)
    await home.until(returned)
    home.store.activate(b)
    await home.until(`swapped to ${b}`)
    expect(home.served).toBe(`${b} Dos`)
    // Not before, since its end is reported too, to whoever still watches the old directory.
    rmSync(away(home), { recursive: true })
  })
})

describe('a home that blocks', () => {
  test.each(Object.entries(IRREGULAR))(
    '%s as its current file: what was served is kept, and the home is followed again',
    async (_, make) => {
      using home = new Followed()
      const { currentFile } = home.store
      renameSync(currentFile, `${currentFile}.away`)
      await make(currentFile)
      await home.until(/^current-unreadable: NOBODY KNOWS WHICH RELEASE IS CURRENT, .*current is not a regular file/)
      expect([home.served, home.following.degraded().length]).toEqual([`${a} Uno`, 1])
      rmSync(currentFile, { recursive: true })
      renameSync(`${currentFile}.away`, currentFile)
      home.store.activate(b)
      await home.until(`swapped to ${b}`)
      await home.following.look()
      expect(home.following.degraded()).toEqual([])
    },
  )

  test('is told after three seconds, and looked at again only when it responds', async () => {
    using _clock = new ClockInHand()
    using home = new Followed({ isReported: false })
    await home.following.look()
    const response = Promise.withResolvers<string[]>()
    using history = spyOn(home.store, 'historyAsync').mockReturnValue(response.promise)
    const polls = async (count: number) => {
      for (let poll = 0; poll < count; poll++) {
        pollOnce()
        await nextTurn()
      }
    }
    pollOnce()
    while (history.mock.calls.length === 0) await nextTurn()
    await polls(2)
    expect([home.served, home.following.degraded()]).toEqual([`${a} Uno`, []])
    await polls(10)
    expect([home.served, home.following.degraded(), history.mock.calls.length]).toEqual([
      `${a} Uno`,
      [
        `THE HOME DOES NOT RESPOND, release ${a.slice(0, 12)} goes on being served: a look at ${home.path} has not ended after 3 s`,
      ],
      1,
    ])
    response.resolve([b])
    await home.until('home-responds: The home responds again.')
    expect([home.served, home.following.degraded()]).toEqual([`${b} Dos`, []])
  })
})

describe('damage to the release that is served', () => {
  const earlier = (digest: string) =>
    new RegExp(`^earlier-release-served: AN EARLIER RELEASE IS SERVED: ${digest.slice(0, 12)}`)

  test('a file that is cut short: the one before is served, and again the current one when it is mended', async () => {
    using home = new Followed()
    for (const digest of [c, b]) {
      home.store.activate(digest)
      await home.until(`swapped to ${digest}`)
    }
    const path = home.fileOf(b, 'audiencia', 'records')
    const whole = readFileSync(path)
    home.events.length = 0
    truncateSync(path, whole.length - 1)
    await home.until(earlier(c))
    expect([home.served, home.following.degraded().length]).toEqual([`${c} Tres`, 1])
    writeFileSync(path, whole)
    await home.until(/^release-mended/)
    expect([home.served, home.following.degraded()]).toEqual([`${b} Dos`, []])
  })

  test('a file that is missing: what is open of it is whole and goes on being served, and is opened anew later', async () => {
    using home = new Followed()
    const path = home.fileOf(a, 'audiencia', 'records')
    const whole = readFileSync(path)
    rmSync(path)
    await home.until(/^release-not-reopened: THE CURRENT RELEASE CANNOT BE OPENED ANEW, .* is missing/)
    expect([home.served, home.following.degraded().length]).toEqual([`${a} Uno`, 1])
    writeFileSync(path, whole)
    await home.until(/^release-mended/)
    expect([home.served, home.following.degraded()]).toEqual([`${a} Uno`, []])
  })

  test('that was found by reading it: the same', async () => {
    using home = new Followed()
    home.store.activate(b)
    await home.until(`swapped to ${b}`)
    home.damage = new Map([[home.released(b, 'audiencia').digest, 'audiencia is damaged']])
    await home.following.look()
    expect([home.served, home.following.degraded()]).toEqual([
      `${a} Uno`,
      [expect.stringContaining('audiencia is damaged')],
    ])
    home.damage = noDamage
    await home.following.look()
    expect([home.served, home.following.degraded()]).toEqual([`${b} Dos`, []])
  })

  test('where no other is sound: it goes on being served, and says so', async () => {
    using home = new Followed()
    home.damage = new Map([[home.released(a, 'pais').digest, 'pais is damaged']])
    await home.following.look()
    expect([home.served, home.events]).toEqual([
      `${a} Uno`,
      ['damaged-release-served: A DAMAGED RELEASE IS SERVED, and no other is sound: pais is damaged'],
    ])
  })

  test('a file that another one takes the place of is mapped anew', async () => {
    using home = new Followed()
    await home.following.look()
    const path = home.fileOf(a, 'audiencia', 'records')
    writeFileSync(`${path}.other`, readFileSync(path, 'utf8').replace('Uno', 'Unx'))
    renameSync(`${path}.other`, path)
    expect(home.served).toBe(`${a} Uno`)
    await home.until(`swapped to ${a}`)
    expect(home.served).toBe(`${a} Unx`)
  })
})

test('a start with another release than the current one is told, and ends when that is mended', async () => {
  using home = new TestHome()
  model.copyTo(home, a, b)
  const events: string[] = []
  const path = home.fileOf(b, 'audiencia', 'records')
  const whole = readFileSync(path)
  truncateSync(path, 1)
  const servable = await openReleaseToServe(home.store)
  expect([servable?.release.digest, servable?.reason]).toEqual([a, expect.stringContaining('has 1 bytes instead of')])
  using following = followCurrent(home.store, servable as ReleaseToServe, { log: ({ event }) => events.push(event) })
  await following.look()
  expect([events, following.degraded().length]).toEqual([['earlier-release-served'], 1])
  writeFileSync(path, whole)
  await following.look()
  expect([following.release().digest, following.degraded()]).toEqual([b, []])
})

describe('where no change is reported', () => {
  /** Nothing but time passes, so only the clock can have led to a look. */
  async function followedByTheClock(
    during: (home: Followed, polls: (count: number) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    using _clock = new ClockInHand()
    using home = new Followed({ isReported: false })
    const history = spyOn(home.store, 'historyAsync')
    /** A poll that is due while the home is being looked at is missed, so each waits until that has ended. */
    const polls = async (count: number) => {
      for (let poll = 0; poll < count; poll++) {
        await home.following.look()
        history.mockClear()
        pollOnce()
        while (history.mock.calls.length === 0) await nextTurn()
      }
    }
    await during(home, polls)
  }

  test('a release is noticed within a second', async () => {
    await followedByTheClock(async (home, polls) => {
      await polls(1)
      await home.following.look()
      home.store.activate(b)
      expect(home.served).toBe(`${a} Uno`)
      pollOnce()
      await home.until(`swapped to ${b}`)
      expect(home.served).toBe(`${b} Dos`)
    })
  })

  test.each([
    ['a release that is not there', (home: Followed) => home.force(b.replace(/./g, '0')), 'is missing'],
    [
      'what is no digest',
      (home: Followed) => home.force('nonsense'),
      'does not hold digests; mend it with nomenclator',
    ],
  ])('%s is refused, and reported once', async (_, spoil, reason) => {
    await followedByTheClock(async (home, polls) => {
      spoil(home)
      await polls(10)
      await home.following.look()
      expect(home.events).toEqual([expect.stringContaining(reason)])
      expect(home.served).toBe(`${a} Uno`)
    })
  })

  test('a release that is mended is served without further word', async () => {
    await followedByTheClock(async (home, polls) => {
      home.hide(b)
      home.force(b)
      await polls(3)
      home.show(b)
      await polls(1)
      await home.until(`swapped to ${b}`)
      expect(home.served).toBe(`${b} Dos`)
    })
  })

  test('nothing is looked at any more once it is over', async () => {
    await followedByTheClock(async (home) => {
      await home.following.look()
      home.following[Symbol.dispose]()
      const history = spyOn(home.store, 'historyAsync')
      history.mockClear()
      home.store.activate(b)
      for (let poll = 0; poll < 5; poll++) pollOnce()
      await home.following.look()
      expect([home.served, home.events, history.mock.calls]).toEqual([`${a} Uno`, [], []])
    })
  })
})
