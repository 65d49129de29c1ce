// Several hosts of one shelf: what is followed where they differ, and what is read where one is away, lacks something or has it damaged.
import { afterAll, describe, expect, test } from 'bun:test'
import { FakeShelf } from '../../../../../test/support/fake-shelf.ts'
import { TestHome, ThreeReleases } from '../../../../../test/support/releases.ts'
import { eventually } from '../../../../../test/support/service.ts'
import type { Log } from '../../base/log.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { fetchShelf } from './fetch.ts'
import { ShelfFollower } from './follower.ts'
import { nextPointer, readFollowed } from './pointer.ts'
import { openHosts } from './several-hosts.ts'
import { ShelfAway } from './shelf-failures.ts'
import type { OpenHost } from './shelf-reader.ts'

const three = await ThreeReleases.create()
const [a, b, c] = three.digests as [string, string, string]
const sound = await FakeShelf.of(three.store)
afterAll(() => three[Symbol.dispose]())

/** The shelf after another change, which makes this release current. */
function changed(base: FakeShelf, name: string, current: string): FakeShelf {
  const fake = base.copy()
  return Object.assign(fake, nextPointer(base, name), { history: `${current}\n` })
}

/** Hosts that can be looked at and changed while they are followed. */
class FakeHosts {
  readonly shelves: Record<string, FakeShelf | 'away'>
  notify = () => {}
  readonly downloads: string[] = []

  constructor(shelves: Record<string, FakeShelf | 'away'>) {
    this.shelves = shelves
  }

