// Targets met, missed and not measured; void rounds; figures, tables and reports as text.
import { describe, expect, test } from 'bun:test'
import type { Measured } from './measure.ts'
import { peers } from './peers.ts'
import { ranged, report, table, targetTable } from './report.ts'
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

const sample = (cpuMicros: number) => ({
  ...{ cpuMicros, userMicros: cpuMicros / 4, systemMicros: (cpuMicros * 3) / 4, requestsPerSecond: 1_000 / cpuMicros },
  ...{ errors: 0, p50Micros: 1, p99Micros: 2, busy: 1, others: 0, generatorBusy: 0.5 },
})
const on = (load: string, server: string, ...cpu: (number | undefined)[]): Measured => ({
  ...{ server, load },
  samples: cpu.map((each) => (each === undefined ? undefined : sample(each))),
  discarded: cpu.flatMap((each) => (each === undefined ? [64, 1, 64].map((errors) => ({ ...sample(9), errors })) : [])),
})

describe('verdicts', () => {
  const findings = {
    measured: [
      on('random', 'nomenclator', 10, 12, 90),
      on('random', 'nginx', 10, 10, 10),
      on('hot', 'nomenclator', 10, 100, 11),
      on('hot', 'nginx', 10, undefined, 10),
      on('deep', 'nomenclator', undefined),
    ],
    start: spreadOf([100, 140, 999]),
    buildRate: spreadOf([99_999]),
    anonymousMegabytes: spreadOf([30]),
  }
  const verdicts = verdictsOn(findings, 'x64')
  const of = (description: string, among = verdicts) => among.find((one) => one.description === description)

  test('judge the median', () => {
    expect(of('CPU per request on random pages, against nginx')).toMatchObject({
      outcome: 'missed',
      found: { median: 1.2, rounds: 3 },
    })
    expect(of('start to first response')?.outcome).toBe('met')
    expect(of('building a release')?.outcome).toBe('missed')
  })

  test('have other limits on arm64, and one of user time', () => {
    const arm = verdictsOn(findings, 'arm64')
    expect(of('CPU per request on random pages, against nginx', arm)?.outcome).toBe('met')
    expect(of('user time per request on random pages', arm)).toMatchObject({ outcome: 'met', found: { median: 3 } })
    expect(of('user time per request on random pages')).toMatchObject({ outcome: 'reported', limit: undefined })
  })

  test('leave out a round that is void for one side', () =>
    expect(of('CPU per request on one hot page, against nginx')).toMatchObject({
      found: { median: 1.05, max: 1.1, rounds: 2 },
    }))

  test('neither meet nor miss what was not measured', () => {
    expect(of('CPU per request of a 304, against its 200')).toMatchObject({
      outcome: 'not measured',
      note: 'not in this run',
    })
    expect(of('CPU per request of the deepest page, against page 1')).toMatchObject({
      outcome: 'not measured',
      note: 'all rounds are void',
    })
  })

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

describe('the report', () => {
  const memory = { residentBytes: 1e6, anonymousBytes: 1e6 }
  const build = { localities: 10, seconds: 1, peakBytes: 1, diskBytes: 1 }
  const text = report({
    ...{
      architecture: 'x64',
      command: 'npm run bench',
      rounds: 3,
      seconds: 1,
      verdicts: [],
      machine: ['A chip (x64)'],
    },
    measured: [on('hot', 'nomenclator', 10, 100, 11), on('hot', 'nginx', 10, undefined, 10)],
    sizes: [{ server: 'nomenclator', build, start: spreadOf([1]), memory }],
  })
  const cellsOf = (server: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith('| hot') && line.includes(server))
      ?.split('|')
      .map((cell) => cell.trim())

  test('names the processor, and for a ratio its range and its rounds', () => {
    expect(text).toStartWith('# Pages of API v1 on x64\n\nA chip (x64)')
    expect(cellsOf('nomenclator')).toContainValues(['1.05 × (1.00–1.10)', '2'])
  })

  test('has user and system time apart, the share of the generator, and void rounds', () => {
    expect(cellsOf('nginx')).toContainValues(['10.0 (10.0–10.0)', '2.50', '7.50', '50 %', '1'])
    expect(text).toContain('of nginx on “hot” 3 windows were thrown away (129 errors) and 1 of 3 rounds are void')
  })

  test('says how it was measured, and on what', () => {
    expect(text.match(/^#+ .+$/gm)).toEqual([
      '# Pages of API v1 on x64',
      ...['Targets', 'Comparison', 'Growth', 'Machine', 'How it is measured'].map((title) => `## ${title}`),
    ])
    expect(text).toContain('- to repeat it: `bench/setup && npm run bench`')
    for (const { name } of peers) expect(text).toContain(`- **${name}**: `)
  })
})
