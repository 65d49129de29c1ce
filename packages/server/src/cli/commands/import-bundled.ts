// nomenclator import bundled
import { importCommand } from '../home/import-command.ts'

export const importBundled = importCommand({
  source: 'bundled',
  description: 'Build a release from the data that ships with the program, and make it current.',
  flags: {},
  examples: ['import bundled', 'import bundled --home /srv/catalogs --json'],
  open: async () => {
    const { bundledSource } = await import('../../source/bundled.ts')
    return { source: bundledSource() }
  },
})
