// The official codes of the records of a release: read at a position, and found among all, out of the columns that there are.
import { checkpoint } from '../base/checkpoint.ts'
import { memoized } from '../base/memoized.ts'
import { type CodePart, type Entity, embeddedAt, type OfficialCode } from '../catalog/entity.ts'
import { codesOf, partText, usualCodeOf, valuesWritten } from '../catalog/official-code.ts'
import type { IndexColumn } from './index/index-file.ts'
import type { Release } from './release.ts'

type CodeReader = (position: number) => string | undefined

const readersIn = memoized((release: Release) =>
  memoized((code: OfficialCode, entity: Entity): CodeReader => readerOf(release, entity, code)),
)

/** Reads a code of the records of an entity, the usual one unless another is given; undefined where a record has none. */
export const codeReader = (release: Release, entity: Entity, code: OfficialCode = usualCodeOf(entity)): CodeReader =>
  readersIn(release)(code, entity)

function readerOf(release: Release, entity: Entity, { parts, separator = '' }: OfficialCode): CodeReader {
  const [first, ...more] = parts.map((part) => partReader(release, entity, part)) as [CodeReader, ...CodeReader[]]
  if (more.length === 0) return first
  return (position) => {
    let text = first(position)
    for (const read of more) {
      const part = read(position)
      if (text === undefined || part === undefined) return undefined
      text += separator + part
    }
    return text
  }
}

/** A part is written once for each value of its column, or for each record that it is taken from. */
function partReader(release: Release, entity: Entity, part: CodePart): CodeReader {
  const column = release.entity(entity.name).index.column(part.field)
  const { values } = column
  if (column.kind === 'embed') {
    const parent = embeddedAt(entity, part.field)
    const { count } = release.entity(parent.name)
    const read = kept(count, codeReader(release, parent))
    return (position) => {
      const at = values[position] as number
      return at < count ? read(at) : undefined
    }
  }
  const read = kept(column.starts.length, (value) => {
    const text = rawValue(column, value)
    return text === undefined || text === '' ? undefined : partText(part, text)
  })
  return (position) => read(values[position] as number)
}

/** Beyond so many, texts are rather written again than kept. */
const MAX_KEPT = 1 << 16

/** A reader that keeps what was read once; nothing that was read is null. */
function kept(count: number, read: (at: number) => string | undefined): (at: number) => string | undefined {
  if (count > MAX_KEPT) return read
  const texts = new Array<string | undefined | null>(count).fill(null)
  return (at) => {
    const known = texts[at]
    if (known !== null) return known
    const text = read(at)
    texts[at] = text
    return text
  }
}

function rawValue(column: Exclude<IndexColumn, { kind: 'embed' }>, value: number): string | number | undefined {
  if (column.kind === 'number') return column.numbers[value]
  return column.kind === 'text' ? column.texts.text(value) : column.known[value]
}

/** The positions of the records that have this text as one of their codes, ascending; of one code where that is given. */
export function positionsWithCode(release: Release, entity: Entity, text: string, code?: OfficialCode): number[] {
  const codes = code === undefined ? codesOf(entity) : [code]
  const found = new Set(codes.flatMap((one) => positionsOf(release, entity, one, text)))
  return [...found].sort((a, b) => a - b)
}

/** Longer than any code that is composed of several. */
const MAX_CODE = 200

function positionsOf(release: Release, entity: Entity, code: OfficialCode, text: string): number[] {
  const { index, count } = release.entity(entity.name)
  if (count <= MAX_LISTED && (code.separator ?? '') === '') return listedIn(release)(code, entity).get(text) ?? []
  if (text.length > MAX_CODE || (HAS_LETTER.test(text) && !hasLetters(release, entity, code))) return []
  const columns = code.parts.map(({ field }) => index.column(field))
  const { separator = '' } = code
  // A code of several parts may be typed without what stands between them.
  const isJoined = separator !== '' && code.parts.length > 1 && !text.includes(separator)
  const read = codeReader(release, entity, code)
  const isSame = (position: number) => (isJoined ? read(position)?.replaceAll(separator, '') : read(position)) === text
  const found: number[] = []
  for (const texts of splitsOf(entity, code.parts, isJoined ? '' : separator, text)) {
    checkpoint()
    const wanted: number[][] = []
    for (const [at, part] of code.parts.entries()) {
      const values = valuesOf(release, entity, part, columns[at] as IndexColumn, texts[at] as string)
      if (values.length === 0) break
      wanted.push(values)
    }
    if (wanted.length < code.parts.length) continue
    const counts = wanted.map((values, at) => countOf(columns[at] as IndexColumn, values))
    const rarest = counts.indexOf(Math.min(...counts))
    const isWanted = (position: number) =>
      wanted.every((values, at) => values.includes((columns[at] as IndexColumn).values[position] as number))
    for (const value of wanted[rarest] as number[])
      for (const position of postings(columns[rarest] as IndexColumn, value))
        if (isWanted(position) && isSame(position)) found.push(position)
  }
  return found
}

