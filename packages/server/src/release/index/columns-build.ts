// Builds the columns of one entity from its rows, in the order of their positions: what each record has in each field.
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { lowerBound } from '../../base/binary-search.ts'
import {
  type Batch,
  type GivenField,
  givenFields,
  isNumberValue,
  NO_POSITION,
  TextCursor,
} from '../../catalog/batch.ts'
import { broaderOf, coordinatesOf, type Entity, type FactField, factsOf, identifierOf } from '../../catalog/entity.ts'
import { orderOf } from '../../catalog/languages/languages.ts'
import type { SortOrder } from '../../catalog/languages/order.ts'
import type { RenderedParents } from '../../catalog/render.ts'
import { forceGc } from '../build/force-gc.ts'
import type { FileSummary } from '../files/durable-file.ts'
import { NumberList } from './number-list.ts'
import { orderTexts, ranksOf, sortKeysOf, writeTexts } from './ordered-texts.ts'
import { writePoints } from './points-build.ts'
import { postingsOf } from './postings.ts'
import { SectionWriter } from './sections.ts'
import { TextTable } from './text-table.ts'

type Column = { readonly name: string; readonly build: ColumnBuild }
type FactColumn = { readonly name: string; readonly build: ReturnType<typeof factColumn> }

export class ColumnsBuild implements Disposable {
  readonly #columns: Column[]
  readonly #facts: FactColumn[]
  readonly #coordinates: ReturnType<typeof coordinatesOf>
  readonly #tree: ReturnType<typeof treeColumn> | undefined
  #count = 0

