// A table as the guesses see it: its columns, with what is declared of each and what its values have in common.
import { memoized } from '../../base/memoized.ts'
import type { Resource, TableField, TableSample } from './descriptor.ts'
import { nameWords } from './guess-words.ts'

export type ProfiledColumn = {
  /** As in the file. */
  readonly name: string
  readonly words: readonly string[]
  /** What the descriptor says of it; without properties where it says nothing. */
  readonly declared: TableField
  /** Empty where there is none. */
  readonly values: readonly string[]
  readonly missingValues: readonly string[]
  /** Whether these are the values of all rows. */
  readonly isWhole: boolean
}

export type ProfiledTable = {
  readonly resource: Resource
  readonly columns: readonly ProfiledColumn[]
  readonly rows: number
  readonly notUnique: readonly (readonly string[])[]
}

export function tableOf(resource: Resource, sample: TableSample): ProfiledTable {
  const declaredOf = declarationsOf(resource, sample.header)
  const missing = resource.schema?.missingValues ?? []
  const columns = sample.header.map((name, position): ProfiledColumn => {
    const declared: TableField = declaredOf.get(name) ?? { name, own: new Map() }
    const missingValues = declared.missingValues ?? missing
    const values = withoutMissing(sample.columns[position] ?? [], missingValues)
    return { name, words: nameWords(name), declared, values, missingValues, isWhole: sample.isWhole }
  })
  return { resource, columns, rows: sample.rows, notUnique: sample.notUnique ?? [] }
}

/** Each column has the declaration of its name; where there is none, the one that differs in case and signs only. */
function declarationsOf({ schema }: Resource, header: readonly string[]): ReadonlyMap<string, TableField> {
  const declared = new Map((schema?.fields ?? []).map((field) => [field.name, field]))
  const exact = new Set(header.filter((name) => declared.has(name)))
  const loose = new Map(
    [...declared.values()].filter(({ name }) => !exact.has(name)).map((one) => [lettersOf(one.name), one]),
  )
  return new Map(
    header.flatMap((name) => {
      const field = declared.get(name) ?? loose.get(lettersOf(name))
      return field === undefined ? [] : [[name, field] as const]
    }),
  )
}

const lettersOf = (name: string) => nameWords(name).join('')

/** The column that a name in the descriptor means. */
export const columnNamed = ({ columns }: ProfiledTable, name: string): ProfiledColumn | undefined =>
  columns.find((column) => column.name === name) ?? columns.find(({ declared }) => declared.name === name)

function withoutMissing(values: readonly string[], missing: readonly string[]): readonly string[] {
  const others = new Set(missing.filter((value) => value !== ''))
  return others.size === 0 ? values : values.map((value) => (others.has(value) ? '' : value))
}

export const blanksOf = memoized(({ values }: ProfiledColumn): number =>
  values.reduce((sum, value) => sum + (value === '' ? 1 : 0), 0),
)

/** The values that there are, each once. */
export const distinctOf = memoized(({ values }: ProfiledColumn): ReadonlySet<string> => {
  const distinct = new Set(values)
  distinct.delete('')
  return distinct
})

const MAX_COUNTED = 20_000

/** Which share of the values that there are is different from all before; of a long table, of its beginning. */
export const distinctShare = memoized(({ values }: ProfiledColumn): number => {
  const some = values.slice(0, MAX_COUNTED).filter((value) => value !== '')
  return new Set(some).size / Math.max(1, some.length)
})

export const isBlank = (column: ProfiledColumn): boolean => blanksOf(column) === column.values.length

/** Whether every value that there is fits. */
export const allFit = (column: ProfiledColumn, fits: (value: string) => boolean): boolean =>
  !isBlank(column) && column.values.every((value) => value === '' || fits(value))

/** Which share of the values that there are fits. */
export function shareThatFits(column: ProfiledColumn, fits: (value: string) => boolean): number {
  let some = 0
  let fitting = 0
  for (const value of column.values) {
    if (value === '') continue
    some++
    if (fits(value)) fitting++
  }
  return some === 0 ? 0 : fitting / some
}

const MAX_NAME = 1_000
/** Signs of a line or of none; those that stand for others in an encoding that was mistaken are mended where values are read. */
const CONTROL = /[^\P{Cc}\u0080-\u009f]/u

/** Whether every value can be a name or a code: one line that is not too long. */
export const isOneLine = memoized((column: ProfiledColumn): boolean =>
  column.values.every((value) => value.length <= MAX_NAME && !CONTROL.test(value)),
)

const MAX_CODE = 128
const MAX_SPACED = 0.1

/** Whether the values look like codes: short, and hardly any of several words. */
export const looksLikeCodes = memoized((column: ProfiledColumn): boolean => {
  if (isBlank(column) || !isOneLine(column)) return false
  return (
    allFit(column, (value) => value.length <= MAX_CODE && !/^https?:/.test(value)) &&
    shareThatFits(column, (value) => value.includes(' ')) <= MAX_SPACED
  )
})

/** How many rows lack a value in one of the columns, or have all of another row; counted up to a limit. */
export function unidentifiedBy(
  columns: readonly ProfiledColumn[],
  limit: number,
): { readonly blank: number; readonly double: number } {
  const [first, ...rest] = columns
  const seen = new Set<string>()
  let [blank, double] = [0, 0]
  for (let row = 0; row < (first?.values.length ?? 0) && blank + double <= limit; row++) {
    let value = first?.values[row] as string
    let isBlank = value === ''
    for (const column of rest) {
      const next = column.values[row] as string
      isBlank ||= next === ''
      value += `\0${next}`
    }
    if (isBlank) blank++
    else if (seen.has(value)) double++
    else seen.add(value)
  }
  return { blank, double }
}

/** Whether no value is there twice. */
export const isUnique = (column: ProfiledColumn): boolean =>
  distinctShare(column) === 1 && distinctOf(column).size === column.values.length - blanksOf(column)

/** Whether no two rows have the same values in the columns, and none lacks one. */
export function identifies(columns: readonly ProfiledColumn[]): boolean {
  const [first, ...rest] = columns
  if (first !== undefined && rest.length === 0) return blanksOf(first) === 0 && isUnique(first)
  const { blank, double } = unidentifiedBy(columns, 0)
  return blank + double === 0
}
