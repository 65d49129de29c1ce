// Files like those that INEGI publishes, made for tests: in any encoding, of any size, plain and zipped.
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { type Fault, Faults, FaultyRecords } from '../../packages/server/src/source/faults.ts'
import { type Finding, Findings } from '../../packages/server/src/source/findings.ts'
import { inegiSource } from '../../packages/server/src/source/inegi/inegi.ts'
import type { GivenRow, Source } from '../../packages/server/src/source/source.ts'
import { type Rows, TestDirectory } from './releases.ts'

const EXCERPTS = join(import.meta.dir, '..', 'data', 'inegi')

/** A directory to put files in for the length of one test. */
export class ScratchDirectory extends TestDirectory {
  put(name: string, content: string | Uint8Array): string {
    const path = join(this.path, name)
    writeFileSync(path, content)
    return path
  }
}

/** A few published rows, as text. */
export const excerpt = (name: string): string => readFileSync(join(EXCERPTS, `${name}.csv`), 'utf8')

// The rows of the excerpts: states and municipalities as localities name them, municipalities of their own table.
export const estado: GivenRow[] = [
  { cveEstado: 'AGS', cveRenapo: 'AS', descEstado: 'Aguascalientes', idEstado: 1, idPais: { cvePais: 'MEX' } },
  { cveEstado: 'CDMX', cveRenapo: 'DF', descEstado: 'Ciudad de México', idEstado: 9, idPais: { cvePais: 'MEX' } },
  { cveEstado: 'OAX', cveRenapo: 'OC', descEstado: 'Oaxaca', idEstado: 20, idPais: { cvePais: 'MEX' } },
]
export const municipio: GivenRow[] = [
  { cveMunicipio: '001', descMunicipio: 'Aguascalientes', idEstado: { cveEstado: 'AGS' } },
  { cveMunicipio: '003', descMunicipio: 'Calvillo', idEstado: { cveEstado: 'AGS' } },
  { cveMunicipio: '010', descMunicipio: 'Álvaro Obregón', idEstado: { cveEstado: 'CDMX' } },
  { cveMunicipio: '001', descMunicipio: 'Abejones', idEstado: { cveEstado: 'OAX' } },
]
export const inOwnTable: GivenRow[] = [
  ...municipio,
  { cveMunicipio: '002', descMunicipio: 'Acatlán de Pérez Figueroa', idEstado: { cveEstado: 'OAX' } },
]
const locality = (cveEstado: string, cveMunicipio: string, cveLocalidad: string, descLocalidad: string): GivenRow => ({
  cveLocalidad,
  descLocalidad,
  idLocalidad: Number(cveLocalidad),
  idEstado: { cveEstado },
  idMunicipio: { idEstado: { cveEstado }, cveMunicipio },
})
export const localidad: GivenRow[] = [
  locality('AGS', '001', '0001', 'Aguascalientes'),
  locality('AGS', '001', '0094', 'Granja Adelita'),
  locality('AGS', '001', '0104', 'Ardillas De Abajo (Las Ardillas)'),
  locality('AGS', '001', '0120', 'Buenavista de Peñuelas'),
  locality('AGS', '003', '0001', 'Calvillo'),
  locality('CDMX', '010', '0001', 'Álvaro Obregón'),
  locality('OAX', '001', '0001', 'Abejones'),
  locality('OAX', '001', '0007', 'El Paraíso [Rancho]'),
  locality('OAX', '001', '0008', 'El Paraíso [Rancho]'),
  locality('OAX', '001', '0012', 'Rancho "El Sueño"'),
]
export const retiredLocality = locality('AGS', '001', '0114', 'Residencial San Nicolás [Baños la Cantera]')

export const encodings = {
  'UTF-8': (text: string) => Buffer.from(text),
  'UTF-8 with a mark': (text: string) => Buffer.from(`\ufeff${text}`),
  'Windows-1252': (text: string) => Buffer.from(text, 'latin1'),
} as const

export type Reading = {
  /** The rows without their facts. */
  readonly rows: Rows
  /** The facts of every row. */
  readonly facts: Readonly<Record<string, readonly GivenRow[]>>
  /** `file:line` of every row. */
  readonly locations: Readonly<Record<string, readonly string[]>>
  readonly findings: Finding[]
  readonly faults: readonly Fault[]
}

/** Everything that a source provides, in the order in which a build reads it. */
export async function readAll(source: Source): Promise<Reading> {
  const report = { faults: new Faults(), findings: new Findings() }
  const rows: Record<string, readonly GivenRow[]> = {}
  const facts: Record<string, readonly GivenRow[]> = {}
  const locations: Record<string, readonly string[]> = {}
  for (const name of source.provides) {
    const [found, foundAt]: [GivenRow[], string[]] = [[], []]
    for await (const block of source.read(name, report)) {
      found.push(...block.rows)
      foundAt.push(...block.lines.map((line) => `${block.file}:${line}`))
    }
    const isFact = (field: string) => source.catalog.entities.get(name)?.fields[field]?.kind === 'fact'
    const only = (wanted: boolean) => (row: GivenRow) =>
      Object.fromEntries(Object.entries(row).filter(([field]) => isFact(field) === wanted))
    rows[name] = found.map(only(false))
    facts[name] = found.map(only(true))
    locations[name] = foundAt
  }
  return {
    rows,
    facts,
    locations,
    findings: report.findings.list(),
    faults: faultsOf(() => report.faults.throwIfAny()),
  }
}

