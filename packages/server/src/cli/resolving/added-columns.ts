// The columns of a table that are read to resolve its rows, and those that are added to it.

import { didYouMean } from '../../base/nearest.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { type Entity, identifierOf, nameFieldOf } from '../../catalog/entity.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { usualCodeOf } from '../../catalog/official-code.ts'
import { folded } from '../../catalog/words.ts'
import { ancestorOf } from '../../query/resolve/levels.ts'
import { reasonOf } from '../../query/resolve/reason.ts'
import { partNames, type Resolution, type RowToResolve } from '../../query/resolve/resolve.ts'
import type { Candidate } from '../../query/resolve/verdict.ts'
import { codeReader } from '../../release/official-codes.ts'
import type { Release } from '../../release/release.ts'

const FREE_TEXT = 'q'
const SCORE_DECIMALS = 4
const OTHER_COLUMNS = ['name', 'verdict', 'score', 'reason', 'alternatives']
/** The most alternatives in a cell. */
const MAX_ALTERNATIVES = 3

/** The column of the official code of an entity, such as cvegeo_municipio. */
const codeColumn = (entity: Entity): string => `${usualCodeOf(entity).name || 'code'}_${entity.name}`

export class AddedColumns {
  readonly #release: Release
  /** The columns that are read: their places, and their parts, which are entities or free text. */
  readonly #read: readonly ReadColumn[]
  /** The entities whose identifiers are added, the most distant ancestor first. */
  readonly #entities: readonly Entity[]
  /** The names of the columns that are added. */
  readonly names: readonly string[]

