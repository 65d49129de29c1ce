// nomenclator import inegi FILE…
import { command } from './command.ts'
import { yes } from './flags.ts'
import { importFlags } from './import-flags.ts'

export const importInegi = command({
  name: 'import inegi',
  description:
    "Import states, municipalities and localities from INEGI's Catálogo Único de Claves, as downloaded: zip or CSV.",
  operands: { usage: 'FILE...', min: 1, max: 1_000 },
  flags: {
    'include-retired': { description: 'keep localities whose status is Baja', parse: yes },
    ...importFlags,
  },
  examples: ['import inegi catun_localidad.zip', 'import inegi AGEEML_2025_utf.csv --dry-run'],
  run: async ({ values, operands, terminal }) => {
    const { runImport } = await import('./importing.ts')
    const { inegiSource } = await import('../source/inegi/inegi.ts')
    const options = { includeRetired: values['include-retired'] }
    return runImport('import inegi', values, terminal, () => inegiSource(operands, options))
  },
})
