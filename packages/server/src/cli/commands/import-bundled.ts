// nomenclator import bundled
import { importCommand } from '../home/import-command.ts'

export const importBundled = importCommand({
  source: 'bundled',
  summary: 'Import the data that ships with the program',
  flags: {},
  examples: ['import bundled', 'import bundled --home /srv/catalogs --json'],
  open: async () => {
    const { bundledSource } = await import('../../source/bundled.ts')
    return { source: bundledSource() }
  },
})
