// The real data that ships with the program, in data/: a tabular directory like any other.
import { shippedFile } from '../base/program.ts'
import { STAND_IN_CREDIT, STAND_INS } from './numbering.ts'
import type { Source } from './source.ts'
import { tabularSource } from './tabular/tabular.ts'

export function bundledSource(): Source {
  // Its aliases hold in every release, whatever its source.
  const { aliases: _, ...source } = tabularSource(shippedFile('data'))
  return {
    ...source,
    numbering: Object.fromEntries(STAND_INS.map((name) => [name, 'stand-in'])),
    origin: {
      kind: 'bundled',
      title: 'the data that ships with Nomenclator',
      synthetic: false,
      credits: [
        {
          to:
            `${STAND_IN_CREDIT} (https://www.geonames.org/), CC BY 4.0, changed: the code of a locality is its geonameid, or ` +
            'INEGI’s nine digits for a seat that GeoNames lacks, and its identifier is ours',
          of: ['municipio', 'localidad'],
        },
        { to: 'Unicode CLDR, Unicode-3.0', of: ['pais'] },
        {
          to: 'the UNESCO nomenclature for fields of science and technology',
          of: ['area', 'campo', 'disciplina', 'subdisciplina'],
        },
      ],
      options: {},
    },
  }
}
