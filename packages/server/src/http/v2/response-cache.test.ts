// Bodies made once and kept in files: shared, bounded, and never read before they are whole.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { testCache } from '../../../../../test/support/server.ts'
import { sha256OfFile } from '../../release/files/durable-file.ts'
import type { ProblemError } from '../problem.ts'
import { type BodyFile, CannotCache, type NewBody } from './body-file.ts'
import { cacheDirectory, damagedFiles, removeDamaged } from './cache-directory.ts'
import { readFilePart } from './file-part.ts'

const CHUNK = 50_000
const CHUNKS = 4
const LENGTH = CHUNK * CHUNKS

let directory: TestDirectory
beforeEach(() => {
  directory = new TestDirectory()
})
afterEach(() => directory[Symbol.dispose]())

const bytesOf = (seed: number) => Buffer.from(Array.from({ length: LENGTH }, (_, at) => (at * 7 + seed) % 251))
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('base64')

/** A body that counts how often it was made. */
function bodyOf(seed: number, options: Partial<NewBody> = {}) {
  const made = { times: 0 }
  async function* chunks() {
    made.times++
    const bytes = bytesOf(seed)
    for (let at = 0; at < LENGTH; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
  }
  return { made, body: { madeFrom: [], chunks, encoding: () => undefined, ...options } satisfies NewBody }
}

const read = async ({ path, length }: BodyFile, from = 0, to = length) => {
  const chunks: Buffer[] = []
  for await (const chunk of readFilePart({ path, from, to })) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
const names = () => readdirSync(directory.path).sort()

describe('a body', () => {
  test('is found once it was made, by another worker too, whole or in part', async () => {
    const cache = testCache(directory.path)
    expect(await cache.find('a')).toBeUndefined()
    await cache.make('a', bodyOf(1, { encoding: () => 'gzip' }).body)
    const found = (await testCache(directory.path).find('a')) as BodyFile
    expect([found.length, found.sha256, found.encoding]).toEqual([LENGTH, sha256(bytesOf(1)), 'gzip'])
    expect((await read(found)).equals(bytesOf(1))).toBe(true)
    expect((await read(found, 40_000, 120_001)).equals(bytesOf(1).subarray(40_000, 120_001))).toBe(true)
  })

  test('is made once for all who wait for it', async () => {
    const cache = testCache(directory.path)
    const { made, body } = bodyOf(1)
    const files = await Promise.all(Array.from({ length: 50 }, () => cache.make('a', body)))
    expect([made.times, new Set(files.map(({ sha256 }) => sha256)).size]).toEqual([1, 1])
    await cache.make('a', body)
    expect(made.times).toBe(1)
  })

  test('is waited for by a thousand clients, and no more', async () => {
    const cache = testCache(directory.path)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { body } = bodyOf(1)
    async function* chunks() {
      await released
      yield* body.chunks()
    }
    const waiting = Array.from({ length: 1_000 }, () => cache.make('a', { ...body, chunks }))
    const refused = cache.make('a', body).catch((error: ProblemError) => error.problem.kind)
    release()
    expect(await refused).toBe('overloaded')
    expect(new Set((await Promise.all(waiting)).map(({ length }) => length))).toEqual(new Set([LENGTH]))
    expect((await cache.make('a', body)).length).toBe(LENGTH)
  })

  test('of another version of the files is made anew', async () => {
    await testCache(directory.path).make('a', bodyOf(1).body)
    const path = join(directory.path, names()[0] as string)
    const bytes = readFileSync(path)
    const at = bytes.lastIndexOf('"format":1')
    expect(at).toBeGreaterThan(LENGTH)
    bytes.write('"format":9', at)
    writeFileSync(path, bytes)
    expect(testCache(directory.path).find('a')).toBeUndefined()
  })

  test('is made after the one before is done', async () => {
    const cache = testCache(directory.path)
    let running = 0
    const counts: number[] = []
    const slow = (): NewBody => ({
      madeFrom: [],
      encoding: () => undefined,
      async *chunks() {
        counts.push(++running)
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
        running--
        yield Buffer.from('x')
      },
    })
    await Promise.all(['a', 'b', 'c'].map((name) => cache.make(name, slow())))
    expect(counts).toEqual([1, 1, 1])
  })

  test('that fails fails for all who wait, leaves nothing behind, and is tried again', async () => {
    const cache = testCache(directory.path)
    const failing: NewBody = {
      ...bodyOf(1).body,
      async *chunks() {
        yield Buffer.alloc(10)
        throw new Error('damaged')
      },
    }
    const results = await Promise.allSettled([cache.make('a', failing), cache.make('a', failing)])
    expect(results.map((result) => result.status === 'rejected' && result.reason.message)).toEqual([
      'damaged',
      'damaged',
    ])
    expect(names()).toEqual([])
    expect((await cache.make('a', bodyOf(1).body)).length).toBe(LENGTH)
  })

  test('is refused when too many others are being made', async () => {
    const cache = testCache(directory.path)
    const all = Array.from({ length: 20 }, (_, at) => cache.make(`body-${at}`, bodyOf(at).body))
    const results = await Promise.allSettled(all)
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as ProblemError)
    expect(refused.map(({ problem }) => problem.kind)).toEqual(['overloaded', 'overloaded', 'overloaded', 'overloaded'])
    expect((await cache.make('body-19', bodyOf(19).body)).length).toBe(LENGTH)
  })
})

/** Changes a byte in the middle of a file, and nothing else of it. */
function alter(path: string): void {
  const bytes = readFileSync(path)
  const middle = LENGTH >> 1
  bytes[middle] = (bytes[middle] as number) ^ 1
  writeFileSync(path, bytes)
}

describe('a file', () => {
  const damages: readonly [string, (path: string) => void][] = [
    ['was cut', (path) => truncateSync(path, 1_000)],
    ['lacks its last byte', (path) => truncateSync(path, statSync(path).size - 1)],
    ['has another byte', alter],
    ['is empty', (path) => writeFileSync(path, '')],
    ['is something else', (path) => writeFileSync(path, 'x'.repeat(500))],
    ['only looks like one', (path) => writeFileSync(path, `xx{"format":1,"length":3}${'      23'}`)],
  ]
  test.each(damages)('that %s is not read, and is replaced', async (_, damage) => {
    await testCache(directory.path).make('a', bodyOf(1).body)
    damage(join(directory.path, 'a'))
    const cache = testCache(directory.path)
    expect(await cache.find('a')).toBeUndefined()
    expect((await cache.make('a', bodyOf(1).body)).sha256).toBe(sha256(bytesOf(1)))
  })

  test('whose bytes have changed is found by whoever reads all, and removed by the scrub', async () => {
    const cache = testCache(directory.path)
    for (const name of ['a', 'b']) await cache.make(name, bodyOf(1).body)
    writeFileSync(join(directory.path, 'c.part'), 'x')
    alter(join(directory.path, 'b'))
    expect(await damagedFiles(directory.path)).toEqual([join(directory.path, 'b')])
    const messages: string[] = []
    await removeDamaged(directory.path, ({ message }) => messages.push(message), sha256OfFile)
    expect(names()).toEqual(['a', 'c.part'])
    expect(messages).toEqual([expect.stringContaining(`${join(directory.path, 'b')} has other content`)])
    expect(await damagedFiles(join(directory.path, 'nowhere'))).toEqual([])
  })

  test('that was left unfinished is removed after a while, and not while it may still be written', async () => {
    for (const name of ['old.part', 'new.part']) writeFileSync(join(directory.path, name), 'x')
    utimesSync(join(directory.path, 'old.part'), 1_000_000, 1_000_000)
    await testCache(directory.path, { maxBytes: 0 }).sweep()
    expect(names()).toEqual(['new.part'])
  })

  test('that was used least recently goes first, and its readers read it to the end', async () => {
    const room = LENGTH * 2 + 1_000
    const cache = testCache(directory.path, { maxBytes: room })
    const first = await cache.make('a', bodyOf(1).body)
    const reader = readFilePart({ path: first.path, from: 0, to: LENGTH })
    const begun = Buffer.from((await reader.next()).value as Uint8Array)
    utimesSync(join(directory.path, 'a'), 1_000_000, 1_000_000)
    await cache.make('b', bodyOf(2).body)
    await cache.make('c', bodyOf(3).body)
    await cache.sweep()
    expect(names()).toEqual(['b', 'c'])
    const rest: Buffer[] = []
    for await (const chunk of reader) rest.push(Buffer.from(chunk))
    expect(Buffer.concat([begun, ...rest]).equals(bytesOf(1))).toBe(true)
    expect(await cache.find('a')).toBeUndefined()
  })

  test('of a release that is gone goes too', async () => {
    const there = new Set(['one', 'two'])
    const cache = testCache(directory.path, { isOnDisk: (digest) => there.has(digest) })
    await cache.make('a', bodyOf(1, { madeFrom: ['one'] }).body)
    await cache.make('b', bodyOf(2, { madeFrom: ['one', 'two'] }).body)
    there.delete('two')
    await cache.sweep()
    expect(names()).toEqual(['a'])
    expect([(await cache.find('a'))?.length, await cache.find('b')]).toEqual([LENGTH, undefined])
  })

  test.skipIf(process.platform !== 'linux')('is open only while it is read', async () => {
    const cache = testCache(directory.path)
    const { path } = await cache.make('a', bodyOf(1).body)
    expect((await cache.find('a'))?.path).toBe(path)
    expect(directory.opened()).toEqual([])
    const reader = readFilePart({ path, from: 0, to: LENGTH })
    await reader.next()
    expect(directory.opened()).toHaveLength(1)
    await reader.return(undefined)
    expect(directory.opened()).toEqual([])
  })

  test('that another has replaced is read again before it counts', async () => {
    const cache = testCache(directory.path)
    await cache.make('a', bodyOf(1).body)
    const path = join(directory.path, 'a')
    copyFileSync(path, `${path}.copy`)
    alter(`${path}.copy`)
    renameSync(`${path}.copy`, path)
    expect(await cache.find('a')).toBeUndefined()
  })
})

describe('of many files', () => {
  test('a thousand are kept, and the one that was used least recently goes', async () => {
    const cache = testCache(directory.path)
    async function* chunks() {
      yield Buffer.from('a')
    }
    await cache.make('0', { ...bodyOf(1).body, chunks })
    for (let name = 1; name < 1_000; name++) copyFileSync(join(directory.path, '0'), join(directory.path, String(name)))
    utimesSync(join(directory.path, '7'), 1_000_000, 1_000_000)
    await cache.sweep()
    expect(names()).toHaveLength(1_000)
    copyFileSync(join(directory.path, '0'), join(directory.path, '1000'))
    await cache.sweep()
    expect(names()).toHaveLength(1_000)
    expect(names()).not.toContain('7')
  })
})

describe('where nothing can be written', () => {
  test('a body cannot be made, which is logged, and not tried again at once', async () => {
    const events: string[] = []
    const path = join(directory.path, 'cache')
    const cache = testCache(path, { log: ({ event }) => events.push(event) })
    const { made, body } = bodyOf(1)
    for (const name of ['a', 'b', 'a'])
      expect(await cache.make(name, body).catch((error) => error)).toBeInstanceOf(CannotCache)
    expect([events, made.times]).toEqual([['cache-unusable'], 0])
  })

  test('the directory is one in the home, or else one of our own among the temporary ones', () => {
    using temporary = new TestDirectory()
    const before = process.env.TMPDIR
    process.env.TMPDIR = temporary.path
    try {
      expect(cacheDirectory(directory.path, undefined)).toBe(join(directory.path, 'cache'))
      const home = join(directory.path, 'file')
      writeFileSync(home, '')
      const found = cacheDirectory(home, undefined) as string
      expect(found).toStartWith(join(temporary.path, 'nomenclator-'))
      expect(statSync(found).mode & 0o777).toBe(0o700)
      // Someone else could have made it, and put files into it.
      for (const mode of [0o777, 0o770, 0o707, 0o750]) {
        chmodSync(found, mode)
        expect(cacheDirectory(home, undefined)).toBeInstanceOf(CannotCache)
      }
      expect(cacheDirectory(directory.path, join(home, 'below'))).toBeInstanceOf(CannotCache)
      mkdirSync(join(directory.path, 'given'))
      expect(cacheDirectory(home, join(directory.path, 'given'))).toBe(join(directory.path, 'given'))
      expect(existsSync(join(directory.path, 'given', 'cache'))).toBe(false)
    } finally {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    }
  })
})
