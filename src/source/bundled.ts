// The real data that ships with the program, in data/.
import { join } from 'node:path'
import { entities, entityNames } from '../catalog/entities.ts'
import { readCsv } from './csv.ts'
import type { Source } from './source.ts'

const DATA = join(import.meta.dir, '..', '..', 'data')

export function bundledSource(): Source {
  return {
    origin: {
      kind: 'bundled',
      title: 'the data that ships with Nomenclator',
      synthetic: false,
      credits: [
        'Municipalities and localities contain data from GeoNames (https://www.geonames.org/), CC BY 4.0, changed: ' +
          'the code of a locality is its geonameid and its identifier is ours, neither is INEGI’s',
        'Country names from Unicode CLDR, Unicode-3.0',
        'Fields of knowledge from the UNESCO nomenclature for fields of science and technology',
      ],
      options: {},
    },
    provides: entityNames,
    expected: () => undefined,
    read: (name, { faults }) => readCsv(join(DATA, `${name}.csv`), `data/${name}.csv`, entities[name], faults),
  }
}
