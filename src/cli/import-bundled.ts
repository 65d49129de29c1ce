// nomenclator import bundled
import { bundledSource } from '../source/bundled.ts'
import { command } from './command.ts'
import { importFlags, runImport } from './importing.ts'

export const importBundled = command({
  name: 'import bundled',
  says: 'Build a release from the data that ships with the program, and make it current.',
  flags: importFlags,
  examples: ['import bundled', 'import bundled --home /srv/catalogs --json'],
  run: ({ values, terminal }) => runImport('import bundled', values, terminal, bundledSource),
})
