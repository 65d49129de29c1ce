// The real data that ships with the program, in data/: a tabular directory like any other.
import { shippedFile } from '../base/program.ts'
import { builtInCredits, builtInNumbering } from './built-in.ts'
import type { Source } from './source.ts'
import { tabularSource } from './tabular/tabular.ts'

export function bundledSource(): Source {
  // Its aliases hold in every release, whatever its source.
  const { aliases: _, ...source } = tabularSource(shippedFile('data'))
  return {
    ...source,
    numbering: builtInNumbering,
    origin: {
      kind: 'bundled',
      title: 'the data that ships with Nomenclator',
      synthetic: false,
      credits: builtInCredits,
      options: {},
    },
  }
}
