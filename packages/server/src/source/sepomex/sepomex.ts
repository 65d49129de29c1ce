// The postal service's catalog of codes and settlements (SEPOMEX), read from the file that it publishes.
import { basename } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity, Identity } from '../../catalog/entity.ts'
import { Faults } from '../faults.ts'
import type { TextFile } from '../lines.ts'
import type { Block, GivenRow, Report, Source } from '../source.ts'
import { CODES, LISTS, packageWith, postalCatalog, SEPOMEX, SETTLEMENTS } from './definitions.ts'
import { postalFile, readSettlements } from './table.ts'

const TITLE = 'Correos de México, Catálogo Nacional de Códigos Postales'

/** A list of a home, and its records by official code. */
export type HomeList = { readonly entity: Entity; readonly byCode: ReadonlyMap<string, Identity> }

/** The lists of a home that settlements lie in. */
type PostalHome = {
  readonly catalog: Catalog
  readonly states: HomeList
  readonly municipalities: HomeList
  /** The code of the only locality of a municipality that has a name. */
  readonly localityOf: (municipality: string, name: string) => string | undefined
}

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

/** A postal code, the line of its first settlement, how many it has, and how many of them are in each municipality. */
type PostalCode = {
  readonly code: string
  readonly line: number
  city: string
  settlements: number
  readonly areas: Map<string, number>
}

/** Faults are ignored, because they are reported when the settlements themselves are read. */
async function survey(table: TextFile) {
  const byCode = new Map<number, PostalCode>()
  const texts = new Map<string, string>()
  /** A slice of a string keeps all of that string in memory, here a large part of a file. */
  const kept = (text: string) => texts.getOrInsertComputed(text, () => Buffer.from(text).toString())
  let notice: string | undefined
  let settlements = 0
  const lines = readSettlements(table, new Faults(0), (textOf, line) => {
    const code = Number(textOf('code'))
    const known = byCode.getOrInsertComputed(code, () => ({
      ...{ code: String(code).padStart(CODE_DIGITS, '0'), line, city: '', settlements: 0, areas: new Map() },
    }))
    known.settlements++
    if (known.city === '') known.city = kept(textOf('city'))
    const area = kept(textOf('state') + textOf('municipality'))
    known.areas.set(area, (known.areas.get(area) ?? 0) + 1)
  })
  for await (const block of lines) {
    notice ??= block.notice
    settlements += block.made.length
  }
  const codes = [...byCode].sort(([one], [other]) => one - other).map(([, code]) => code)
  return { codes, notice, settlements }
}

const CODE_DIGITS = 5
const SEVERAL = 'a postal code has settlements in several municipalities, and is shown with the one that has most'

function codeBlock(
  { file }: TextFile,
  codes: readonly PostalCode[],
  { states, municipalities }: PostalHome,
  { findings }: Report,
): Block {
  const rows = codes.map(({ code, line, city, settlements, areas }) => {
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
  return { file, lines: codes.map(({ line }) => line), rows }
}

const STATE_DIGITS = 2
const UNKNOWN = 'a settlement lies in a municipality that this home does not have, and is served without it'

const LOCATED = 'a settlement outside cities has the name of one locality of its municipality, and is given with that'
const EXACT = { localidadVeredicto: 'exact', localidadPuntaje: '1' }

async function* settlementBlocks(
  table: TextFile,
  { municipalities, localityOf }: PostalHome,
  { faults, findings }: Report,
): AsyncGenerator<Block> {
  const { file } = table
  let lines: number[] = []
  const blocks = readSettlements(table, faults, (textOf, line) => {
    lines.push(line)
    const area = textOf('state') + textOf('municipality')
    const municipio = municipalities.byCode.get(area)
    if (municipio === undefined)
      findings.add('settlement-in-unknown-municipality', UNKNOWN, {
        ...{ file, line, column: 'c_mnpio', value: area, says: `${area} ${textOf('name')}` },
      })
    // What lies in a city is a part of that, and may be called as a locality elsewhere in the municipality is.
    const localidad = textOf('city') === '' ? localityOf(area, textOf('name')) : undefined
    if (localidad !== undefined) findings.add('settlement-with-locality', LOCATED, `${localidad} ${textOf('name')}`)
    return given({
      clave: area + textOf('number'),
      nombre: textOf('name'),
      tipo: textOf('kind'),
      zona: textOf('zone'),
      codigoPostal: textOf('code'),
      municipio,
      localidad,
      ...(localidad && EXACT),
    })
  })
  for await (const { made } of blocks) {
    yield { file, lines, rows: made }
    lines = []
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
