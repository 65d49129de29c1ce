// The official codes of the records of a release: read at a position, and found among all, out of the columns that there are.
import { memoized } from '../base/memoized.ts'
import { type CodePart, type Entity, embeddedAt, type OfficialCode } from '../catalog/entity.ts'
import { codesOf, partText, usualCodeOf, valuesWritten } from '../catalog/official-code.ts'
import type { Column } from './index/index-file.ts'
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

/** The same with what was read once; nothing that was read is null. */
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

function rawValue(column: Exclude<Column, { kind: 'embed' }>, value: number): string | number | undefined {
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
  if (text.length > MAX_CODE || (HAS_LETTER.test(text) && !hasLetters(release, entity, code))) return []
  const { index } = release.entity(entity.name)
  const columns = code.parts.map(({ field }) => index.column(field))
  const { separator = '' } = code
  // A code of several parts may be typed without what stands between them.
  const isJoined = separator !== '' && code.parts.length > 1 && !text.includes(separator)
  const read = codeReader(release, entity, code)
  const isSame = (position: number) => (isJoined ? read(position)?.replaceAll(separator, '') : read(position)) === text
  return splitsOf(widthsOf(code, entity), isJoined ? '' : separator, text).flatMap((texts) => {
    const wanted: Wanted[] = []
    for (let at = 0; at < texts.length; at++) {
      const column = columns[at] as Column
      const values = valuesOf(release, entity, code.parts[at] as CodePart, column, texts[at] as string)
      if (values.length === 0) return []
      wanted.push({ column, values })
    }
    return positionsWith(wanted).filter(isSame)
  })
}

/** Some values of a column, by their numbers. */
type Wanted = { readonly column: Column; readonly values: readonly number[] }

/** The positions of the records that have one of the values that are wanted in each column. */
function positionsWith(wanted: readonly Wanted[]): number[] {
  const rarest = wanted.reduce((one, other) => (countOf(other) < countOf(one) ? other : one))
  const others = wanted.filter((one) => one !== rarest)
  const { starts, positions } = rarest.column
  return rarest.values.flatMap((value) => {
    const own = [...positions.subarray(starts[value], starts[value + 1])]
    return others.reduce(
      (left, { column, values }) => left.filter((position) => values.includes(column.values[position] as number)),
      own,
    )
  })
}

const countOf = ({ column: { starts }, values }: Wanted): number =>
  values.reduce((sum, value) => sum + (starts[value + 1] as number) - (starts[value] as number), 0)

const HAS_LETTER = /\p{L}/u

/** Whether codes may have letters: most do not, and most of what is typed does. */
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

/** The numbers of the values of a column that are written as this text. */
function valuesOf(release: Release, entity: Entity, part: CodePart, column: Column, text: string): number[] {
  if (column.kind === 'embed') return positionsOf(release, embeddedAt(entity, part.field), usualOf(entity, part), text)
  return valuesWritten(part, text).flatMap((value) => {
    if (column.kind === 'text') return column.texts.find(value) ?? []
    const known: { indexOf(value: never): number } = column.kind === 'number' ? column.numbers : column.known
    const at = known.indexOf((column.kind === 'text fact' ? value : Number(value)) as never)
    return at === -1 ? [] : at
  })
}

const usualOf = (entity: Entity, { field }: CodePart) => usualCodeOf(embeddedAt(entity, field))

/** The ways in which a text may consist of parts of some widths, from a part and a character on. */
function splitsOf(
  widths: readonly (number | undefined)[],
  separator: string,
  text: string,
  part = 0,
  start = 0,
): string[][] {
  const width = widths[part]
  if (part === widths.length - 1) {
    const own = text.slice(start)
    return width === undefined || own.length === width ? [[own]] : []
  }
  const splits: string[][] = []
  const last = width === undefined ? text.length - 1 : start + width
  for (let end = width === undefined ? start + 1 : last; end <= last && end <= text.length; end++)
    if (text.startsWith(separator, end))
      for (const rest of splitsOf(widths, separator, text, part + 1, end + separator.length))
        splits.push([text.slice(start, end), ...rest])
  return splits
}

const widthsOf = memoized(({ parts }: OfficialCode, entity: Entity) => parts.map((part) => widthOf(entity, part)))

/** How many characters a part has; undefined where that differs. */
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
