// npm run torture:import: kills imports under a running server, and says what came of it.
import { parseArgs } from 'node:util'
import { tortureImports } from './campaign.ts'

const USAGE = `npm run torture:import -- [--kills N] [--seconds N] [--localities N]

Kills imports under a running server, again and again, and checks each time that nothing was lost.

  --kills N       how many (default 100)
  --seconds N     no longer than this (default 1800)
  --localities N  in each release (default 5000)

For example: npm run torture:import -- --kills 60 --localities 30000`

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    kills: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '1800' },
    localities: { type: 'string', default: '5000' },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const { kills, left, remains, late, slowestSwap, total, pages, seconds } = await tortureImports({
  kills: Number(values.kills),
  seconds: Number(values.seconds),
  limits: { localidad: Number(values.localities) },
  log: console.log,
})
console.log(
  `killed: ${kills.change} in the middle of a change to the disk, ${kills.moment} at a random moment, ${kills.sight} at a sight`,
)
console.log(`late: ${late} imports were done before they could be killed`)
console.log(`current afterwards: the release before ${left.before} times, the new one ${left.after} times`)
console.log(`half done things lay about ${remains} times, and never after the next import`)
console.log(`${pages} pages were read, each of them whole; none was more than ${Math.round(slowestSwap)} ms behind`)
console.log(`torture:import: ${total} kills in ${Math.round(seconds)} s, nothing lost`)
if (total < Number(values.kills)) console.log(`The time was over before ${values.kills} kills.`)
process.exit(total < Number(values.kills) ? 1 : 0)
