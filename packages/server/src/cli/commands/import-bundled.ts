// nomenclator import bundled
import { command } from '../command.ts'
import { importFlags } from '../flags/import-flags.ts'

export const importBundled = command({
  name: 'import bundled',
  description: 'Build a release from the data that ships with the program, and make it current.',
  flags: importFlags,
  examples: ['import bundled', 'import bundled --home /srv/catalogs --json'],
  run: async ({ values, terminal }) => {
    const { runImport } = await import('./importing.ts')
    const { bundledSource } = await import('../../source/bundled.ts')
    return runImport('import bundled', values, terminal, bundledSource)
  },
})
