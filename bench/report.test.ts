// Targets met, missed and not measured; rounds with errors; figures and tables as text.
import { describe, expect, test } from 'bun:test'
import { ranged, table, targetTable } from './report.ts'
import { spreadOf } from './spread.ts'
import { isMet, type Limit, verdictsOn } from './targets.ts'

describe('a limit', () => {
  const cases: [Limit, number[], number[]][] = [
    [['≤', 1.15], [1.15, 0], [1.1501]],
    [['<', 1], [0.999], [1, 2]],
    [['≥', 50], [50, 51], [49.9]],
  ]
  test.each(cases)('%p', (limit, met, missed) => {
    expect(met.filter((value) => !isMet(limit, value))).toEqual([])
    expect(missed.filter((value) => isMet(limit, value))).toEqual([])
  })
})

describe('verdicts', () => {
  const sample = (cpuMicros: number, errors = 0) => ({
    ...{ cpuMicros, errors, requestsPerSecond: 1_000 / cpuMicros },
    ...{ p50Micros: 1, p99Micros: 2, busy: 1, others: 0 },
  })
  const verdicts = verdictsOn({
    measured: [
      { server: 'nomenclator', load: 'random', samples: [sample(10), sample(12), sample(90)] },
      { server: 'nginx', load: 'random', samples: [sample(10), sample(10, 64), sample(10, 1)] },
    ],
    start: spreadOf([100, 140, 999]),
    buildRate: spreadOf([99_999]),
    privateMegabytes: spreadOf([30]),
  })
  const of = (description: string) => verdicts.find((one) => one.description === description)

  test('judge the median', () => {
    expect(of('CPU per request on random pages, against nginx')).toMatchObject({
      outcome: 'missed',
      found: { median: 1.2 },
    })
    expect(of('start to first response')?.outcome).toBe('met')
    expect(of('building a release')?.outcome).toBe('missed')
  })

  test('name the rounds in which a server had errors', () =>
    expect(of('CPU per request on random pages, against nginx')?.note).toBe('errors of nginx: 65 in round 2, 3'))

  test('neither meet nor miss what was not measured', () =>
    expect(of('CPU per request of a 304, against its 200')).toMatchObject({
      outcome: 'not measured',
      note: 'not in this run',
    }))

  test('are a table with range and number of rounds', () => {
    const row = targetTable(verdicts)
      .split('\n')
      .find((line) => line.includes('start to first'))
    expect(row?.split('|').map((cell) => cell.trim())).toEqual([
      '',
      'start to first response',
      'met',
      '< 150 ms',
      '140 ms',
      '100 ms – 999 ms',
      '3',
      '',
    ])
  })
})

test('a figure shows its range, and more digits when it is small', () => {
  const shown = [2, 20, 2_000].map((median) => ranged(spreadOf([median / 2, median, median * 2])))
  expect(shown).toEqual(['2.00 (1.00–4.00)', '20.0 (10.0–40.0)', '2,000 (1,000–4,000)'])
})

test('tables are Markdown, with words to the left and figures to the right', () => {
  expect(table(1, ['server', 'n'], [['nginx', '1,000']])).toBe(
    '| server |     n |\n| ------ | ----: |\n| nginx  | 1,000 |',
  )
})