  /** Values that would fill the memory are kept in the directory meanwhile. */
  constructor(entity: Entity, parents: RenderedParents, expected: number | undefined, directory: string) {
    const buildOf = ({ name, field, parent }: GivenField): ColumnBuild => {
      if (parent !== undefined) return embedColumn(expected, parents.get(parent.name)?.json.length ?? 0)
      return field.kind === 'id' ? numberColumn(expected) : textColumn(orderOf(entity, name), expected)
    }
    const given = givenFields(entity)
    const tree = broaderOf(entity)
    this.#columns = given
      .filter(({ name, field }) => !isNumberValue(field) && name !== tree)
      .map((field) => ({ name: field.name, build: buildOf(field) }))
    const numbers = given.filter(({ field }) => isNumberValue(field)).map(({ name }) => [name, 'number'] as const)
    const facts = factsOf(entity).map(([name, { type }]) => [name, type] as const)
    this.#facts = [...facts, ...numbers].map(([name, type], at) => ({
      name,
      build: factColumn(type, join(directory, `${at}.values`)),
    }))
    this.#coordinates = coordinatesOf(entity)
    this.#tree = tree === undefined ? undefined : treeColumn(identifierOf(entity), tree)
  }

  /** The next rows, each at the position after the last. */
  add({ count, columns, facts }: Batch): void {
    this.#count += count
    for (const { name, build } of this.#facts) build.add(facts[name] as Float64Array | Uint8Array, count)
    for (const { name, build } of this.#columns) build.add(columns[name] as Uint8Array | Uint32Array, count)
    this.#tree?.add(columns, count)
  }

  /** Writes the file, synced to disk. Every column is forgotten as soon as it is written. */
  write(path: string): FileSummary {
    using file = new SectionWriter(path)
    for (let column = this.#columns.shift(); column !== undefined; column = this.#columns.shift()) {
      column.build.write(file, column.name)
      forceGc(this.#count)
    }
    this.#tree?.write(file)
    this.#writePoints(file)
    for (let fact = this.#facts.shift(); fact !== undefined; fact = this.#facts.shift()) {
      fact.build.write(file, fact.name)
      forceGc(this.#count)
    }
    return file.finish()
  }

  #writePoints(file: SectionWriter): void {
    const coordinates = this.#coordinates
    if (coordinates === undefined) return
    const given = (wanted: string) => this.#facts.find(({ name }) => name === wanted)?.build.given() as Float64Array
    writePoints(file, () => ({ latitudes: given(coordinates.latitude), longitudes: given(coordinates.longitude) }))
    forceGc(this.#count)
  }

  [Symbol.dispose](): void {
    for (const { build } of this.#facts) build[Symbol.dispose]()
  }
}

/** Builds one column: takes the values of one batch of records after the other, and writes them in the end. */
type ColumnBuild = {
  /** The values of the next records: numbers, or texts in UTF-8 with a NUL between any two. */
  add(values: Uint32Array | Uint8Array, count: number): void
  write(file: SectionWriter, field: string): void
}

function writeValues(file: SectionWriter, field: string, values: Uint32Array, count: number): void {
  file.add(`${field}.values`, values)
  const { starts, positions } = postingsOf(values, count)
  file.add(`${field}.starts`, starts)
  file.add(`${field}.positions`, positions)
}

const USUAL_LENGTH = 40

/** Texts in the order of their language. */
function textColumn(order: SortOrder, expected = 0): ColumnBuild {
  const table = new TextTable(expected * USUAL_LENGTH)
  const numbers = new NumberList(expected)
  return {
    add: (texts: Uint8Array, count) => {
      const cursor = new TextCursor(texts)
      for (let left = count; left > 0; left--) {
        cursor.next()
        numbers.push(table.add(texts, cursor.start, cursor.end))
      }
    },
    write: (file, field) => {
      table.close()
      const { order: ordered, groups } = orderTexts(table, sortKeysOf(order, table))
      forceGc(ordered.length)
      writeTexts(file, `${field}.texts`, `${field}.offsets`, table, ordered)
      file.add(`${field}.groups`, groups)
      const ranks = ranksOf(ordered)
      const values = numbers.array.map((number) => ranks[number] as number)
      writeValues(file, field, values, table.size)
    },
  }
}

/** Numbers in ascending order. */
function numberColumn(expected: number | undefined): ColumnBuild {
  const numbers = new NumberList(expected)
  return {
    add: (given: Uint32Array) => {
      for (let at = 0; at < given.length; at++) numbers.push(given[at] as number)
    },
    write: (file, field) => {
      const keys = distinct(numbers.array)
      file.add(`${field}.numbers`, keys)
      const ranks = numbers.array.map((number) => lowerBound(keys, number))
      writeValues(file, field, ranks, keys.length)
    },
  }
}

/** Embedded records, each by its position among the `parents` of its own entity; the position after the last is that of none. */
function embedColumn(expected: number | undefined, parents: number): ColumnBuild {
  const positions = new NumberList(expected)
  let isAnyMissing = false
  return {
    add: (given: Uint32Array) => {
      for (let at = 0; at < given.length; at++) {
        const position = given[at] as number
        isAnyMissing ||= position === NO_POSITION
        positions.push(position === NO_POSITION ? parents : position)
      }
    },
    write: (file, field) => writeValues(file, field, positions.array, parents + (isAnyMissing ? 1 : 0)),
  }
}

/** The parent of each record, once all are there; the position after the last is the parent of the roots. */
function treeColumn(key: string, broader: string) {
  const positionOf = new Map<string, number>()
  const parents: string[] = []
  return {
    add: (columns: Batch['columns'], count: number) => {
      for (const one of textsOf(columns[key], count)) positionOf.set(one, positionOf.size)
      parents.push(...textsOf(columns[broader], count))
    },
    write: (file: SectionWriter) => {
      const count = parents.length
      const values = Uint32Array.from(parents, (one) => positionOf.get(one) ?? count)
      writeValues(file, broader, values, count + 1)
    },
  }
}

function textsOf(column: Uint8Array | Uint32Array | undefined, count: number): string[] {
  if (column instanceof Uint32Array) return Array.from(column, String)
  return count === 0 ? [] : decoder.decode(column).split('\0')
}

const decoder = new TextDecoder()

/** Facts: the values that are known in ascending order, and after them one that stands for what is not known. */
function factColumn(type: FactField['type'], path: string) {
  const texts: string[] = []
  const numberOf = new Map<string, number>()
  let isAnyKnown = false
  /** Numbers, or the numbers of texts, are kept in a file until all are there. */
  let descriptor: number | undefined = openSync(path, 'w')
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  const numbersOf = (column: Uint8Array): Float64Array =>
    Float64Array.from(decoder.decode(column).split('\0'), (text) =>
      text === '' ? Number.NaN : numberOf.getOrInsertComputed(text, () => texts.push(text) - 1),
    )
  /** The number of each record, or that of its text; NaN if it has none. */
  const given = () => {
    const bytes = readFileSync(path)
    return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Float64Array.BYTES_PER_ELEMENT)
  }
  const writeKnown = (file: SectionWriter, field: string) => {
    const numbers = given()
    const ordered = texts.toSorted(byCodeUnits)
    if (type === 'text') {
      // Texts were numbered as they came.
      const ranks = new Map(ordered.map((text, rank) => [text, rank]))
      for (let at = 0; at < numbers.length; at++)
        numbers[at] = ranks.get(texts[numbers[at] as number] ?? '') ?? Number.NaN
    }
    const known = distinct(numbers)
    const bytes = new Uint8Array(known.buffer, known.byteOffset, known.byteLength)
    file.add(`${field}.known`, type === 'text' ? Buffer.from(JSON.stringify(ordered)) : bytes)
    writeValues(file, field, ranksIn(known, numbers), known.length + 1)
  }
  return {
    add: (values: Float64Array | Uint8Array, count: number) => {
      if (count === 0) return
      const numbers = values instanceof Float64Array ? values : numbersOf(values)
      isAnyKnown ||= numbers.some((number) => !Number.isNaN(number))
      const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor as number, bytes, written)
    },
    given,
    /** Writes nothing if no record has the fact. */
    write: (file: SectionWriter, field: string) => {
      close()
      if (isAnyKnown) writeKnown(file, field)
      rmSync(path)
    },
    [Symbol.dispose]: close,
  }
}

const byCodeUnits = (a: string, b: string) => (a < b ? -1 : 1)

/** The numbers in ascending order, each once; those that are not known come last and are left out. */
function distinct<T extends Float64Array | Uint32Array>(numbers: T): T {
  const sorted = numbers.slice().sort() as T
  let count = 0
  for (let at = 0; at < sorted.length; at++) {
    const number = sorted[at] as number
    if (!Number.isNaN(number) && (count === 0 || number !== sorted[count - 1])) sorted[count++] = number
  }
  return sorted.slice(0, count) as T
}

/** The rank of each number among those that are known; what is not known comes after them. */
function ranksIn(known: Float64Array, given: Float64Array): Uint32Array {
  const ranks = new Uint32Array(given.length)
  for (let at = 0; at < given.length; at++) {
    const number = given[at] as number
    // Records that are near each other often have the same value.
    if (at > 0 && number === given[at - 1]) ranks[at] = ranks[at - 1] as number
    else ranks[at] = Number.isNaN(number) ? known.length : lowerBound(known, number)
  }
  return ranks
}
