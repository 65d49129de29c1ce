// The flags of commands that read a running server of API v1.
import { v1Collections } from '../../catalog/collections.ts'
import { builtInCatalog } from '../../source/built-in.ts'
import { type InvalidFlag, wholeNumber } from './flags.ts'

const names = v1Collections(builtInCatalog).map(({ name }) => name)

export const harvestFlags = {
  only: {
    value: 'LIST',
    description: `only these collections, separated by commas: ${names.join(', ')}`,
    parse: someOf,
  },
  concurrency: {
    value: 'N',
    description: 'requests at a time',
    defaultValue: '8',
    parse: wholeNumber(1, 256),
  },
  rate: { value: 'N', description: 'most requests in a second', parse: wholeNumber(1, 100_000) },
} as const

function someOf(list: string): readonly string[] | InvalidFlag {
  const some = list.split(',').map((name) => name.trim())
  return some.every((name) => names.includes(name)) ? some : { allowed: `some of ${names.join(', ')}` }
}