/** The faults of a file, without its name, which is the same in all of them. */
export async function faultsIn(content: string | Uint8Array, includeRetired = false) {
  using directory = new ScratchDirectory()
  const file = directory.put('given.csv', content)
  const { faults } = await readAll(await inegiSource([file], { includeRetired }))
  return faults.map((fault) => [
    fault.file === file ? fault.line : fault.file,
    fault.column,
    fault.value,
    fault.expected,
  ])
}

function faultsOf(run: () => void): readonly Fault[] {
  try {
    run()
  } catch (error) {
    if (error instanceof FaultyRecords) return error.faults
    throw error
  }
  return []
}

const HEADER =
  'CVEGEO,Estatus,CVE_ENT,NOM_ENT,NOM_ABR,CVE_MUN,NOM_MUN,CVE_LOC,NOM_LOC,AMBITO,LATITUD,LONGITUD,LAT_DECIMAL,' +
  'LON_DECIMAL,ALTITUD,CVE_CARTA,POB_TOTAL,POB_MASCULINA,POB_FEMENINA,TOTAL DE VIVIENDAS HABITADAS'
const STATES = 32
const MUNICIPALITIES = 75

const padded = (value: number, digits: number) => String(value).padStart(digits, '0')

/** Invented localities of one municipality in the layout of 2025; every seventh of all is retired. */
function linesOf(municipality: number, count: number): string {
  const ent = padded(1 + Math.floor(municipality / MUNICIPALITIES), 2)
  const mun = padded(1 + (municipality % MUNICIPALITIES), 3)
  const areas = `"${ent}","Estado Señalado ${ent}","Edo.","${mun}","Municipio de Ñandú ${mun}"`
  let lines = ''
  for (let at = 1; at <= count; at++) {
    const loc = padded(at, 4)
    const number = municipality * count + at
    lines +=
      `"${ent}${mun}${loc}","${number % 7 === 0 ? 'Baja' : ''}",${areas},"${loc}","Ranchería Número ${number} (El Peñón) ",` +
      `"R","21°56´42.${number}"N","102°11´30.914"W","21.94506800","-102.19192100","1989","F13D19","14","*","-","3"\r\n`
  }
  return lines
}

/** Writes a table with as many localities in each of 2,400 municipalities. */
export function writeLocalities(path: string, each: number, encoding: 'latin1' | 'utf8'): void {
  const file = openSync(path, 'w')
  try {
    writeSync(file, `${HEADER}\r\n`)
    for (let at = 0; at < STATES * MUNICIPALITIES; at++) writeSync(file, linesOf(at, each), null, encoding)
  } finally {
    closeSync(file)
  }
}

/** A municipality, and where it lies; a table of states or of localities is made of these too. */
export type InegiPlace = {
  /** Its state by number and by name. */
  readonly state: string
  readonly stateName: string
  readonly code: string
  readonly name: string
  /** The names of its localities, which are numbered from 1. */
  readonly localities: readonly string[]
}

/** Writes one of INEGI's tables, and gives its path. */
export function inegiTable(
  path: string,
  kind: 'estado' | 'municipio' | 'localidad',
  places: readonly InegiPlace[],
): string {
  const columns = ['CVE_ENT,NOM_ENT', 'CVE_MUN,NOM_MUN', 'CVE_LOC,NOM_LOC']
  const states = new Map(places.map(({ state, stateName }) => [state, `"${state}","${stateName}"`]))
  const municipality = ({ state, code, name }: InegiPlace) => `${states.get(state)},"${code}","${name}"`
  const lines = {
    estado: () => [...states.values()],
    municipio: () => places.map(municipality),
    localidad: () =>
      places.flatMap((place) =>
        place.localities.map((name, at) => `${municipality(place)},"${padded(at + 1, 4)}","${name}"`),
      ),
  }
  const depth = { estado: 1, municipio: 2, localidad: 3 }[kind]
  writeFileSync(path, [columns.slice(0, depth).join(), ...lines[kind]()].join('\r\n'))
  return path
}

export type ZipMember = {
  readonly name: string
  readonly bytes: Uint8Array
  /** False values for its headers. */
  readonly claims?: { readonly size?: number; readonly sum?: number; readonly method?: number }
}

const VERSION_AND_FLAGS = [20, 0x0800]
const METHOD_DEFLATE = 8

function record(signature: number, ...fields: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  const parts = fields.map(([bytes, value]) => {
    const part = Buffer.alloc(bytes)
    if (bytes === 2) part.writeUInt16LE(value)
    else part.writeUInt32LE(value)
    return part
  })
  const start = Buffer.alloc(4)
  start.writeUInt32LE(signature)
  return Buffer.concat([start, ...parts])
}

/** A zip of these files, all deflated. */
export function zipOf(members: readonly ZipMember[]): Buffer {
  const written: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes, claims } of members) {
    const packed = deflateRawSync(bytes)
    const label = Buffer.from(name)
    const facts = [
      ...VERSION_AND_FLAGS.map((value) => [2, value] as const),
      [2, claims?.method ?? METHOD_DEFLATE],
      [4, 0],
      [4, claims?.sum ?? crc32(bytes)],
      [4, packed.length],
      [4, claims?.size ?? bytes.length],
      [2, label.length],
      [2, 0],
    ] as const
    const local = Buffer.concat([record(0x04034b50, ...facts), label, packed])
    directory.push(record(0x02014b50, [2, 20], ...facts, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), label)
    written.push(local)
    offset += local.length
  }
  const index = Buffer.concat(directory)
  const count = members.length
  const end = record(0x06054b50, [2, 0], [2, 0], [2, count], [2, count], [4, index.length], [4, offset], [2, 0])
  return Buffer.concat([...written, index, end])
}
