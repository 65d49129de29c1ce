// nomenclator import tabular DIR
import { command } from '../command.ts'
import { importFlags } from '../flags/import-flags.ts'

export const importTabular = command({
  name: 'import tabular',
  description: 'Import a directory of CSV or NDJSON files, one for each entity, in the names of our own fields.',
  operands: { usage: 'DIR', min: 1, max: 1 },
  flags: importFlags,
  examples: ['import tabular ./catalogs', 'import tabular ./catalogs --dry-run --json'],
  run: async ({ values, operands, terminal }) => {
    const { runImport } = await import('./importing.ts')
    const { tabularSource } = await import('../../source/tabular/tabular.ts')
    return runImport('import tabular', values, terminal, () => tabularSource(operands[0] as string))
  },
})
