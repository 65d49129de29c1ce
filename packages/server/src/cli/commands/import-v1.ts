// nomenclator import v1 URL
import { join } from 'node:path'
import { v1Collections } from '../../catalog/collections.ts'
import { builtInCatalog } from '../../source/built-in.ts'
import { FaultyRecords } from '../../source/faults.ts'
import { type InvalidFlag, wholeNumber } from '../flags/flags.ts'
import { importCommand } from '../home/import-command.ts'
import { progressLine } from '../terminal/progress.ts'

const names = v1Collections(builtInCatalog).map(({ name }) => name)

export const importV1 = importCommand({
  source: 'v1',
  summary: 'Import from a running server of API v1',
  description: 'If it is interrupted, the same command continues where it stopped.',
  operands: { usage: 'URL', min: 1, max: 1 },
  flags: {
    only: {
      value: 'LIST',
      description: `only these collections, separated by commas: ${names.join(', ')}`,
      parse: someOf,
    },
    concurrency: { value: 'N', description: 'requests at a time', defaultValue: '8', parse: wholeNumber(1, 256) },
    rate: { value: 'N', description: 'most requests in a second', parse: wholeNumber(1, 100_000) },
  },
  examples: ['import v1 https://catalogs.example.org', 'import v1 http://127.0.0.1:8080 --only paises --rate 20'],
  open: async ({ values: { only, concurrency, rate, wait }, operands, terminal }, home, resources) => {
    const { HARVEST_DEFAULTS, harvestV1 } = await import('../../source/live-v1/live-v1.ts')
    const url = operands[0] as string
    const { lockDirectory } = await import('../home/open-home.ts')
    const directory = join(home, 'harvest', Bun.hash.xxHash64(url).toString(16))
    // A second harvest of the same server waits for the pages of the first.
    resources.use(await lockDirectory(directory, 'import v1', wait, terminal))
    using progress = progressLine(terminal)
    const harvest = await harvestV1(url, {
      ...HARVEST_DEFAULTS,
      directory,
      only,
      concurrency,
      rate,
      onProgress: ({ collection, donePages, totalPages }) =>
        progress.show(`pages of ${collection}`, donePages, totalPages),
    })
    return {
      source: harvest.source,
      onImported: harvest.discard,
      onRefused: (error) => {
        if (error instanceof FaultyRecords) harvest.discard()
        return error
      },
    }
  },
})

function someOf(list: string): readonly string[] | InvalidFlag {
  const some = list.split(',').map((name) => name.trim())
  return some.every((name) => names.includes(name)) ? some : { allowed: `some of ${names.join(', ')}` }
}
