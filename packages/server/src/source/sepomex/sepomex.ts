// The postal service's catalog of codes and settlements (SEPOMEX), read from the file that it publishes.
import { basename } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity, Identity } from '../../catalog/entity.ts'
import { Faults } from '../faults.ts'
import type { TextFile } from '../lines.ts'
import type { Block, GivenRow, Report, Source } from '../source.ts'
import { CODES, LISTS, packageWith, postalCatalog, SEPOMEX, SETTLEMENTS } from './definitions.ts'
import { postalFile, readSettlements, type Settlement } from './table.ts'

const TITLE = 'Correos de México, Catálogo Nacional de Códigos Postales'

/** A list of a home, and its records by official code. */
export type HomeList = { readonly entity: Entity; readonly byCode: ReadonlyMap<string, Identity> }

/** The lists of a home that settlements lie in. */
export type PostalHome = { readonly catalog: Catalog; readonly states: HomeList; readonly municipalities: HomeList }

/** Reads the whole file once, so that a code knows its settlements before the first record is built. */
export async function sepomexSource(path: string, home: PostalHome): Promise<Source> {
  refuseTakenNames(home.catalog)
  const table = await postalFile(path)
  const { codes, notice, settlements } = await survey(table)
  return {
    origin: {
      kind: SEPOMEX,
      title: TITLE,
      synthetic: false,
      credits: [{ to: TITLE, of: [...LISTS] }],
      options: { file: basename(path) },
    },
    catalog: postalCatalog(home.catalog, home.states.entity, home.municipalities.entity),
    provides: LISTS,
    numbering: Object.fromEntries(LISTS.map((list) => [list, 'official'])),
    packages: [packageWith(notice)],
    replaces: [SEPOMEX],
    expected: (list) => (list === CODES ? codes.length : settlements),
    read: (list, report) => {
      if (list === SETTLEMENTS) return settlementBlocks(table, home, report)
      return list === CODES ? [codeBlock(table, codes, home, report)] : []
    },
  }
}

function refuseTakenNames({ entities }: Catalog): void {
  const taken = [...entities.values()].find(
    ({ name, plural, package: own }) => own !== SEPOMEX && LISTS.some((list) => list === name || list === plural),
  )
  if (taken === undefined) return
  const owner = taken.package === undefined ? 'is there already' : `belongs to package ${taken.package}`
  throw new OperationalError(
    `the list ${taken.plural} ${owner}; remove it with nomenclator packages remove, or import into another home`,
  )
}

/** The first settlement that has a code, how many do, and in how many of them each municipality is. */
type PostalCode = {
  readonly first: Settlement
  city: string
  settlements: number
  readonly municipalities: Map<string, number>
}

const areaOf = ({ state, municipality }: Settlement) => state + municipality

/** Faults are ignored, because they are reported when the settlements themselves are read. */
async function survey(table: TextFile) {
  const byCode = new Map<string, PostalCode>()
  let notice: string | undefined
  let settlements = 0
  for await (const block of readSettlements(table, new Faults(0))) {
    notice ??= block.notice
    settlements += block.settlements.length
    for (const one of block.settlements) {
      const known = byCode.getOrInsertComputed(one.code, () => ({
        first: one,
        city: '',
        settlements: 0,
        municipalities: new Map(),
      }))
      const area = areaOf(one)
      known.settlements++
      known.city ||= one.city
      known.municipalities.set(area, (known.municipalities.get(area) ?? 0) + 1)
    }
  }
  const codes = [...byCode.values()].sort((a, b) => (a.first.code < b.first.code ? -1 : 1))
  return { codes, notice, settlements }
}

const SEVERAL = 'a postal code has settlements in several municipalities, and is shown with the one that has most'

function codeBlock(
  { file }: TextFile,
  codes: readonly PostalCode[],
  { states, municipalities }: PostalHome,
  { findings }: Report,
): Block {
  const rows = codes.map(({ first: { code, line }, city, settlements, municipalities: areas }) => {
    const [[area = ''] = []] = [...areas].sort(([, one], [, other]) => other - one)
    if (areas.size > 1)
      findings.add('postal-code-in-several-municipalities', SEVERAL, {
        ...{ file, line, column: 'c_mnpio', value: `${code}: ${[...areas.keys()].join(', ')}` },
      })
    return given({
      codigo: code,
      municipio: municipalities.byCode.get(area),
      estado: states.byCode.get(area.slice(0, STATE_DIGITS)),
      ciudad: city,
      totalAsentamientos: String(settlements),
    })
  })
  return { file, lines: codes.map(({ first }) => first.line), rows }
}

const STATE_DIGITS = 2
const UNKNOWN = 'a settlement lies in a municipality that this home does not have, and is served without it'

async function* settlementBlocks(
  table: TextFile,
  { municipalities }: PostalHome,
  { faults, findings }: Report,
): AsyncGenerator<Block> {
  const { file } = table
  for await (const { settlements } of readSettlements(table, faults)) {
    const rows = settlements.map((one) => {
      const area = areaOf(one)
      const municipio = municipalities.byCode.get(area)
      if (municipio === undefined)
        findings.add('settlement-in-unknown-municipality', UNKNOWN, {
          ...{ file, line: one.line, column: 'c_mnpio', value: area, says: `${area} ${one.name}` },
        })
      return given({
        clave: area + one.number,
        nombre: one.name,
        tipo: one.kind,
        zona: one.zone,
        codigoPostal: one.code,
        municipio,
      })
    })
    yield { file, lines: settlements.map(({ line }) => line), rows }
  }
}

/** A row without what is missing or empty. */
function given(values: Readonly<Record<string, Identity | undefined>>): GivenRow {
  const row: Record<string, Identity> = {}
  for (const field in values) {
    const value = values[field]
    if (value !== undefined && value !== '') row[field] = value
  }
  return row
}
