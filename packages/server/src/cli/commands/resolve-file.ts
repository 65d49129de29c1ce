// Reads a table row by row, resolves each row, and writes it as it is with more columns.
import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { Failure } from '../../base/failure.ts'
import { LruCache } from '../../base/lru-cache.ts'
import { nearest } from '../../base/nearest.ts'
import { type Entity, identifierOf } from '../../catalog/entity.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { folded } from '../../catalog/words.ts'
import { partNames, type RowToResolve, resolveRow } from '../../query/resolve/resolve.ts'
import { type Resolution, VERDICTS, type Verdict } from '../../query/resolve/verdict.ts'
import { ancestorLevels } from '../../query/search/ancestor-match.ts'
import { ancestorAt } from '../../query/search/score.ts'
import type { Release } from '../../release/release.ts'
import { Faults } from '../../source/faults.ts'
import { detectEncoding } from '../../source/inegi/encoding.ts'
import { readLines, type TextFile, textFile, UnreadableFile } from '../../source/lines.ts'
import { parseCsvLine, quotedIfNeeded } from '../../source/tabular/csv.ts'
import type { Terminal } from '../command.ts'
import { progressLine } from '../terminal/progress.ts'

type Options = {
  readonly file: string
  /** Such as `estado,NOM_MUN=municipio`. */
  readonly columns: string
  readonly out: string
  readonly threshold: number
  readonly json: boolean
}

const STANDARD = '-'
const FREE_TEXT = 'q'

export async function resolveFile(release: Release, options: Options, terminal: Terminal): Promise<void> {
  const { file, out, threshold } = options
  if (file !== STANDARD && !existsSync(file)) throw new Failure(`there is no file ${file}`)
  const started = performance.now()
  const faults = new Faults()
  const progress = progressLine(terminal)
  const summary = new Summary()
  const writer = out === STANDARD ? standardWriter(terminal) : fileWriter(out)
  const cache = new LruCache<Resolution>({ maxEntries: 20_000 })
  let table: Table | undefined
  try {
    for await (const { line, values, encoding } of tableLines(file, faults)) {
      if (table === undefined) {
        table = new Table(release, file, values, options.columns)
        // A spreadsheet takes a file without a mark for one in the encoding of the machine.
        if (encoding === 'windows-1252' || values.hasMark) writer.write('\ufeff')
        writer.write(`${line}${values.separator}${table.added.join(values.separator)}\n`)
        continue
      }
      const row = table.rowOf(values)
      const key = values.cells(table.places).join('\u0000')
      const resolution = cache.get(key, () => resolveRow(release, row))
      summary.count(resolution.verdict, values.cells(table.places))
      const cells = table.cells(resolution, threshold).map((cell) => quotedIfNeeded(cell, values.separator))
      writer.write(`${line}${values.separator}${cells.join(values.separator)}\n`)
      progress.show('Resolving', summary.rows, undefined)
    }
    faults.throwIfAny()
    if (table === undefined) throw new Failure(`${nameOf(file)} is empty: it has no header`)
    writer.end()
  } catch (error) {
    writer.discard()
    if (error instanceof UnreadableFile) faults.throwIfAny()
    throw error
  } finally {
    progress.clear()
  }
  const print = out === STANDARD ? terminal.err : terminal.out
  print(
    options.json
      ? `${JSON.stringify(summary.json(performance.now() - started))}\n`
      : summary.text(performance.now() - started),
  )
}

const nameOf = (file: string): string => (file === STANDARD ? 'standard input' : file)

// Reading.

/** The values of a line, and how they were separated. */
class LineValues {
  readonly all: readonly string[]
  readonly separator: string
  readonly hasMark: boolean

  constructor(all: readonly string[], separator: string, hasMark: boolean) {
    this.all = all
    this.separator = separator
    this.hasMark = hasMark
  }

  cells(places: readonly number[]): string[] {
    return places.map((place) => this.all[place] ?? '')
  }
}

type TableLine = { readonly line: string; readonly values: LineValues; readonly encoding: string | undefined }

const SEPARATORS = [',', ';', '\t'] as const
const MARK = Buffer.from('\ufeff')