/** The codes of so few records are listed, as whatever is typed may be one. */
const MAX_LISTED = 4_096

/** The positions of the records with each code, ascending. */
const listedIn = memoized((release: Release) =>
  memoized((code: OfficialCode, entity: Entity): ReadonlyMap<string | undefined, number[]> => {
    const { count } = release.entity(entity.name)
    return Map.groupBy(Array(count).keys(), codeReader(release, entity, code))
  }),
)

const HAS_LETTER = /\p{L}/u

/** True if codes may have letters: most do not, and most queries do. */
const lettersIn = memoized((release: Release) =>
  memoized(
    ({ parts, separator = '' }: OfficialCode, entity: Entity): boolean =>
      HAS_LETTER.test(separator) ||
      parts.some((part) => {
        const column = release.entity(entity.name).index.column(part.field)
        if (column.kind === 'embed') return hasLetters(release, embeddedAt(entity, part.field), usualOf(entity, part))
        if (part.values !== undefined || column.kind === 'text fact') return true
        if (column.kind !== 'text') return false
        const { texts } = column
        for (let value = 0; value < texts.size; value++) if (HAS_LETTER.test(texts.text(value))) return true
        return false
      }),
  ),
)
const hasLetters = (release: Release, entity: Entity, code: OfficialCode): boolean => lettersIn(release)(code, entity)

const postings = ({ starts, positions }: IndexColumn, value: number) =>
  positions.subarray(starts[value], starts[value + 1])
const countOf = ({ starts }: IndexColumn, values: readonly number[]) =>
  values.reduce((sum, value) => sum + (starts[value + 1] as number) - (starts[value] as number), 0)

/** The numbers of the values of a column that are written as this text. */
function valuesOf(release: Release, entity: Entity, part: CodePart, column: IndexColumn, text: string): number[] {
  if (column.kind === 'embed') return positionsOf(release, embeddedAt(entity, part.field), usualOf(entity, part), text)
  return valuesWritten(part, text).flatMap((value) => {
    if (column.kind === 'text') return column.texts.find(value) ?? []
    const known: { indexOf(value: never): number } = column.kind === 'number' ? column.numbers : column.known
    const at = known.indexOf((column.kind === 'text fact' ? value : Number(value)) as never)
    return at === -1 ? [] : at
  })
}

const usualOf = (entity: Entity, { field }: CodePart) => usualCodeOf(embeddedAt(entity, field))

/** The ways in which a text may consist of the parts of a code. */
function* splitsOf(entity: Entity, parts: readonly CodePart[], separator: string, text: string): Generator<string[]> {
  const widths = parts.map((part) => widthOf(entity, part))
  function* from(part: number, start: number): Generator<string[]> {
    const isLast = part === parts.length - 1
    const width = widths[part]
    const ends = isLast
      ? [text.length]
      : width !== undefined
        ? [start + width]
        : Array.from({ length: Math.max(text.length - start - 1, 0) }, (_, at) => start + at + 1)
    for (const end of ends) {
      const own = text.slice(start, end)
      if (end > text.length || (width !== undefined && own.length !== width)) continue
      if (isLast) yield [own]
      else if (text.startsWith(separator, end))
        for (const rest of from(part + 1, end + separator.length)) yield [own, ...rest]
    }
  }
  yield* from(0, 0)
}

/** About how many values are looked up to find a code that is written as a text, where it is that of no record. */
export const codeLookups = (entity: Entity, text: string): number =>
  text.length > MAX_CODE ? 0 : Math.max(...codesOf(entity).map((code) => lookupsOf(entity, code, text)))

function lookupsOf(entity: Entity, { parts }: OfficialCode, text: string): number {
  // A number may be written with zeros before it, any of which may be part of the value.
  const zeros = Math.max(0, ...(text.match(/0+/g) ?? []).map(({ length }) => length))
  let most = 1 + zeros
  let splits = 1
  const ends = parts.filter((part) => widthOf(entity, part) === undefined).length - 1
  for (let end = 1; end <= ends; end++) splits *= Math.max(text.length - end, 1) / end
  for (const part of parts)
    if (entity.fields[part.field]?.kind === 'embed')
      most = Math.max(most, lookupsOf(embeddedAt(entity, part.field), usualOf(entity, part), text))
  return splits * most
}

/** The number of characters of a part; undefined if that differs. */
function widthOf(entity: Entity, { field, width }: CodePart): number | undefined {
  if (entity.fields[field]?.kind !== 'embed') return width
  const parent = embeddedAt(entity, field)
  const { parts, separator = '' } = usualCodeOf(parent)
  const widths = parts.map((part) => widthOf(parent, part))
  return widths.reduce<number | undefined>(
    (sum, own) => (sum === undefined || own === undefined ? undefined : sum + own),
    separator.length * (parts.length - 1),
  )
}