  open = openHosts(
    ['x', 'y', 'z'].map((name) => ({ name, open: (report, onUpdate) => this.#openOne(name)(report, onUpdate) })),
  )

  #openOne =
    (name: string): OpenHost =>
    async (_, onUpdate) => {
      this.notify = onUpdate
      const shelf = () => {
        const one = this.shelves[name] ?? 'away'
        if (one === 'away') throw new ShelfAway(`${name} is away`)
        return one
      }
      const reader = () => shelf().reader((chunk) => this.downloads.push(`${name} ${chunk}`))
      shelf()
      return {
        pointer: async () => {
          const { generation, change, chain } = shelf()
          return { generation, change, chain }
        },
        listing: () => reader().listing(),
        entity: (digest) => reader().entity(digest),
        chunks: (entity, digests) => reader().chunks(entity, digests),
        pollMilliseconds: 10,
        closed: new Promise(() => {}),
        destroy: () => {},
        [Symbol.asyncDispose]: async () => {},
      }
    }

  /** Follows them as a service does. */
  follow(home: TestHome, log: Log = () => {}): ShelfFollower {
    const follower = new ShelfFollower({
      ...{ open: this.open, store: home.store, log, onTrouble: () => {} },
      served: () => home.store.currentDigest(),
    })
    follower.start()
    return follower
  }
}

const first = changed(sound, 'first change', b)

describe('what is followed', () => {
  test('is the longest chain, whichever host has it, and a fork is reported and never followed back', async () => {
    using home = new TestHome()
    const hosts = new FakeHosts({ x: first, y: changed(first, 'second', a), z: 'away' })
    await using follower = hosts.follow(home)
    await eventually('the longest is followed', () => home.store.currentDigest() === a)
    expect(follower.status.trouble).toBeUndefined()
    // The other one takes itself for the primary, and goes further than the one that is followed.
    const fork = changed(changed(first, 'second there', c), 'third there', c)
    hosts.shelves.x = fork
    await eventually('the fork is reported', () => follower.status.trouble?.kind === 'fork')
    expect(follower.status.trouble?.message).toContain('THE SHELF HAS FORKED: x has generation 4 (third there)')
    hosts.shelves.y = 'away'
    await eventually('nothing else is there', () => follower.status.trouble?.message.includes('of this home') === true)
    expect([home.store.currentDigest(), readFollowed(home.path)?.change]).toEqual([a, 'second'])
    // A person says which is right.
    hosts.shelves.x = Object.assign(fork.copy(), { generation: 1_000, change: 'accepted', chain: [] })
    await eventually('what was declared right is followed', () => home.store.currentDigest() === c)
    await eventually('nothing is wrong', () => follower.status.trouble === undefined)
  })

  test.each([
    ['an empty home', 'and the home has nothing to serve yet: ', () => new TestHome()],
    ['a home with a release', 'what is in the home goes on being served: ', () => three.copyTo(new TestHome(), a)],
  ])('is reported to be away as it is for %s', async (_, words, homeOf) => {
    using home = homeOf()
    const messages: string[] = []
    await using follower = new FakeHosts({ x: 'away' }).follow(home, ({ message }) => messages.push(message))
    await follower.tried
    expect(messages).toEqual([expect.stringContaining(`THE SHELF IS NOT FOLLOWED, ${words}`)])
  })

  test('is the next longest chain where the longest cannot be verified', async () => {
    using home = new TestHome()
    const forged = changed(changed(first, 'forged', c), 'forged again', c)
    forged.changeRelease(c, (manifest) => ({ ...manifest, digest: a }))
    const hosts = new FakeHosts({ x: forged, y: changed(first, 'second', a) })
    await using follower = hosts.follow(home)
    await eventually('the sound one is followed', () => home.store.currentDigest() === a)
    await eventually('the other one is reported', () => follower.status.trouble?.kind === 'refused')
    hosts.shelves.y = changed(changed(first, 'second', a), 'third', b)
    await eventually('it goes on being followed', () => home.store.currentDigest() === b)
  })

  test('is what is there, until a host is there again', async () => {
    using home = new TestHome()
    const hosts = new FakeHosts({ x: 'away', y: first })
    await using follower = hosts.follow(home)
    await eventually('the other host is followed', () => home.store.currentDigest() === b)
    hosts.shelves.x = changed(first, 'second', c)
    await eventually('the newer state is followed', () => home.store.currentDigest() === c)
    hosts.shelves.x = hosts.shelves.y = 'away'
    await eventually('it is away', () => follower.status.trouble?.kind === 'away')
    expect((await follower.tried) instanceof OperationalError).toBe(false)
  })
})

describe('what is read', () => {
  const chunk = sound.entityChunks[0]?.chunk ?? ''
  const packed = (text: string) => ({ size: sound.chunks.get(chunk)?.size ?? 0, packed: Buffer.from(text) })
  test.each<[string, (shelf: FakeShelf) => void]>([
    ['a damaged chunk', (shelf) => shelf.chunks.set(chunk, packed('other'))],
    ['a chunk that is not there', (shelf) => shelf.withheld.add(chunk)],
    ['a damaged manifest', (shelf) => shelf.entities.set(sound.entityChunks[0]?.entity ?? '', '{}')],
    ['an entity that is not there', (shelf) => shelf.entities.delete(sound.entityChunks[0]?.entity ?? '')],
  ])('comes from the next host: %s', async (_, damage) => {
    using home = new TestHome()
    const damaged = sound.copy()
    damage(damaged)
    const hosts = new FakeHosts({ x: damaged, y: sound })
    await using shelf = await hosts.open('', () => {})
    expect((await fetchShelf(home.store, shelf)).missing).toEqual([])
    expect(home.store.currentDigest()).toBe(c)
    // And nothing else twice.
    expect(new Set(hosts.downloads.map((one) => one.slice(2))).size).toBeGreaterThan(hosts.downloads.length - 2)
  })

  test('is refused where no host has it sound', async () => {
    using home = new TestHome()
    const damaged = sound.copy()
    damaged.chunks.set(chunk, packed('other'))
    await using shelf = await new FakeHosts({ x: damaged, y: damaged, z: 'away' }).open('', () => {})
    await expect(fetchShelf(home.store, shelf)).rejects.toThrow('has other content than its digest says')
  })

  test('is nothing where no host responds', async () => {
    await expect(new FakeHosts({}).open('', () => {})).rejects.toThrow('x is away')
  })
})