/** The header and the rows of a file; a quoted value may go on in the next line. */
async function* tableLines(file: string, faults: Faults): AsyncGenerator<TableLine> {
  let hasMark = false
  const source: TextFile = file === STANDARD ? { file: nameOf(file), open: standardInput } : textFile(file)
  const watched: TextFile = {
    file: source.file,
    open: async function* () {
      let isFirst = true
      for await (const bytes of source.open()) {
        if (isFirst) hasMark = bytes.subarray(0, MARK.length).equals(MARK)
        isFirst = false
        yield bytes
      }
    },
  }
  let separator: string | undefined
  let width = 0
  let open: { readonly line: string; readonly number: number } | undefined
  for await (const { first, lines, encoding, isDamaged } of readLines(watched, faults, detectEncoding)) {
    if (isDamaged) {
      faults.add({
        file: source.file,
        line: first,
        column: 'all',
        value: lines[0] ?? '',
        expected: 'UTF-8 or Windows-1252',
      })
      throw new UnreadableFile()
    }
    for (const [at, own] of lines.entries()) {
      const line: string = open === undefined ? own : `${open.line}\n${own}`
      const number: number = open?.number ?? first + at
      if (line === '' && width !== 1) continue
      separator ??= separatorOf(line)
      const values = parseCsvLine(line, separator)
      if ('expected' in values) {
        if (values.isOpen && line.length < MAX_OPEN) {
          open = { line, number }
          continue
        }
        faults.add({
          file: source.file,
          line: number,
          column: `column ${values.position + 1}`,
          value: line,
          expected: values.expected,
        })
        throw new UnreadableFile()
      }
      open = undefined
      if (width === 0) width = values.length
      if (values.length !== width) {
        const expected = `${width} values, as in the header`
        faults.add({ file: source.file, line: number, column: 'all', value: `${values.length} values`, expected })
        throw new UnreadableFile()
      }
      yield { line, values: new LineValues(values, separator, hasMark), encoding }
    }
  }
  if (open !== undefined) {
    faults.add({ file: source.file, line: open.number, column: 'all', value: open.line, expected: 'a closing quote' })
    throw new UnreadableFile()
  }
}

/** A value in quotes may have so many characters and line ends. */
const MAX_OPEN = 100_000

async function* standardInput(): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, length } of Bun.stdin.stream()) yield Buffer.from(buffer, byteOffset, length)
}

/** The one that stands most often in the header. */
const separatorOf = (header: string): string =>
  [...SEPARATORS].sort((a, b) => header.split(b).length - header.split(a).length)[0] as string

// What is read of a table, and what is added to it.

class Table {
  readonly #release: Release
  /** The entity of each column that is read; undefined for free text. */
  readonly #parts: readonly string[]
  readonly places: readonly number[]
  /** The entities whose identifiers are added, the most distant ancestor first. */
  readonly #added: readonly Entity[]
  /** The names of the columns that are added. */
  readonly added: readonly string[]

