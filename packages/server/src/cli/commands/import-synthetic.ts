// nomenclator import synthetic
import { wholeNumber } from '../flags/flags.ts'
import { importCommand } from '../home/import-command.ts'

export const importSynthetic = importCommand({
  source: 'synthetic',
  summary: 'Import invented data at full scale, for tests',
  description: 'Benchmarks use it, too.',
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
  },
  examples: ['import synthetic', 'import synthetic --scale 10 --seed 7'],
  open: async ({ values: { seed, scale } }) => {
    const { syntheticSource } = await import('../../source/synthetic/synthetic.ts')
    return { source: syntheticSource({ seed, scale }) }
  },
})
