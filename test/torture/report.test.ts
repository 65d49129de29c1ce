// A run replaces the pages of its own campaigns and leaves the others; memory slopes are those of a straight line.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../support/releases.ts'
import { slopeOf } from './memory.ts'
import { pageOf, writePage } from './report.ts'
import { type Campaign, Homes, Trial } from './trial.ts'

const campaign = (name: string): Campaign => ({
  name,
  title: `Title of ${name}`,
  description: 'What.',
  run: async () => {},
})
using homes = new Homes('test')
const trialWith = (fact: string, ...failures: readonly string[]) => {
  const trial = new Trial('test', 7, homes, () => {})
  trial.fact(fact)
  for (const failure of failures) trial.require(false, failure)
  return trial
}
const how = { seconds: 2, call: 'npm run torture', machine: ['a processor', 'a system'] }

test('a page has what was found and what did not hold, and how it was run', () => {
  const held = pageOf(campaign('a'), trialWith('seen'), how)
  expect(held.split('\n').slice(0, 3)).toEqual(['# Title of a', '', 'What.'])
  expect(held).toContain('Everything that must hold did.')
  const broken = pageOf(campaign('a'), trialWith('seen', 'it broke'), how)
  expect([...broken.matchAll(/^- .*$/gm)].map(([line]) => line)).toEqual(['- seen', '- it broke'])
  expect(broken).not.toContain('Everything that must hold did.')
  expect(broken).toContain('**Did not hold:**')
  expect(broken).toContain('seed 7')
  expect(broken).toEndWith('; a processor; a system.\n')
})

test('a run replaces the page of its campaign and no other', () => {
  using directory = new TestDirectory()
  for (const [name, page] of [
    ['a', 'old'],
    ['b', 'other'],
    ['a', 'new'],
  ] as const)
    writePage(join(directory.path, 'new'), campaign(name), page)
  const written = ['a', 'b'].map((name) => readFileSync(join(directory.path, 'new', `${name}.md`), 'utf8'))
  expect(written).toEqual(['new', 'other'])
})

test.each([
  [
    'a rising line',
    [
      [0, 1],
      [1, 3],
      [2, 5],
    ],
    2,
  ],
  [
    'a flat line',
    [
      [0, 4],
      [1, 4],
      [5, 4],
    ],
    0,
  ],
  [
    'noise around a line',
    [
      [0, 1],
      [1, 0],
      [2, 3],
      [3, 2],
    ],
    0.6,
  ],
  ['one point', [[3, 3]], 0],
] as const)('the slope of %s', (_, points, slope) => expect(slopeOf(points)).toBeCloseTo(slope, 10))
