// The real data that ships with the program, in data/: a data package like any other.
import { shippedFile } from '../base/program.ts'
import { builtInCatalog, builtInCredits, builtInTables } from './built-in.ts'
import { textFile } from './lines.ts'
import { type DefinedTable, definedLists } from './package/defined-tables.ts'
import type { Block, Report, Source } from './source.ts'

const tableOf = (path: string): DefinedTable => ({ ...textFile(shippedFile(`data/${path}`)), format: 'csv' })

/** The sources that last showed the codes of localities: a finding for each value of their field `fuente`. */
const LAST_SHOWN = new Map([
  ['censo 2020', ['code-of-census', 'the code of a locality was last shown by the census of 2020']],
  ['servicio 2026', ['code-of-service', 'the code of a locality was last shown by the service of INEGI in 2026']],
  [
    'catálogo 2018',
    [
      'code-of-old-catalog',
      'the code of a locality was last shown by the catalog of 2018, and may have been retired since',
    ],
  ],
] as const)

async function* withLastShown(blocks: ReturnType<Source['read']>, { findings }: Report): AsyncGenerator<Block> {
  for await (const block of blocks) {
    for (const { fuente, cveLocalidad, descLocalidad } of block.rows) {
      const [kind, description] = LAST_SHOWN.get(fuente as never) ?? []
      if (kind !== undefined) findings.add(kind, description, `${cveLocalidad} ${descLocalidad}`)
    }
    yield block
  }
}

/** Without its aliases, which hold in every release, whatever its source. */
export function bundledSource(): Source {
  const lists = definedLists(builtInCatalog, new Map(builtInTables.map(([name, path]) => [name, tableOf(path)])))
  return {
    ...lists,
    read: (name, report) => {
      const blocks = lists.read(name, report)
      return name === 'localidad' ? withLastShown(blocks, report) : blocks
    },
    origin: {
      kind: 'bundled',
      title: 'the data that ships with Nomenclator',
      synthetic: false,
      credits: builtInCredits,
      options: {},
    },
  }
}
