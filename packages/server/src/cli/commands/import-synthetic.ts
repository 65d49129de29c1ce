// nomenclator import synthetic
import { command } from '../command.ts'
import { wholeNumber } from '../flags/flags.ts'
import { importFlags } from '../flags/import-flags.ts'

export const importSynthetic = command({
  name: 'import synthetic',
  description: 'Build a release of invented data at full scale, for tests and benchmarks, and make it current.',
  flags: {
    seed: {
      value: 'N',
      description: 'another seed gives other records',
      defaultValue: '1',
      parse: wholeNumber(0, 4_294_967_295),
    },
    scale: {
      value: 'N',
      description: 'how many times the 300,137 localities',
      defaultValue: '1',
      parse: wholeNumber(1, 1_000),
    },
    ...importFlags,
  },
  examples: ['import synthetic', 'import synthetic --scale 10 --seed 7'],
  run: async ({ values, terminal }) => {
    const { runImport } = await import('./importing.ts')
    const { syntheticSource } = await import('../../source/synthetic/synthetic.ts')
    return runImport('import synthetic', values, terminal, () =>
      syntheticSource({ seed: values.seed, scale: values.scale }),
    )
  },
})
