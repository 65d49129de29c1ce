// How events look: for people, for programs and in the journal, and what becomes of the output of a worker.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLog, eventOf, type LogEvent, logStyle } from './log.ts'

const died: LogEvent = { level: 'error', event: 'worker-died', message: 'WORKER DIED: process 7', worker: 7 }
const swapped: LogEvent = {
  level: 'info',
  event: 'release-swapped',
  message: 'Serving another.',
  pid: 7,
  stack: undefined,
}

function written(style: Parameters<typeof createLog>[0], event: LogEvent): string {
  let all = ''
  createLog(style, (text) => {
    all += text
  })(event)
  return all
}

describe('the style', () => {
  test.each([
    ['auto', true, undefined, 'text'],
    ['auto', false, undefined, 'json'],
    ['auto', true, '8:1', 'text'],
    ['auto', false, '8:1', 'json'],
    ['text', false, undefined, 'text'],
    ['json', true, undefined, 'json'],
  ] as const)('of %s, terminal %p, JOURNAL_STREAM %p is %s', (format, interactive, stream, style) =>
    expect(logStyle(format, interactive, stream)).toBe(style),
  )

  test('is that of the journal where standard error is the stream that systemd names', async () => {
    const script = `
      import { fstatSync } from 'node:fs'
      import { logStyle } from '${import.meta.dir}/log.ts'
      const { dev, ino } = fstatSync(2)
      console.log(logStyle('auto', false, dev + ':' + ino), logStyle('auto', false, dev + ':1' + ino))`
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'pipe' })
    expect(await new Response(child.stdout).text()).toBe('journal json\n')
  })
})

describe('an event is', () => {
  test('its message for people', () => expect(written('text', died)).toBe('WORKER DIED: process 7\n'))

  test('its message with the process in front, if it is of another', () =>
    expect(written('text', swapped)).toBe('[7] Serving another.\n'))

  test('its message with its level in the journal', () => {
    expect(written('journal', died)).toBe('<3>WORKER DIED: process 7\n')
    expect(written('journal', swapped)).toBe('<6>[7] Serving another.\n')
    expect(written('journal', { ...died, level: 'warn' })).toStartWith('<4>')
  })

  test('JSON with time, level, event, message, process and details', () => {
    const { time, ...rest } = JSON.parse(written('json', died))
    expect(new Date(time).toISOString()).toBe(time)
    expect(rest).toEqual({ ...died, pid: process.pid })
    expect(written('json', died)).toStartWith('{"time":"')
  })

  test('followed by its stack, each line of which has the level', () => {
    const failed = { ...died, message: 'GET / failed', stack: 'Error: a\n  at b' }
    expect(written('journal', failed)).toBe('<3>GET / failed\n<3>  Error: a\n<3>    at b\n')
  })

  test('one line, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'a\n\r\t\u001b\u0000\u009b\u007fñ') }), (message) => {
        for (const style of ['text', 'json', 'journal'] as const) {
          const line = written(style, { level: 'info', event: 'notice', message })
          // JSON keeps the control characters beyond ASCII, which are for its reader to handle.
          expect(line.slice(0, -1)).not.toMatch(style === 'json' ? /[\n\r]/ : /(?!\t)\p{Cc}/u)
          expect(line).toEndWith('\n')
        }
      }),
    )
  })
})

describe('what a worker writes', () => {
  test('is its event, if it is one: with its own time and process', () => {
    const line = written('json', { ...swapped, message: 'a\nb "c"' }).trimEnd()
    expect(JSON.parse(written('json', eventOf(line, 1)))).toEqual(JSON.parse(line))
  })

  test.each([
    'panic: a crash of the runtime',
    '',
    '{"time":"broken',
    '{"time":1}',
    '{"time":1,"level":"loud","event":"a","message":"b"}',
    '[1]',
  ])('is wrapped, if it is raw: %s', (line) =>
    expect(eventOf(line, 7)).toEqual({ level: 'warn', event: 'worker-output', message: line, pid: 7 }),
  )
})
