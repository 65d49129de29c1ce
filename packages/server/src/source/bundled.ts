// The real data that ships with the program, in data/: a data package like any other.
import { shippedFile } from '../base/program.ts'
import { builtInCatalog, builtInCredits, builtInNumbering } from './built-in.ts'
import { textFile } from './lines.ts'
import { type DefinedTable, definedLists } from './package/defined-tables.ts'
import type { Source } from './source.ts'

const tableOf = (name: string): DefinedTable => ({ ...textFile(shippedFile(`data/${name}.csv`)), format: 'csv' })

/** Without its aliases, which hold in every release, whatever its source. */
export const bundledSource = (): Source => ({
  ...definedLists(builtInCatalog, new Map([...builtInCatalog.entities.keys()].map((name) => [name, tableOf(name)]))),
  numbering: builtInNumbering,
  origin: {
    kind: 'bundled',
    title: 'the data that ships with Nomenclator',
    synthetic: false,
    credits: builtInCredits,
    options: {},
  },
})
