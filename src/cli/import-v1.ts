// nomenclator import v1 URL
import { join } from 'node:path'
import { v1Collections } from '../catalog/collections.ts'
import { builtInCatalog } from '../catalog/entities.ts'
import { FaultyRecords } from '../source/faults.ts'
import type { Harvest } from '../source/live-v1/live-v1.ts'
import { command, type Terminal } from './command.ts'
import { type ValuesOf, type Wrong, wholeNumber } from './flags.ts'
import { importFlags } from './import-flags.ts'
import { progressLine } from './progress.ts'

const names = v1Collections(builtInCatalog).map(({ name }) => name)

const flags = {
  only: {
    value: 'LIST',
    description: `just these collections, separated by commas: ${names.join(', ')}`,
    parse: someOf,
  },
  concurrency: {
    value: 'N',
    description: 'requests under way at a time',
    defaultValue: '8',
    parse: wholeNumber(1, 256),
  },
  rate: { value: 'N', description: 'at most so many requests a second', parse: wholeNumber(1, 100_000) },
  ...importFlags,
} as const

type Values = ValuesOf<typeof flags>

export const importV1 = command({
  name: 'import v1',
  description: 'Import from a running server of API v1. Interrupted, the same command goes on where it stopped.',
  operands: { usage: 'URL', min: 1, max: 1 },
  flags,
  examples: ['import v1 https://catalogs.example.org', 'import v1 http://127.0.0.1:8080 --only paises --rate 20'],
  run: async ({ values, operands, terminal }) => {
    const { runImport } = await import('./importing.ts')
    let harvest: Harvest | undefined
    try {
      const exitCode = await runImport('import v1', values, terminal, async (home) => {
        harvest = await harvested(operands[0] as string, home, values, terminal)
        return harvest.source
      })
      // A dry run keeps the pages for the import that follows it.
      if (!values['dry-run']) harvest?.discard()
      return exitCode
    } catch (error) {
      if (error instanceof FaultyRecords) harvest?.discard()
      throw error
    }
  },
})

async function harvested(url: string, home: string, values: Values, terminal: Terminal): Promise<Harvest> {
  const { HARVEST_DEFAULTS, harvestV1 } = await import('../source/live-v1/live-v1.ts')
  const progress = progressLine(terminal)
  try {
    return await harvestV1(url, {
      ...HARVEST_DEFAULTS,
      directory: join(home, 'harvest', Bun.hash.xxHash64(url).toString(16)),
      only: values.only,
      concurrency: values.concurrency,
      rate: values.rate,
      onProgress: ({ collection, donePages, totalPages }) =>
        progress.show(`pages of ${collection}`, donePages, totalPages),
    })
  } finally {
    progress.clear()
  }
}

function someOf(list: string): readonly string[] | Wrong {
  const some = list.split(',').map((name) => name.trim())
  return some.every((name) => names.includes(name)) ? some : { allowed: `some of ${names.join(', ')}` }
}
