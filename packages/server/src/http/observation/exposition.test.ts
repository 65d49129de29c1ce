// The metrics as Prometheus reads them.
import { describe, expect, test } from 'bun:test'
import { type Exposed, exposition, METRICS } from './exposition.ts'
import { Metrics } from './metrics.ts'

const STATUS = { release: 'a'.repeat(64), built: '2026-01-01T00:00:00.000Z', degraded: [], draining: false }
const exposed = (changes: Partial<Exposed> = {}): Exposed => ({
  reports: [],
  restarts: 0,
  ready: true,
  startedAt: 1_000,
  now: Date.parse('2026-01-01T00:00:10.000Z'),
  computeWorkers: [],
  supervisorBytes: 1,
  ...changes,
})

function twoWorkers(): Exposed {
  const [one, other] = [new Metrics(), new Metrics()]
  one.countRequest('v1 page', 200, 0.2, 500)
  one.countRequest('v1 page', 404, 3, 100)
  other.countRequest('v1 page', 200, 20_000, 500)
  other.refused.rate = 3
  other.connections = 4
  one.connections = 5
  one.scrubSound = false
  one.scrubEnded = 123
  const reports = [one, other].map((metrics, at) => ({
    status: { ...STATUS, degraded: at === 0 ? [] : ['a "reason"'] },
    metrics: { ...metrics.snapshot(), pid: at + 1, residentBytes: 1_000 },
  }))
  return exposed({ reports, restarts: 7, supervisorBytes: 9 })
}

const samplesOf = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(/ (?=\S+$)/) as [string, string]),
  )

test('the samples are those of all workers together', () => {
  const samples = samplesOf(exposition(twoWorkers()))
  const value = (name: string) => Number(samples.get(`nomenclator_${name}`))
  expect([
    value('requests_total{route="v1 page",status="2xx"}'),
    value('requests_total{route="v1 page",status="4xx"}'),
    value('requests_total{route="v2 list",status="5xx"}'),
    value('response_body_bytes_total{route="v1 page"}'),
    value('refused_total{reason="rate"}'),
    value('connections'),
    value('worker_restarts_total'),
    value('workers'),
    value('degraded_workers'),
    value(`release_info{release="${STATUS.release}"}`),
    value('release_age_seconds'),
    value('scrub_sound'),
    value('scrub_end_timestamp_seconds'),
    value('resident_memory_bytes{process="worker",pid="2"}'),
  ]).toEqual([2, 1, 0, 1_100, 3, 9, 7, 2, 1, 2, 10, 0, 123, 1_000])
})

test('of several releases the age is that of the oldest, and each is counted, whatever it is called', () => {
  const statuses = [
    STATUS,
    { ...STATUS, release: 'a"\\\n', built: '2025-12-31T23:59:00.000Z' },
    { ...STATUS, built: 'unknown' },
  ]
  const reports = statuses.map((status) => ({ status, metrics: new Metrics().snapshot() }))
  const samples = samplesOf(exposition(exposed({ reports })))
  expect(samples.get('nomenclator_release_age_seconds')).toBe('70')
  expect(samples.get(`nomenclator_release_info{release="${STATUS.release}"}`)).toBe('2')
  expect(samples.get('nomenclator_release_info{release="a\\"\\\\\\n"}')).toBe('1')
})

test('a histogram is cumulative, and its last bucket is its count', () => {
  const samples = samplesOf(exposition(twoWorkers()))
  const bucket = (bound: string) =>
    Number(samples.get(`nomenclator_request_duration_seconds_bucket{route="v1 page",le="${bound}"}`))
  expect(['0.0001', '0.00025', '0.001', '0.005', '10', '+Inf'].map(bucket)).toEqual([0, 1, 1, 2, 2, 3])
  expect(samples.get('nomenclator_request_duration_seconds_count{route="v1 page"}')).toBe('3')
  expect(Number(samples.get('nomenclator_request_duration_seconds_sum{route="v1 page"}'))).toBeCloseTo(20.0032)
})

test('while there is no worker, no counter is shown that would seem to have fallen', () => {
  const text = exposition(exposed({ ready: false }))
  expect(text).toContain('nomenclator_ready 0\n')
  expect(text).toContain('nomenclator_workers 0\n')
  expect(text).not.toMatch(/^nomenclator_requests_total/m)
  expect(text).not.toMatch(/^nomenclator_scrub_sound/m)
})

describe('the format', () => {
  const text = exposition(twoWorkers())

  test('is a line for each sample after the help and the type of its metric', () => {
    let metric = ''
    for (const line of text.trimEnd().split('\n')) {
      const [, kind, name = ''] = /^# (HELP|TYPE) (\S+) \S/.exec(line) ?? []
      if (kind === 'HELP') metric = name
      else if (kind === 'TYPE') expect(name).toBe(metric)
      else
        expect(line).toMatch(
          new RegExp(`^${metric}(?:_bucket|_sum|_count)?(?:\\{(?:[a-z]+="(?:[^"\\\\]|\\\\.)*",?)+\\})? [0-9.e+-]+$`),
        )
    }
  })

  test.each(Object.entries(METRICS))('of %s is as Prometheus names things', (name, { type, help }) => {
    expect(name).toMatch(/^nomenclator_[a-z_]+$/)
    expect(name.endsWith('_total')).toBe(type === 'counter')
    expect(help).toMatch(/\.$/)
  })

  const promtool = Bun.which('promtool')
  test.skipIf(promtool === null)('passes promtool', async () => {
    const child = Bun.spawn(['promtool', 'check', 'metrics'], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
    child.stdin.write(text)
    await child.stdin.end()
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ''])
  })
})
