// nomenclator import v1 URL
import { join } from 'node:path'
import { FaultyRecords } from '../../source/faults.ts'
import { harvestFlags } from '../flags/harvest-flags.ts'
import { importCommand } from '../home/import-command.ts'
import { progressLine } from '../terminal/progress.ts'

export const importV1 = importCommand({
  source: 'v1',
  summary: 'Import from a running server of API v1',
  description: 'If it is interrupted, the same command continues where it stopped.',
  operands: { usage: 'URL', min: 1, max: 1 },
  flags: harvestFlags,
  examples: ['import v1 https://catalogs.example.org', 'import v1 http://127.0.0.1:8080 --only paises --rate 20'],
  open: async ({ values: { only, concurrency, rate, wait }, operands, terminal }, home) => {
    const { HARVEST_DEFAULTS, harvestV1 } = await import('../../source/live-v1/live-v1.ts')
    const url = operands[0] as string
    const { lockDirectory } = await import('../home/open-home.ts')
    const directory = join(home, 'harvest', Bun.hash.xxHash64(url).toString(16))
    using opened = new DisposableStack()
    // A second harvest of the same server waits for the pages of the first.
    opened.use(await lockDirectory(directory, 'import v1', wait, terminal))
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
    const held = opened.move()
    return {
      source: harvest.source,
      close: () => held.dispose(),
      onImported: harvest.discard,
      onRefused: (error) => {
        if (error instanceof FaultyRecords) harvest.discard()
        return error
      },
    }
  },
})
