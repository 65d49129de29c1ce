// INEGI's official catalog of states, municipalities and localities, read from the files that it publishes.
import { basename } from 'node:path'
import { builtInCatalog } from '../built-in.ts'
import { bundledSource } from '../bundled.ts'
import type { Block, GivenRow, Report, Source } from '../source.ts'
import type { NamedFile } from '../unusable-zip.ts'
import {
  type Areas,
  areaKey,
  type GeostatisticalArea,
  ownAreas,
  type Survey,
  silentReport,
  survey,
  type TablesByKind,
} from './areas.ts'
import { tablesIn } from './files.ts'
import { type AreaLevel, codeText, ENT, type Kind, LEVELS, LOC, MUN } from './header.ts'
import { type PlaceRules, readPlaces } from './places.ts'
import type { InegiTable } from './table.ts'

type InegiOptions = {
  /** If true, places that no longer exist are included, if a file has them. */
  readonly includeRetired: boolean
}

const MEXICO = { cvePais: 'MEX' } as const
const TITLE = 'INEGI, Catálogo Único de Claves (AGEEML)'
const CREDIT = 'INEGI, Catálogo Único de Claves de Áreas Geoestadísticas Estatales, Municipales y Localidades'

/**
 * Reads all headers first, so that a file that is not one of INEGI's is refused before anything is built. A file may be
 * given with a name, which then stands for its path wherever it is published.
 */
export async function inegiSource(
  given: readonly (string | NamedFile)[],
  { includeRetired }: InegiOptions,
): Promise<Source> {
  const files = given.map((file) => (typeof file === 'string' ? { path: file, name: file } : file))
  const tables = await tablesIn(files)
  const catalog = new InegiCatalog(tables, await stateLetterCodes(), includeRetired)
  return {
    origin: {
      kind: 'inegi',
      title: TITLE,
      synthetic: false,
      credits: [{ to: CREDIT, of: catalog.provides }],
      options: {
        files: given.map((file) => (typeof file === 'string' ? basename(file) : file.name)).join(', '),
        includeRetired,
      },
    },
    catalog: builtInCatalog,
    provides: catalog.provides,
    inPassing: catalog.inPassing,
    publishedBy: 'estado',
    expected: (name) => (name === 'localidad' ? catalog.surveyed?.localities : undefined),
    read: (name, report) => {
      if (name === 'estado') return catalog.states(report)
      if (name === 'municipio') return catalog.municipalities(report)
      return name === 'localidad' ? catalog.localities(report) : []
    },
  }
}

type LetterCodes = { readonly cveEstado: string; readonly cveRenapo: string }

/** INEGI has no letter codes of states. They come from the bundled data, by number. */
async function stateLetterCodes(): Promise<Map<number, LetterCodes>> {
  const report = silentReport()
  const letters = new Map<number, LetterCodes>()
  for await (const { rows } of bundledSource().read('estado', report)) {
    for (const { idEstado, cveEstado, cveRenapo } of rows) {
      letters.set(Number(idEstado), { cveEstado: String(cveEstado), cveRenapo: String(cveRenapo) })
    }
  }
  report.faults.throwIfAny()
  return letters
}

type MunicipalityCode = { readonly idEstado: Pick<LetterCodes, 'cveEstado'>; readonly cveMunicipio: string }

class InegiCatalog {
  readonly #tables: TablesByKind
  readonly #letters: ReadonlyMap<number, LetterCodes>
  readonly #rules: PlaceRules
  #survey: Promise<Survey> | undefined
  /** Undefined until a survey was necessary. */
  surveyed: Survey | undefined

