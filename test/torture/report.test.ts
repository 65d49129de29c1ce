// A run replaces its own parts of the report and leaves the others; memory slopes are those of a straight line.
import { expect, test } from 'bun:test'
import { slopeOf } from './memory.ts'
import { withPart } from './report.ts'
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

test('a campaign comes once, with its heading, and is replaced where it stands', () => {
  const first = withPart('# Top\n', campaign('a'), trialWith('old'), how)
  const both = withPart(first, campaign('b'), trialWith('other'), how)
  const again = withPart(both, campaign('a'), trialWith('new', 'it broke'), how)
  expect(again.match(/^#.*$/gm)).toEqual(['# Top', '## Title of a', '## Title of b'])
  expect(again).not.toContain('- old')
  expect([...again.matchAll(/^- .*$/gm)].map(([line]) => line)).toEqual(['- new', '- it broke', '- other'])
  expect(again.match(/Everything that must hold did\./g)?.length).toBe(1)
  expect(again).toContain('seed 7')
  expect(again).toContain('; a processor; a system.')
})

test('what people wrote around a part stays', () => {
  const document = `Before\n\n${withPart('', campaign('a'), trialWith('old'), how).trim()}\n\nAfter\n`
  const replaced = withPart(document, campaign('a'), trialWith('new'), how)
  expect(replaced.startsWith('Before\n')).toBe(true)
  expect(replaced.endsWith('-->\n\nAfter\n')).toBe(true)
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
