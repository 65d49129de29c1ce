// npm run bench:infer -- --lists FOLDER…
import { infer } from '../../packages/server/src/source/package/infer/infer.ts'
import { builtInLists } from '../../packages/server/src/source/package/known-lists.ts'
import { caseOf, labelledLists } from './labels.ts'
import { Tally } from './tally.ts'

const args = process.argv.slice(2)
const faults = args.includes('--faults')
const paths = args.filter((a) => !a.startsWith('--'))
const tally = new Tally()
for (const list of labelledLists(paths)) {
  const { descriptor, profiles } = await caseOf(list)
  tally.add(list, infer(descriptor, profiles, builtInLists()).descriptor.resources)
}
if (faults) for (const f of tally.faults) console.log(f)
console.log(`${tally.right} of ${tally.cases}`)
for (const [what, { expected, predicted, hit }] of tally.counts)
  console.log(what.padEnd(16), `found ${hit}/${expected}`.padEnd(18), `right ${hit}/${predicted}`)