  constructor(tables: readonly InegiTable[], letters: ReadonlyMap<number, LetterCodes>, includeRetired: boolean) {
    const of = (kind: Kind) => tables.filter(({ layout }) => layout.kind === kind)
    this.#tables = { estado: of('estado'), municipio: of('municipio'), localidad: of('localidad') }
    this.#letters = letters
    this.#rules = {
      includeRetired,
      readsFacts: true,
      isState: (code) => letters.has(code),
      hasMunicipality: () => true,
    }
  }

  /** A table of localities also gives the areas that they lie in. */
  get provides(): Kind[] {
    const givesAll = this.#tables.localidad.length > 0
    return LEVELS.map(({ entity }) => entity).filter((kind) => givesAll || this.#tables[kind].length > 0)
  }

  get inPassing(): Kind[] {
    return this.provides.filter((kind) => this.#tables[kind].length === 0)
  }

  async *states(report: Report): AsyncGenerator<Block> {
    const rowOf = ({ codes, name, facts }: GeostatisticalArea): GivenRow => {
      const idEstado = codes[ENT] as number
      return { ...this.#lettersOf(codes), descEstado: name, idEstado, idPais: MEXICO, ...facts }
    }
    yield* (await this.#areas(ENT, report)).blocks(rowOf)
  }

  async *municipalities(report: Report): AsyncGenerator<Block> {
    const rowOf = ({ codes, name, facts }: GeostatisticalArea) => ({
      ...this.#codeOf(codes),
      descMunicipio: name,
      ...facts,
    })
    yield* (await this.#areas(MUN, report)).blocks(rowOf)
  }

  async *localities(report: Report): AsyncGenerator<Block> {
    const rules = this.#rules.includeRetired ? await this.#rulesForRetired() : this.#rules
    const municipalities = new Map<number, MunicipalityCode>()
    const municipalityOf = (codes: readonly number[]) => {
      const key = areaKey(codes, MUN)
      const code = municipalities.get(key) ?? this.#codeOf(codes)
      municipalities.set(key, code)
      return code
    }
    for (const table of this.#tables.localidad) {
      for await (const places of readPlaces(table, rules, report)) {
        const rows = places.map(({ codes, names, facts }) => {
          const idMunicipio = municipalityOf(codes)
          return {
            cveLocalidad: codeText(codes, LOC),
            descLocalidad: names[LOC] as string,
            idLocalidad: codes[LOC] as number,
            idEstado: idMunicipio.idEstado,
            idMunicipio,
            ...facts,
          }
        })
        yield { file: table.file, lines: places.map(({ line }) => line), rows }
      }
    }
  }

  /** readPlaces has refused all other codes. */
  #lettersOf = (codes: readonly number[]): LetterCodes => this.#letters.get(codes[ENT] as number) as LetterCodes

  /** A municipality, and its state, by code: what they come from, where no file has them, may number them otherwise. */
  #codeOf = (codes: readonly number[]): MunicipalityCode => ({
    idEstado: { cveEstado: this.#lettersOf(codes).cveEstado },
    cveMunicipio: codeText(codes, MUN),
  })

  async #areas(level: AreaLevel, report: Report): Promise<Areas> {
    if (this.#tables[LEVELS[level].entity].length > 0) return ownAreas(this.#tables, level, this.#rules, report)
    const { states, municipalities } = await this.#surveyOnce()
    const areas = level === ENT ? states : municipalities
    const { kind, description } = NAMED_TWICE[level]
    for (const [{ codes, name }, other] of areas.otherNames) {
      const code = codes.map((_, position) => codeText(codes, position)).join('')
      report.findings.add(kind, description, `${code} ${name}; ${other}`)
    }
    return areas
  }

  async #rulesForRetired(): Promise<PlaceRules> {
    const { municipalities } = await this.#surveyOnce()
    return { ...this.#rules, hasMunicipality: (codes) => municipalities.find(codes) !== undefined }
  }

  async #surveyOnce(): Promise<Survey> {
    this.#survey ??= survey(this.#tables, this.#rules)
    this.surveyed = await this.#survey
    return this.surveyed
  }
}

const NAMED_TWICE = {
  [ENT]: { kind: 'state-named-twice', description: 'a state has two names in the file, and keeps the first' },
  [MUN]: {
    kind: 'municipality-named-twice',
    description: 'a municipality has two names in the file, and keeps the first',
  },
} as const
