// npm run bench:infer -- --lists FOLDER…: fits the weights of the inference, leaves each list out once, and writes what is found and right.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { infer } from '../../packages/server/src/source/package/infer/infer.ts'
import { WEIGHTS, type Weights } from '../../packages/server/src/source/package/infer/score.ts'
import { shippedLists } from '../../packages/server/src/source/package/known-lists.ts'
import { ROOT } from '../machine.ts'
import { examplesOf, fitted } from './fit.ts'
import { caseOf, labelledLists } from './labels.ts'
import { Tally } from './tally.ts'
import { INFER_USAGE } from './usage.ts'
import byHand from './weights-by-hand.json' with { type: 'json' }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lists: { type: 'string', multiple: true, default: [] },
    faults: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(INFER_USAGE)
  process.exit(0)
}

const RESULT = 'bench/results/infer.md'
const FITTED = 'packages/server/src/source/package/infer/weights.json'
/** Lists are left out in so many parts, by turns. */
const PARTS = 20

const folders = [join(import.meta.dir, 'lists'), ...values.lists, ...positionals]
const cases = await Promise.all(labelledLists(folders).map(caseOf))
const examples = cases.map((one) => examplesOf(one, shippedLists().known()))

function tallied(weightsOf: (at: number) => Weights): Tally {
  const tally = new Tally()
  for (const [at, { list, descriptor, profiles }] of cases.entries())
    tally.add(list, infer(descriptor, profiles, shippedLists().known(), weightsOf(at)).descriptor.resources)
  return tally
}

const all = fitted(examples.flat(), byHand)
const without = Array.from({ length: PARTS }, (_, part) =>
  fitted(examples.filter((_one, at) => at % PARTS !== part).flat(), byHand),
)
const tallies: readonly (readonly [string, Tally])[] = [
  ['by hand', tallied(() => byHand)],
  ['fitted', tallied(() => all)],
  ['left out', tallied((at) => without[at % PARTS] as Weights)],
  ['shipped', tallied(() => WEIGHTS)],
]

const share = (part: number, whole: number) =>
  whole === 0 ? '–' : `${part}/${whole} ${((100 * part) / whole).toFixed(0)} %`
const rows = [...(tallies[0]?.[1].counts.keys() ?? [])].map((what) => {
  const cells = tallies.map(([, { counts }]) => {
    const { expected = 0, predicted = 0, hit = 0 } = counts.get(what) ?? {}
    return `${share(hit, expected)}; ${share(hit, predicted)}`
  })
  return `| ${[what, ...cells].join(' | ')} |`
})
const report = [
  '# What is inferred of lists of others',
  '',
  `\`npm run bench:infer\` over ${cases.length} labelled lists, ${examples.flat().length} columns: found, and right of what was said.`,
  'The weights are fitted near those that were set by hand; in the column "left out" no list is judged by weights that saw it.',
  '',
  `| | ${tallies.map(([name]) => name).join(' | ')} |`,
  `|---|${tallies.map(() => '---').join('|')}|`,
  `| lists all right | ${tallies.map(([, { right, cases: of }]) => share(right, of)).join(' | ')} |`,
  ...rows,
  '',
].join('\n')
if (values.faults) for (const fault of tallies[2]?.[1].faults ?? []) console.log(fault)
console.log(report)
writeFileSync(join(ROOT, RESULT), report)
if (values.write) writeFileSync(join(ROOT, FITTED), `${JSON.stringify(all, null, 2)}\n`)
