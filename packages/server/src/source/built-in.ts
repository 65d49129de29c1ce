// The catalog that ships with the program: the lists that data/datapackage.json defines, each of them in the table beside it.
import { readFileSync } from 'node:fs'
import { parseOwnJson } from '../base/json.ts'
import { shippedFile } from '../base/program.ts'
import { type EntityData, orderedCatalog } from '../catalog/catalog.ts'
import type { Origin } from './source.ts'

/** The part of the descriptor that the program reads; the words of the standard in it are for others. */
type ShippedPackage = {
  readonly resources: readonly {
    readonly path: string
    readonly 'nomenclator:definition'?: EntityData
  }[]
  readonly 'nomenclator:credits': Origin['credits']
}

const shipped = parseOwnJson<ShippedPackage>(readFileSync(shippedFile('data/datapackage.json'), 'utf8'))

const lists = shipped.resources.flatMap(({ 'nomenclator:definition': definition, path }) =>
  definition === undefined ? [] : [{ definition, path }],
)

export const builtInCatalog = orderedCatalog(lists.map(({ definition }) => definition))

/** Whom to credit for the records that ship with the program. */
export const builtInCredits = shipped['nomenclator:credits']

/** The file in data/ of each list, by the name of the list. */
export const builtInTables = lists.map(({ definition: { name }, path }) => [name, path] as const)
