// The index of one entity, mapped into memory: its columns by field, and its words.
import { join } from 'node:path'
import { parseOwnJson } from '../../base/json.ts'
import { isNumberValue } from '../../catalog/batch.ts'
import type { Entity, FactField, FactValue } from '../../catalog/entity.ts'
import type { Language } from '../../catalog/languages/language.ts'
import { languageOfNames, orderOf } from '../../catalog/languages/languages.ts'
import { columnOf } from '../../catalog/paths.ts'
import type { Postings } from './postings.ts'
import { SectionFile } from './sections.ts'
import { SortedTexts } from './sorted-texts.ts'

/** The section that only those records have whose names are matched apart. */
export const NAME_ENDS = 'nameEnds'

export const INDEX_FILES = ['index', 'words'] as const

/** The values of all records in one field, each as the number of a value. */
type Values = Postings & { readonly values: Uint32Array }

/** Texts in the order of their language. Those that differ only in accents or case are of one group. */
type TextColumn = Values & { readonly kind: 'text'; readonly texts: SortedTexts; readonly groups: Uint32Array }
type NumberColumn = Values & { readonly kind: 'number'; readonly numbers: Uint32Array }
/** A value is the position of an embedded record among those of its own entity, or the one after the last where there is none. */
type EmbedColumn = Values & { readonly kind: 'embed' }
/** Numbers, or texts, that are known of some records; the value after the last of them stands for what is not known. */
type NumberFactColumn = Values & { readonly kind: 'number fact'; readonly known: Float64Array }
type TextFactColumn = Values & { readonly kind: 'text fact'; readonly known: readonly string[] }
export type FactColumn = NumberFactColumn | TextFactColumn
export type IndexColumn = TextColumn | NumberColumn | EmbedColumn | FactColumn

export type WordIndex = {
  /** The languages that the names are in. */
  readonly language: Language
  readonly words: SortedTexts
  /** The letters of each word, as bits. */
  readonly masks: Uint32Array
  /** The words by how they sound: the hashes of their sounds, ascending, and the word of each. */
  readonly sounds: Uint32Array
  readonly soundWords: Uint32Array
  /** The words of the names of each record in order, and where those of each begin; likewise the codes. */
  readonly names: Uint32Array
  readonly nameStarts: Uint32Array
  /**
   * Where records have several names that are matched apart: for each record after the other, where those of each naming
   * field end among the words of its names.
   */
  readonly nameEnds: Uint32Array | undefined
  readonly codes: Uint32Array
  readonly codeStarts: Uint32Array
  readonly inNames: Postings
  readonly inCodes: Postings
}

/** The points of the records that have coordinates, in the order of a k-d tree that `kdbush` reads. */
type Points = {
  /** The position of the record at each point. */
  readonly positions: Uint32Array<ArrayBuffer>
  /** Longitude and latitude of each, in degrees. */
  readonly coordinates: Float64Array<ArrayBuffer>
}

/** The most points of a leaf of the tree. */
export const POINT_NODE_SIZE = 64

/** An index on disk, or an empty one. */
export type EntityIndex = {
  readonly points: Points
  /** The column of a field; a copy has the one of what it copies. */
  column(field: string): IndexColumn
  readonly words: WordIndex
}

export class IndexFile implements EntityIndex {
  readonly #entity: Entity
  readonly #file: SectionFile
  readonly #wordFile: SectionFile
  readonly #columns = new Map<string, IndexColumn>()
  #points: Points | undefined
  #words: WordIndex | undefined

  constructor(directory: string, entity: Entity) {
    this.#entity = entity
    this.#file = new SectionFile(join(directory, 'index'))
    this.#wordFile = new SectionFile(join(directory, 'words'))
  }

  column(field: string): IndexColumn {
    const name = columnOf(this.#entity, field)
    return this.#columns.getOrInsertComputed(name, () => this.#read(name))
  }

  get points(): Points {
    this.#points ??= this.#file.has('pointPositions')
      ? {
          positions: this.#file.numbers('pointPositions'),
          coordinates: decimals(this.#file.bytes('pointCoordinates')),
        }
      : noPoints
    return this.#points
  }

  get words(): WordIndex {
    this.#words ??= this.#readWords()
    return this.#words
  }

  #read(field: string): IndexColumn {
    const definition = this.#entity.fields[field]
    const fact = definition?.kind === 'fact' ? definition.type : isNumberValue(definition) ? 'number' : undefined
    if (fact !== undefined && !this.#file.has(`${field}.known`))
      return unknownColumn(fact, this.words.nameStarts.length - 1)
    const numbers = (part: string) => this.#file.numbers(`${field}.${part}`)
    const values: Values = { values: numbers('values'), starts: numbers('starts'), positions: numbers('positions') }
    if (definition?.kind === 'embed' || definition?.kind === 'broader') return { kind: 'embed', ...values }
    if (fact !== undefined) return factColumn(fact, values, this.#file.bytes(`${field}.known`))
    if (definition?.kind === 'id') return { kind: 'number', ...values, numbers: numbers('numbers') }
    const texts = new SortedTexts(
      this.#file.bytes(`${field}.texts`),
      numbers('offsets'),
      orderOf(this.#entity, field).sortKey,
    )
    return { kind: 'text', ...values, texts, groups: numbers('groups') }
  }

  #readWords(): WordIndex {
    const numbers = (part: string) => this.#wordFile.numbers(part)
    return {
      language: languageOfNames(this.#entity),
      words: new SortedTexts(this.#wordFile.bytes('words'), numbers('offsets'), (word) => word),
      masks: numbers('masks'),
      sounds: numbers('sounds'),
      soundWords: numbers('soundWords'),
      names: numbers('names'),
      nameStarts: numbers('nameStarts'),
      nameEnds: this.#wordFile.has(NAME_ENDS) ? numbers(NAME_ENDS) : undefined,
      codes: numbers('codes'),
      codeStarts: numbers('codeStarts'),
      inNames: { starts: numbers('starts'), positions: numbers('positions') },
      inCodes: { starts: numbers('codeOwnerStarts'), positions: numbers('codeOwners') },
    }
  }
}

function factColumn(type: FactField['type'], values: Values, known: Buffer<ArrayBuffer>): FactColumn {
  if (type === 'text') return { kind: 'text fact', ...values, known: parseOwnJson(known.toString()) }
  return { kind: 'number fact', ...values, known: decimals(known) }
}

const decimals = ({ buffer, byteOffset, byteLength }: Buffer<ArrayBuffer>) =>
  new Float64Array(buffer, byteOffset, byteLength / Float64Array.BYTES_PER_ELEMENT)

export const noPoints: Points = { positions: new Uint32Array(), coordinates: new Float64Array() }

/** The column of a fact that is known of no record. */
export function unknownColumn(type: FactField['type'], count: number): FactColumn {
  const values = {
    values: new Uint32Array(count),
    starts: Uint32Array.of(0, count),
    positions: Uint32Array.from({ length: count }, (_, position) => position),
  }
  return factColumn(type, values, type === 'text' ? Buffer.from('[]') : Buffer.alloc(0))
}

/** The fact of a record; undefined if it has none. */
export function factAt({ values, known }: FactColumn, position: number): FactValue | undefined {
  return known[values[position] as number]
}