  constructor(release: Release, file: string, { all: header }: LineValues, columns: string) {
    const given = columns.split(',').map((column) => {
      const [name = '', part = name, ...more] = column.split('=').map((one) => one.trim())
      if (name === '' || part === '' || more.length > 0)
        throw new Failure(
          `--columns was ${JSON.stringify(columns)}; allowed is a list such as estado,NOM_MUN=municipio`,
        )
      return { place: placeOf(header, name, file), part: partOf(release, part) }
    })
    const parts = given.map(({ part }) => part)
    if (new Set(parts).size < parts.length)
      throw new Failure(`--columns names ${repeated(parts)} twice; allowed is once`)
    if (parts.includes(FREE_TEXT) && parts.length > 1)
      throw new Failure(
        `--columns has ${FREE_TEXT} beside other parts; allowed is ${FREE_TEXT} alone, or parts without it`,
      )
    this.#release = release
    this.places = given.map(({ place }) => place)
    this.#parts = parts
    const { entities } = release.catalog
    const isRead = ({ name }: Entity) => parts.includes(FREE_TEXT) || parts.includes(name)
    this.#added = [...entities.values()].filter((entity) => isRead(entity) || this.#isOwner(entity, isRead))
    this.added = [...this.#added.map(idField), 'name', 'verdict', 'score'].map((name) => unusedName(name, header))
  }

  rowOf(values: LineValues): RowToResolve {
    const cells = values.cells(this.places)
    if (this.#parts[0] === FREE_TEXT) return { text: cells[0] ?? '' }
    return { parts: new Map(this.#parts.map((part, at) => [part, cells[at] ?? ''])) }
  }

  /** The cells that are added to a row. */
  cells({ record, verdict }: Resolution, threshold: number): string[] {
    const score = record?.score ?? 0
    const isFilled = record !== undefined && verdict !== 'ambiguous' && score >= threshold
    const ids = isFilled ? this.#idsOf(record.name, record.position) : new Map<string, number>()
    const name = isFilled ? nameAt(this.#release, record.name, record.position) : ''
    return [
      ...this.#added.map((entity) => String(ids.get(entity.name) ?? '')),
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

const SCORE_DECIMALS = 4

const repeated = (parts: readonly string[]) => parts.find((part, at) => parts.indexOf(part) !== at)

function placeOf(header: readonly string[], name: string, file: string): number {
  const exact = header.indexOf(name)
  const place = exact === -1 ? header.findIndex((column) => folded(column.trim()) === folded(name)) : exact
  if (place !== -1) return place
  const meant = nearest(name, header)
  throw new Failure(
    `${nameOf(file)}:1 has no column ${JSON.stringify(name)}; it has ${header.join(', ')}` +
      `${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  )
}

function partOf({ catalog }: Release, name: string): string {
  const part = folded(name) === FREE_TEXT ? FREE_TEXT : partNames(catalog).get(folded(name))
  if (part !== undefined) return part
  const known = [FREE_TEXT, ...catalog.entities.keys()]
  const meant = nearest(folded(name), known)
  throw new Failure(
    `--columns has no part for ${JSON.stringify(name)}; name one with ${name}=PART, where PART is one of ` +
      `${known.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  )
}

/** A column that is there already keeps its name. */
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
  const field = Object.keys(definition.fields).find((one) => definition.fields[one]?.kind === 'name') as string
  const column = index.column(field)
  return column.kind === 'text' ? column.texts.text(column.values[position] as number) : ''
}

// Writing.

type Writer = { readonly write: (text: string) => void; readonly end: () => void; readonly discard: () => void }

const BUFFERED = 1 << 16

function buffered(send: (text: string) => void): {
  readonly write: (text: string) => void
  readonly flush: () => void
} {
  let rest = ''
  const flush = () => {
    if (rest !== '') send(rest)
    rest = ''
  }
  return {
    write: (text) => {
      rest += text
      if (rest.length >= BUFFERED) flush()
    },
    flush,
  }
}

function standardWriter(terminal: Terminal): Writer {
  const { write, flush } = buffered(terminal.out)
  return { write, end: flush, discard: flush }
}

/** The file is there when all of it is. */
function fileWriter(path: string): Writer {
  const unfinished = `${path}.unfinished`
  const file = openSync(unfinished, 'w')
  const { write, flush } = buffered((text) => {
    const bytes = Buffer.from(text)
    for (let sent = 0; sent < bytes.length; ) sent += writeSync(file, bytes, sent)
  })
  return {
    write,
    end: () => {
      flush()
      closeSync(file)
      renameSync(unfinished, path)
    },
    discard: () => {
      closeSync(file)
      rmSync(unfinished, { force: true })
    },
  }
}

// The summary.

const MAX_UNRESOLVED = 10
/** So many different values are counted. */
const MAX_COUNTED = 100_000
const number = new Intl.NumberFormat('en')
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

class Summary {
  rows = 0
  readonly #verdicts = new Map<Verdict, number>(VERDICTS.map((verdict) => [verdict, 0]))
  readonly #unresolved = new Map<string, number>()

  count(verdict: Verdict, cells: readonly string[]): void {
    this.rows++
    this.#verdicts.set(verdict, (this.#verdicts.get(verdict) ?? 0) + 1)
    if (verdict !== 'ambiguous' && verdict !== 'none') return
    const value = cells.join(', ')
    const known = this.#unresolved.get(value)
    if (known !== undefined || this.#unresolved.size < MAX_COUNTED) this.#unresolved.set(value, (known ?? 0) + 1)
  }

  get #mostFrequent() {
    return [...this.#unresolved]
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_UNRESOLVED)
      .map(([value, rows]) => ({ value, rows }))
  }

  json(milliseconds: number) {
    return {
      rows: this.rows,
      ...Object.fromEntries(this.#verdicts),
      seconds: Math.round(milliseconds) / 1_000,
      unresolved: this.#mostFrequent,
    }
  }

  text(milliseconds: number): string {
    const seconds = (milliseconds / 1_000).toFixed(1)
    const lines = [`${number.format(this.rows)} rows in ${seconds} s`]
    for (const [verdict, rows] of this.#verdicts)
      lines.push(
        `  ${verdict.padEnd(10)}${number.format(rows).padStart(10)}  ${percent.format(this.rows === 0 ? 0 : rows / this.rows)}`,
      )
    const unresolved = this.#mostFrequent
    if (unresolved.length > 0) lines.push('Most frequent values that were not resolved:')
    for (const { value, rows } of unresolved) lines.push(`${number.format(rows).padStart(10)}  ${value}`)
    return `${lines.join('\n')}\n`
  }
}