  constructor(release: Release, file: string, header: readonly string[], columns: string | undefined) {
    this.#release = release
    this.#read =
      columns === undefined ? knownColumns(release, file, header) : readColumns(release, file, header, columns)
    const parts = this.#read.map(({ part }) => part)
    const isRead = ({ name }: Entity) => parts.includes(FREE_TEXT) || parts.includes(name)
    const entities = [...release.catalog.entities.values()]
    // The records of some lists are numbered within another: both together identify a record.
    const numbered = entities.filter((entity) => isRead(entity) && entity.key.length > 1)
    const owners = numbered.map((entity) => ancestorsOf(entity)[0]?.entity.name)
    this.#entities = entities.filter((entity) => isRead(entity) || owners.includes(entity.name))
    const names = [...this.#entities.map(idField), ...this.#entities.map(codeColumn), ...OTHER_COLUMNS]
    this.names = names.map((name) => unusedName(name, header))
  }

  /** The columns that are read, as --columns would name them. */
  described(header: readonly string[]): string {
    return this.#read.map(({ place, part }) => (header[place] === part ? part : `${header[place]}=${part}`)).join(',')
  }

  /** The cells of the columns that are read. */
  read(values: readonly string[]): readonly string[] {
    return this.#read.map(({ place }) => values[place] ?? '')
  }

  /** The row that has these cells. */
  row(cells: readonly string[]): RowToResolve {
    if (this.#read[0]?.part === FREE_TEXT) return { text: cells[0] ?? '' }
    return { parts: new Map(this.#read.map(({ part }, at) => [part, cells[at] ?? ''])) }
  }

  /** The cells that are added to a row. */
  cells(resolution: Resolution, threshold: number): string[] {
    const { record, verdict, alternatives } = resolution
    const filled = this.#filledLevels(resolution, threshold)
    const isFilled = record !== undefined && filled.get(record.name) === record.position
    const cellsBy = (cellOf: (entity: Entity, position: number) => string | number | undefined) =>
      this.#entities.map((entity) => {
        const position = filled.get(entity.name)
        return position === undefined ? '' : String(cellOf(entity, position) ?? '')
      })
    return [
      ...cellsBy((entity, position) => idAt(this.#release, entity, position)),
      ...cellsBy((entity, position) => codeReader(this.#release, entity)(position)),
      isFilled ? nameAt(this.#release, record.name, record.position) : '',
      verdict,
      (record?.score ?? 0).toFixed(SCORE_DECIMALS),
      reasonOf(resolution),
      this.#alternatives(isFilled || record === undefined ? alternatives : [record, ...alternatives]),
    ]
  }

  /** The positions to fill in, by level. A record is left out if its ancestors are not those that are filled in. */
  #filledLevels({ levels }: Resolution, threshold: number): ReadonlyMap<string, number> {
    const filled = new Map<string, number>()
    for (const { name, position, verdict, score } of levels) {
      if (position === undefined || verdict === 'ambiguous' || verdict === 'none' || score < threshold) continue
      const fits = [...filled].every(([level, at]) => ancestorOf(this.#release, name, position, level) === at)
      if (fits) filled.set(name, position)
    }
    return filled
  }

  /** The next best records, with their codes. */
  #alternatives(candidates: readonly Candidate[]): string {
    return candidates
      .slice(0, MAX_ALTERNATIVES)
      .map(({ name, position }) => {
        const code = codeReader(this.#release, this.#release.entity(name).definition)(position)
        const title = nameAt(this.#release, name, position)
        return code === undefined ? title : `${code} ${title}`
      })
      .join('; ')
  }
}

type ReadColumn = { readonly place: number; readonly part: string }

/** The first column for each part by its name. If there is none, the column named `q`, which is free text. */
function knownColumns({ catalog }: Release, file: string, header: readonly string[]): ReadColumn[] {
  const parts = header.map((name) => partNames(catalog).get(folded(name.trim())))
  const columns = parts.flatMap((part, place) =>
    part === undefined || parts.indexOf(part) !== place ? [] : [{ place, part }],
  )
  if (columns.length > 0) return columns
  const place = header.findIndex((name) => folded(name.trim()) === FREE_TEXT)
  if (place !== -1) return [{ place, part: FREE_TEXT }]
  throw new OperationalError(
    `no column of ${file} has the name of a list; name the columns to read, such as --columns ${header[0]}=${FREE_TEXT}: it has ` +
      `${header.join(', ')}, and parts are ${[FREE_TEXT, ...catalog.entities.keys()].join(', ')}`,
  )
}

/** The columns that a list such as `estado,NOM_MUN=municipio` names. */
function readColumns(release: Release, file: string, header: readonly string[], list: string): ReadColumn[] {
  const columns = list.split(',').map((column) => {
    const [name = '', part = name, ...more] = column.split('=').map((one) => one.trim())
    if (name === '' || part === '' || more.length > 0)
      throw new OperationalError(
        `--columns was ${JSON.stringify(list)}; allowed is a list such as estado,NOM_MUN=municipio`,
      )
    return { place: placeOf(header, name, file), part: partOf(release, part) }
  })
  const parts = columns.map(({ part }) => part)
  const repeated = parts.find((part, at) => parts.indexOf(part) !== at)
  if (repeated !== undefined) throw new OperationalError(`--columns names ${repeated} twice; allowed is once`)
  if (parts.includes(FREE_TEXT) && parts.length > 1)
    throw new OperationalError(
      `--columns has ${FREE_TEXT} beside other parts; allowed is ${FREE_TEXT} alone, or parts without it`,
    )
  return columns
}

function placeOf(header: readonly string[], name: string, file: string): number {
  const exact = header.indexOf(name)
  const place = exact === -1 ? header.findIndex((column) => folded(column.trim()) === folded(name)) : exact
  if (exact !== -1 && header.lastIndexOf(name) !== exact)
    throw new OperationalError(
      `${file}:1 has the column ${JSON.stringify(name)} more than once; rename those that are not meant`,
    )
  if (place !== -1) return place
  throw new OperationalError(
    `${file}:1 has no column ${JSON.stringify(name)}; it has ${header.join(', ')}${didYouMean(name, header)}`,
  )
}

function partOf({ catalog }: Release, name: string): string {
  const part = folded(name) === FREE_TEXT ? FREE_TEXT : partNames(catalog).get(folded(name))
  if (part !== undefined) return part
  const parts = [FREE_TEXT, ...catalog.entities.keys()]
  throw new OperationalError(
    `--columns has no part for ${JSON.stringify(name)}; name one with ${name}=PART, where PART is one of ` +
      `${parts.join(', ')}${didYouMean(folded(name), parts)}`,
  )
}

/** A name for a column that the table does not have yet. */
function unusedName(name: string, header: readonly string[]): string {
  let unused = name
  while (header.includes(unused)) unused = `resolved_${unused}`
  return unused
}

const idField = (entity: Entity): string =>
  entity.key.length === 1 ? identifierOf(entity) : (entity.key.at(-1) as string)

function idAt(release: Release, entity: Entity, position: number): number {
  const column = release.entity(entity.name).index.column(idField(entity))
  return column.kind === 'number' ? (column.numbers[column.values[position] as number] as number) : position
}

function nameAt(release: Release, name: string, position: number): string {
  const { definition, index } = release.entity(name)
  const column = index.column(nameFieldOf(definition))
  return column.kind === 'text' ? column.texts.text(column.values[position] as number) : ''
}
