// The lines of the access log, and that writing them never waits, mixes up or hides a loss.
import { describe, expect, test } from 'bun:test'
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { ran } from '../../../../../test/support/command.ts'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { type AccessEntry, AccessLog, type AccessLogFormat, pipeBatches } from './access-log.ts'
import { Metrics } from './metrics.ts'

const entry = (changes: Partial<AccessEntry> = {}, headers: Record<string, string> = {}): AccessEntry => ({
  client: '192.0.2.1',
  request: { method: 'GET', path: '/api/v1/paises', query: 'page=2', headers: new Map(Object.entries(headers)) },
  path: '/api/v1/paises',
  route: 'v1 page',
  status: 200,
  bytes: 539,
  milliseconds: 1.5,
  requestId: 'abc-1',
  ...changes,
})

async function linesOf(format: AccessLogFormat, ...entries: AccessEntry[]): Promise<string[]> {
  using directory = new TestDirectory()
  const path = join(directory.path, 'access.log')
  const log = new AccessLog({ path }, format, new Metrics(), (reason) => {
    throw new Error(reason)
  })
  for (const one of entries) log.add(one)
  await log.close()
  const text = readFileSync(path, 'utf8')
  expect(text).toEndWith('\n')
  return text.split('\n').slice(0, -1)
}

const COMBINED =
  /^(\S+) - - \[(\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000)\] "((?:[^"\\]|\\.)*)" (\d{3}) (\d+|-) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"$/

describe('combined', () => {
  test('has what that format has', async () => {
    const [line = ''] = await linesOf('combined', entry({}, { referer: 'http://a.test/', 'user-agent': 'curl/8' }))
    const [, client, , request, status, bytes, referer, agent] = COMBINED.exec(line) ?? []
    expect([client, request, status, bytes, referer, agent]).toEqual([
      '192.0.2.1',
      'GET /api/v1/paises?page=2 HTTP/1.1',
      '200',
      '539',
      'http://a.test/',
      'curl/8',
    ])
  })

  test('has hyphens for what is not there', async () => {
    const refused = entry({ client: '', request: undefined, path: '/', status: 400, bytes: 0 })
    const [line = ''] = await linesOf('combined', refused)
    expect(line).toMatch(/^- - - \[.*\] "- \/ -" 400 - "-" "-"$/)
  })

  test('cannot be made to have other fields or lines by a client', async () => {
    const texts = fc.string({ unit: fc.constantFrom(...'a" \\\n\r\t\u0000\u001b\u00ff') })
    await fc.assert(
      fc.asyncProperty(texts, texts, texts, async (query, referer, agent) => {
        const request = {
          method: 'GET',
          path: '/',
          query,
          headers: new Map([
            ['referer', referer],
            ['user-agent', agent],
          ]),
        }
        const lines = await linesOf('combined', entry({ request }))
        expect(lines).toHaveLength(1)
        expect(lines[0]).toMatch(COMBINED)
        expect(lines[0]).toMatch(/^[ -~]*$/)
      }),
      { numRuns: 50 },
    )
  })
})

test('JSON has every detail, each line a value of its own', async () => {
  const [line = ''] = await linesOf('json', entry({}, { 'user-agent': 'a\n"b"' }), entry())
  const { time, ...rest } = JSON.parse(line)
  expect(new Date(time).toISOString()).toBe(time)
  expect(rest).toEqual({
    client: '192.0.2.1',
    method: 'GET',
    path: '/api/v1/paises',
    query: 'page=2',
    protocol: 'HTTP/1.1',
    status: 200,
    bytes: 539,
    seconds: 0.0015,
    route: 'v1 page',
    requestId: 'abc-1',
    userAgent: 'a\n"b"',
  })
})

