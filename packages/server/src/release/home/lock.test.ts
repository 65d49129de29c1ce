// One writer at a time: others wait and learn for whom, and a killed holder holds nothing.
import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { IRREGULAR } from '../../../../../test/support/irregular-files.ts'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { lockHome } from './lock.ts'

setDefaultTimeout(180_000)

const LOCK = join(import.meta.dir, 'lock.ts')

/** Another process that takes the lock, says so, and keeps it until it is killed. */
async function holder(home: string) {
  const program = `
    import { lockHome } from ${JSON.stringify(LOCK)}
    // Kept for ever: a lock that nothing refers to may be let go of by the garbage collector.
    globalThis.lock = await lockHome(${JSON.stringify(home)}, 'a test', { milliseconds: 0, onWait: () => {} })
    console.log('locked')
    setInterval(() => {}, 1_000)`
  const child = Bun.spawn([process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('locked\n')
  const kill = () => {
    child.kill('SIGKILL')
    return child.exited
  }
  return { pid: child.pid, kill, [Symbol.dispose]: () => void kill() }
}

const now = { milliseconds: 0, onWait: () => {} }
const patience = (onWait: (holder: string) => void) => ({ milliseconds: 30_000, onWait })

test('a home that is not there yet is made', async () => {
  using directory = new TestDirectory()
  using _lock = await lockHome(join(directory.path, 'a', 'b'), 'test', now)
})

test('the lock can be had again once it is let go of', async () => {
  using home = new TestDirectory()
  for (let round = 0; round < 3; round++) {
    using _lock = await lockHome(home.path, 'test', now)
  }
})

test('who waits is told once for whom, however often the lock is tried', async () => {
  using home = new TestDirectory()
  const first = await lockHome(home.path, 'the first', now)
  const told: string[] = []
  let tries = 0
  const sleep = spyOn(Bun, 'sleep').mockImplementation(async () => {
    if (++tries === 3) first[Symbol.dispose]()
  })
  try {
    using _second = await lockHome(
      home.path,
      'the second',
      patience((holder) => told.push(holder)),
    )
  } finally {
    sleep.mockRestore()
  }
  expect(tries).toBe(3)
  expect(told).toEqual([expect.stringMatching(/^the first \(process [0-9]+ on .+, since .+\)$/)])
})

test('homes do not lock one another', async () => {
  using one = new TestDirectory()
  using other = new TestDirectory()
  using _lock = await lockHome(one.path, 'test', now)
  using _another = await lockHome(other.path, 'test', now)
})

describe('while another process holds the lock', () => {
  test('whoever does not wait learns who holds it, since when, and what for', async () => {
    using home = new TestDirectory()
    using other = await holder(home.path)
    const refused = lockHome(home.path, 'test', now)
    await expect(refused).rejects.toThrow(
      new RegExp(
        `^another process is changing ${home.path}: a test \\(process ${other.pid} on .+, ` +
          'since [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z\\); try again when it is done$',
      ),
    )
  })

  test('whoever waits is notified once, and has it when the other is killed', async () => {
    using home = new TestDirectory()
    using other = await holder(home.path)
    const notified = Promise.withResolvers<string>()
    let times = 0
    let had = false
    const waiting = lockHome(
      home.path,
      'test',
      patience((who) => {
        times++
        notified.resolve(who)
      }),
    ).then((lock) => {
      had = true
      return lock
    })
    expect(await notified.promise).toStartWith(`a test (process ${other.pid} on `)
    expect(had).toBe(false)
    await other.kill()
    using _lock = await waiting
    expect(times).toBe(1)
  })

  test('a killed one leaves nothing to wait for', async () => {
    using home = new TestDirectory()
    using other = await holder(home.path)
    await other.kill()
    using _lock = await lockHome(home.path, 'test', now)
  })
})

test('of several that wait, one has it at a time', async () => {
  using home = new TestDirectory()
  let inside = 0
  let most = 0
  const turn = async () => {
    using _lock = await lockHome(
      home.path,
      'test',
      patience(() => {}),
    )
    most = Math.max(most, ++inside)
    await Bun.sleep(1)
    inside--
  }
  await Promise.all(Array.from({ length: 4 }, turn))
  expect([inside, most]).toEqual([0, 1])
})

test.each(Object.entries(IRREGULAR))(
  '%s where its file should be is refused, and one where the holder is told is not waited for',
  async (_, make) => {
    using home = new TestDirectory()
    await make(join(home.path, 'lock.holder'))
    {
      using _lock = await lockHome(home.path, 'test', now)
      await expect(lockHome(home.path, 'test', now)).rejects.toThrow('a process that is just starting')
    }
    rmSync(join(home.path, 'lock'))
    await make(join(home.path, 'lock'))
    await expect(lockHome(home.path, 'test', now)).rejects.toThrow('lock is not a regular file')
  },
)
