// Which columns of a table are read to resolve its rows, and which are added to it.
import { Failure } from '../../base/failure.ts'
import { nearest } from '../../base/nearest.ts'
import { type Entity, identifierOf, nameFieldOf } from '../../catalog/entity.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { folded } from '../../catalog/words.ts'
import { partNames, type Resolution, type RowToResolve } from '../../query/resolve/resolve.ts'
import { ancestorLevels } from '../../query/search/ancestor-match.ts'
import { ancestorAt } from '../../query/search/score.ts'
import type { Release } from '../../release/release.ts'

const FREE_TEXT = 'q'
const SCORE_DECIMALS = 4

export class AddedColumns {
  readonly #release: Release
  /** The columns that are read: where each stands, and the part that it is, which is an entity or free text. */
  readonly #read: readonly ReadColumn[]
  /** The entities whose identifiers are added, the most distant ancestor first. */
  readonly #entities: readonly Entity[]
  /** The names of the columns that are added. */
  readonly names: readonly string[]

  constructor(release: Release, file: string, header: readonly string[], columns: string) {
    this.#release = release
    this.#read = readColumns(release, file, header, columns)
    const parts = this.#read.map(({ part }) => part)
    const isRead = ({ name }: Entity) => parts.includes(FREE_TEXT) || parts.includes(name)
    const entities = [...release.catalog.entities.values()]
    this.#entities = entities.filter((entity) => isRead(entity) || this.#isOwner(entity, isRead))
    this.names = [...this.#entities.map(idField), 'name', 'verdict', 'score'].map((name) => unusedName(name, header))
  }

  /** What a row means by the columns that are read, and their cells. */
  read(values: readonly string[]): { readonly row: RowToResolve; readonly cells: readonly string[] } {
    const cells = this.#read.map(({ place }) => values[place] ?? '')
    if (this.#read[0]?.part === FREE_TEXT) return { row: { text: cells[0] ?? '' }, cells }
    return { row: { parts: new Map(this.#read.map(({ part }, at) => [part, cells[at] ?? ''])) }, cells }
  }

  /** The cells that are added to a row. */
  cells({ record, verdict }: Resolution, threshold: number): string[] {
    const score = record?.score ?? 0
    const isFilled = record !== undefined && verdict !== 'ambiguous' && score >= threshold
    const ids = isFilled ? this.#idsOf(record.name, record.position) : new Map<string, number>()
    const name = isFilled ? nameAt(this.#release, record.name, record.position) : ''
    return [
      ...this.#entities.map((entity) => String(ids.get(entity.name) ?? '')),
      name,
      verdict,
      score.toFixed(SCORE_DECIMALS),
    ]
  }

  /** An entity whose records number those of another that is read: both together identify a record. */
  #isOwner({ name }: Entity, isRead: (entity: Entity) => boolean): boolean {
    const entities = [...this.#release.catalog.entities.values()]
    return entities.some(
      (entity) => isRead(entity) && entity.key.length > 1 && ancestorsOf(entity)[0]?.entity.name === name,
    )
  }

  #idsOf(name: string, position: number): Map<string, number> {
    const { definition } = this.#release.entity(name)
    const ids = new Map([[name, idAt(this.#release, definition, position)]])
    for (const level of ancestorLevels(this.#release, definition)) {
      const ancestor = this.#release.entity(level.entity).definition
      ids.set(level.entity, idAt(this.#release, ancestor, ancestorAt(level, position)))
    }
    return ids
  }
}

type ReadColumn = { readonly place: number; readonly part: string }

/** The columns that a list such as `estado,NOM_MUN=municipio` names. */
function readColumns(release: Release, file: string, header: readonly string[], list: string): ReadColumn[] {
  const columns = list.split(',').map((column) => {
    const [name = '', part = name, ...more] = column.split('=').map((one) => one.trim())
    if (name === '' || part === '' || more.length > 0)
      throw new Failure(`--columns was ${JSON.stringify(list)}; allowed is a list such as estado,NOM_MUN=municipio`)
    return { place: placeOf(header, name, file), part: partOf(release, part) }
  })
  const parts = columns.map(({ part }) => part)
  const repeated = parts.find((part, at) => parts.indexOf(part) !== at)
  if (repeated !== undefined) throw new Failure(`--columns names ${repeated} twice; allowed is once`)
  if (parts.includes(FREE_TEXT) && parts.length > 1)
    throw new Failure(
      `--columns has ${FREE_TEXT} beside other parts; allowed is ${FREE_TEXT} alone, or parts without it`,
    )
  return columns
}

function placeOf(header: readonly string[], name: string, file: string): number {
  const exact = header.indexOf(name)
  const place = exact === -1 ? header.findIndex((column) => folded(column.trim()) === folded(name)) : exact
  if (place !== -1) return place
  throw new Failure(
    `${file}:1 has no column ${JSON.stringify(name)}; it has ${header.join(', ')}${suggestion(name, header)}`,
  )
}

function partOf({ catalog }: Release, name: string): string {
  const part = folded(name) === FREE_TEXT ? FREE_TEXT : partNames(catalog).get(folded(name))
  if (part !== undefined) return part
  const parts = [FREE_TEXT, ...catalog.entities.keys()]
  throw new Failure(
    `--columns has no part for ${JSON.stringify(name)}; name one with ${name}=PART, where PART is one of ` +
      `${parts.join(', ')}${suggestion(folded(name), parts)}`,
  )
}

function suggestion(word: string, words: readonly string[]): string {
  const meant = nearest(word, words)
  return meant === undefined ? '' : `; did you mean ${meant}?`
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
