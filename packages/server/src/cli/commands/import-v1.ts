// nomenclator import v1 URL
import { join } from 'node:path'
import { FaultyRecords } from '../../source/faults.ts'
import type { Harvest } from '../../source/live-v1/live-v1.ts'
import { command, type Terminal } from '../command.ts'
import type { ValuesOf } from '../flags/flags.ts'
import { harvestFlags } from '../flags/harvest-flags.ts'
import { importFlags } from '../flags/import-flags.ts'
import { progressLine } from '../terminal/progress.ts'

const flags = {
  ...harvestFlags,
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
  const { HARVEST_DEFAULTS, harvestV1 } = await import('../../source/live-v1/live-v1.ts')
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