describe('the file', () => {
  test('of several processes has all their lines, whole', async () => {
    using directory = new TestDirectory()
    const path = join(directory.path, 'access.log')
    const logs = [1, 2, 3].map(() => new AccessLog({ path }, 'combined', new Metrics(), () => {}))
    for (let count = 0; count < 3_000; count++) {
      logs[count % 3]?.add(entry({ client: `192.0.2.${count % 250}` }))
      if (count % 100 === 0) await Bun.sleep(1)
    }
    await Promise.all(logs.map((log) => log.close()))
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    expect(lines).toHaveLength(3_000)
    expect(lines.filter((line) => !COMBINED.test(line))).toEqual([])
  })

  test('is opened anew after another program has moved it away, and nothing is lost', async () => {
    using directory = new TestDirectory()
    const path = join(directory.path, 'access.log')
    const log = new AccessLog({ path }, 'combined', new Metrics(), () => {})
    log.add(entry({ client: '192.0.2.1' }))
    renameSync(path, `${path}.1`)
    await log.reopen()
    log.add(entry({ client: '192.0.2.2' }))
    await log.close()
    expect([readFileSync(`${path}.1`, 'utf8').slice(0, 9), readFileSync(path, 'utf8').slice(0, 9)]).toEqual([
      '192.0.2.1',
      '192.0.2.2',
    ])
  })

  test('has room again for lines when those before are written', async () => {
    using directory = new TestDirectory()
    const metrics = new Metrics()
    const log = new AccessLog({ path: join(directory.path, 'access.log') }, 'combined', metrics, () => {})
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 6_000; count++) log.add(entry())
      await log.reopen()
    }
    await log.close()
    expect(metrics.droppedAccessLines).toBe(0)
  })

  test('that cannot be opened is a failure in words', () => {
    const open = () => new AccessLog({ path: '/nonexistent/access.log' }, 'json', new Metrics(), () => {})
    expect(open).toThrow(
      /^cannot write the access log: .*\/nonexistent\/access\.log.*; choose another file with --access-log$/,
    )
  })

  test.skipIf(!existsSync('/dev/full'))(
    'on a full disk: lines are counted as dropped, and it is reported once',
    async () => {
      const metrics = new Metrics()
      const reasons: string[] = []
      const log = new AccessLog({ path: '/dev/full' }, 'json', metrics, (reason) => reasons.push(reason))
      for (const _ of [1, 2, 3]) {
        log.add(entry())
        await log.reopen()
      }
      await log.close()
      expect([metrics.droppedAccessLines, reasons.length]).toEqual([3, 1])
      expect(reasons[0]).toContain('ENOSPC')
    },
  )
})

describe('lines go to a pipe in pieces of 4,096 bytes at most', () => {
  const line = (length: number) => 'a'.repeat(length)
  test.each([
    ['that are filled', [2_048, 2_048, 1], [2, 1]],
    ['that no line is cut for', [2_048, 2_049, 1], [1, 2]],
    ['unless a line is longer', [5_000, 1, 5_000], [1, 1, 1]],
    ['of which one is enough for few', [1, 1, 1], [3]],
  ])('%s', (_name, lengths, batches) =>
    expect([...pipeBatches(lengths.map(line))].map(({ length }) => length)).toEqual(batches),
  )
})

test('a reader that does not read costs lines, which are counted, and delays neither requests nor the end', async () => {
  using directory = new TestDirectory()
  const fifo = join(directory.path, 'fifo')
  expect((await ran(['mkfifo', fifo])).code).toBe(0)
  // Opened for both, so that it does not wait for a reader.
  const descriptor = openSync(fifo, 'r+')
  const metrics = new Metrics()
  const log = new AccessLog({ descriptor }, 'combined', metrics, () => {})
  // It would wait for ever for the reader.
  for (let count = 0; count < 30_000; count++) log.add(entry())
  const [line = ''] = await linesOf('combined', entry())
  const maxWaitingLines = Math.floor((1 << 20) / `${line}\n`.length)
  expect(metrics.droppedAccessLines).toBe(30_000 - maxWaitingLines)
  await log.close()
  closeSync(descriptor)
})
