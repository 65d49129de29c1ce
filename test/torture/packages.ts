// Packages that no one would write: whatever is asked of their lists, the response must be that of a naive model.
import fc from 'fast-check'
import { anyPackage } from '../packages/any-package.ts'
import { LAWS } from '../packages/package-laws.ts'
import { faultOf } from '../packages/served-package.ts'
import type { Campaign } from './trial.ts'

/** Every so many packages, one is asked over a socket. */
const OVER_SOCKET = 5
const MAX_SHOWN = 10

export const packages: Campaign = {
  name: 'packages',
  title: 'Any packages',
  description: `Data packages are generated, written as files, imported in two editions and served: one to eight lists, with keys of any text, of numbers and of several fields, references, trees, values of every type and names in languages. Fields are called like parameters, suffixes of parameters, markup, paths and members of every object; keys and values are as hostile. Of each list are asked ${Object.keys(LAWS).join(', ')}, and every response must be that of a naive model of the files, and as the OpenAPI document of the release describes it.`,
  run: async (trial) => {
    const total = trial.size({ full: 600, quick: 60, test: 1 })
    const lists = { asked: 0, overSocket: 0 }
    let told = 0
    for (let number = 0; number < total; number++) {
      // One after the other, since each is large.
      const [any] = fc.sample(anyPackage, { numRuns: 1, seed: trial.seed * 1_000_003 + number })
      if (any === undefined) throw new Error('no package was generated')
      const isOverSocket = number % OVER_SOCKET === 0
      const fault = await faultOf(any, isOverSocket)
      lists.asked += any.lists.length
      if (isOverSocket) lists.overSocket += any.lists.length
      if (fault !== undefined && told++ < MAX_SHOWN) trial.require(false, `package ${number}: ${fault.slice(0, 2_000)}`)
      if (number % 100 === 99) trial.log(`${number + 1} packages, ${told} of them not sound`)
    }
    trial.require(told === 0, `${told} of ${total} packages were not served as they should be`)
    trial.fact(
      `${total.toLocaleString('en')} packages with ${lists.asked.toLocaleString('en')} lists, of which ${lists.overSocket.toLocaleString('en')} were asked over a socket`,
    )
  },
}
