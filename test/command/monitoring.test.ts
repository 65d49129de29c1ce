// The files for Prometheus and Grafana: they name only what the service exports, and their own tools accept them.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exposition, METRICS } from '../../packages/server/src/http/observation/exposition.ts'
import { Metrics } from '../../packages/server/src/http/observation/metrics.ts'
import { ran } from '../support/command.ts'

setDefaultTimeout(180_000)

const DEPLOY = join(import.meta.dir, '..', '..', 'deploy')
const PROMETHEUS = join(DEPLOY, 'prometheus')
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8')

const metrics = Object.assign(new Metrics(), { scrubSound: true })
const status = { release: 'a', built: '2026-01-01T00:00:00.000Z', degraded: [], draining: false }
const exported = exposition({
  reports: [{ status, metrics: metrics.snapshot() }],
  restarts: 0,
  ready: true,
  startedAt: 0,
  now: 0,
  shelf: {
    isConnected: true,
    trouble: undefined,
    generation: 1,
    lagSeconds: 0,
    fetchedChunks: 0,
    fetchedBytes: 0,
    connects: 1,
  },
  computeWorkers: [],
  supervisorBytes: 1,
})
const names = new Set(exported.split('\n').flatMap((line) => /^(nomenclator_\w+)/.exec(line)?.[1] ?? []))
/** Every label with every value that it has at the start. */
const labels = new Set([...exported.matchAll(/(\w+="[^"]*")/g)].map(([, pair]) => pair))

const alerts = read('prometheus/alerts.yml')
const alertTests = read('prometheus/alerts.test.yml')
const dashboard = JSON.parse(read('grafana/dashboard.json')) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

describe.each([
  ['alerts.yml', alerts],
  ['alerts.test.yml', alertTests],
  ['dashboard.json', queries.join('\n')],
])('%s', (_file, text) => {
  test('names only metrics that the service exports', () => {
    const named = [...text.matchAll(/\bnomenclator_\w+/g)].map(([name]) => name)
    expect(named.length).toBeGreaterThan(10)
    expect([...new Set(named)].filter((name) => !names.has(name))).toEqual([])
  })

  test('names only routes, statuses and reasons that there are', () => {
    const named = [...text.matchAll(/\b((?:route|status|reason|process)!?="[^"]*")/g)].map(([, pair = '']) => pair)
    expect(named.filter((pair) => !labels.has(pair.replace('!=', '=')))).toEqual([])
  })
})

test('the dashboard shows every metric but what the program is', () => {
  const shown = queries.join('\n')
  expect(Object.keys(METRICS).filter((name) => !shown.includes(name))).toEqual(['nomenclator_build_info'])
})

test('every alert is tried, both when it is called for and when it is not', () => {
  const all = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string)
  const quiet = [...alertTests.matchAll(/\{ eval_time: 30m, alertname: (\w+) \}/g)].map(([, name]) => name)
  const called = [...alertTests.matchAll(/alertname: (\w+)\n\s+exp_alerts:/g)].map(([, name]) => name)
  expect(all.length).toBeGreaterThan(10)
  expect(all.filter((name) => !quiet.includes(name) || !called.includes(name))).toEqual([])
})

describe.skipIf(Bun.which('promtool') === null)('promtool', () => {
  test.each([
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('%s %s %s', async (verb, kind, file) => {
    const { code, out, err } = await ran(['promtool', verb, kind, file], { cwd: PROMETHEUS })
    expect([code, code === 0 ? '' : `${out}${err}`]).toEqual([0, ''])
  })
})
