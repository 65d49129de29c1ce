// Whoever follows the current release has the next one as soon as it is activated, and keeps the last one that is sound.
import { afterAll, describe, expect, jest, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestHome, ThreeReleases } from '../../../test/support/releases.ts'
import { type Following, followCurrent } from './follow.ts'
import { type Damage, noDamage } from './servable.ts'

setDefaultTimeout(60_000)

const model = await ThreeReleases.create()
afterAll(() => model[Symbol.dispose]())
const [a, b, c] = model.digests as [string, string, string]
const POLL_MILLISECONDS = 1_000

/** A home in which the first of three releases is current and followed. */
class Followed extends TestHome {
  readonly following: Following
  readonly events: string[] = []
  damage: Damage = noDamage
  #awaited: (() => void) | undefined

  constructor() {
    super()
    model.copyTo(this, a)
    this.following = followCurrent(
      this.shelf,
      { release: this.shelf.open(a) },
      {
        onSwap: ({ manifest }) => this.#note(`swapped to ${manifest.digest}`),
        log: ({ event, message }) => {
          if (event !== 'release-swapped') this.#note(`${event}: ${message}`)
        },
        damage: () => this.damage,
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
    writeFileSync(`${this.shelf.currentFile}.next`, `${digest}\n`)
    renameSync(`${this.shelf.currentFile}.next`, this.shelf.currentFile)
  }

  hide(digest: string): void {
    renameSync(this.shelf.releaseDirectory(digest), join(this.path, 'hidden'))
  }

  show(digest: string): void {
    renameSync(join(this.path, 'hidden'), this.shelf.releaseDirectory(digest))
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
  home.shelf.activate(b)
  await home.until(`swapped to ${b}`)
  expect(home.served).toBe(`${b} Dos`)
  expect(home.events).toEqual([`swapped to ${b}`])
})

test('every activation is followed, and so is a rollback', async () => {
  using home = new Followed()
  for (const digest of [b, c, a]) {
    home.shelf.activate(digest)
    await home.until(`swapped to ${digest}`)
  }
  home.events.length = 0
  home.shelf.rollback()
  await home.until(`swapped to ${c}`)
  expect(home.served).toBe(`${c} Tres`)
})

test('what was handed out before a swap can still be read after it', async () => {
  using home = new Followed()
  const { records } = home.following.release().entity('audiencia')
  home.shelf.activate(b)
  await home.until(`swapped to ${b}`)
  home.shelf.remove(a)
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
    home.shelf.activate(c)
    await home.until(`swapped to ${c}`)
    expect(home.served).toBe(`${c} Tres`)
  })

  test('is served once it is mended and activated again', async () => {
    using home = new Followed()
    home.hide(b)
    home.force(b)
    await home.until(missing)
    home.show(b)
    home.shelf.activate(b)
    await home.until(`swapped to ${b}`)
    expect(home.served).toBe(`${b} Dos`)
  })
})

test('a release that is built and activated anew under the same digest is opened anew', async () => {
  using home = new Followed()
  const path = home.fileOf(a, 'audiencia', 'records')
  writeFileSync(path, readFileSync(path, 'utf8').replace('Uno', 'Unx'))
  // What is mapped shows the damage at once.
  expect(home.served).toBe(`${a} Unx`)
  await home.import(ThreeReleases.source('Uno'))
  await home.until(`swapped to ${a}`)
  expect(home.served).toBe(`${a} Uno`)
})

describe('where no change is reported', () => {
  /** Time passes at will and nothing else does, so only the clock can have led to a look. */
  function followedByTheClock(during: (home: Followed, seconds: (count: number) => void) => void): void {
    jest.useFakeTimers()
    try {
      using home = new Followed()
      during(home, (count) => jest.advanceTimersByTime(count * POLL_MILLISECONDS))
    } finally {
      jest.useRealTimers()
    }
  }

  test('a release is noticed within a second', () => {
    followedByTheClock((home, seconds) => {
      home.shelf.activate(b)
      expect(home.served).toBe(`${a} Uno`)
      seconds(1)
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
  ])('%s is refused, and reported once', (_, spoil, reason) => {
    followedByTheClock((home, seconds) => {
      spoil(home)
      seconds(10)
      expect(home.events).toEqual([expect.stringContaining(reason)])
      expect(home.served).toBe(`${a} Uno`)
    })
  })

  test('a release that is mended is served without further word', () => {
    followedByTheClock((home, seconds) => {
      home.hide(b)
      home.force(b)
      seconds(3)
      home.show(b)
      seconds(1)
      expect(home.served).toBe(`${b} Dos`)
    })
  })

  test('nothing is looked at any more once it is over', () => {
    followedByTheClock((home, seconds) => {
      home.following[Symbol.dispose]()
      home.shelf.activate(b)
      seconds(5)
      expect([home.served, home.events]).toEqual([`${a} Uno`, []])
    })
  })
})
