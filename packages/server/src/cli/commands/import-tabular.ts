// nomenclator import tabular DIR
import { importCommand } from '../home/import-command.ts'

export const importTabular = importCommand({
  source: 'tabular',
  description: 'Import a directory of CSV or NDJSON files, one for each entity, in the names of our own fields.',
  operands: { usage: 'DIR', min: 1, max: 1 },
  flags: {},
  examples: ['import tabular ./catalogs', 'import tabular ./catalogs --dry-run --json'],
  open: async ({ operands }) => {
    const { tabularSource } = await import('../../source/tabular/tabular.ts')
    return { source: tabularSource(operands[0] as string) }
  },
})
