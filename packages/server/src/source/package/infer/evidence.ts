// Evidence that values are codes of a list: how unlikely it is that texts of the same form are among them by chance.
import { type CodeCut, codeAbove, cutOf } from '../code-tree.ts'
import { type ColumnProfile, hashOf } from './table-profile.ts'

/** Values that count as evidence; more would only repeat it. */
const MAX_COUNTED = 10
/** What a long text proves at most, as a natural logarithm. */
const MAX_INFORMATION = 12
/** So many different values show that hardly any is there. */
const MAX_TRIED = 200
const MIN_TRIED = 0.5

const lettersIn = (code: string) => code.replace(/[^\p{L}]/gu, '')
const digitsIn = (code: string) => code.replace(/[^0-9]/g, '')
const ROMAN = /^[IVXLCM]+$/i

/** How dense codes are among the texts of their form: by their letters, and for the same letters by their digits. */
class Densities {
  readonly #letters = new Map<number, Set<string>>()
  readonly #digits = new Map<string, { count: number; max: number }>()
  readonly #scale: number

  constructor(codes: readonly string[], scale = 1) {
    this.#scale = scale
    for (const code of codes) {
      const [letters, digits] = [lettersIn(code), digitsIn(code)]
      this.#letters.getOrInsertComputed(letters.length, () => new Set()).add(letters)
      const group = this.#digits.getOrInsertComputed(groupOf(letters, digits), () => ({ count: 0, max: 0 }))
      group.count++
      group.max = Math.max(group.max, Number(digits))
    }
  }

  /** −ln of the chance that a text of the form of each code is there; letters that come again prove nothing more. */
  informationOf(codes: readonly string[]): number {
    const seen = new Set<string>()
    let sum = 0
    for (const code of codes.slice(0, MAX_COUNTED)) {
      const [letters, digits] = [lettersIn(code), digitsIn(code)]
      let own = 0
      if (!seen.has(letters)) own += information((this.#letters.get(letters.length)?.size ?? 1) / 26 ** letters.length)
      seen.add(letters)
      const { count = 1, max = 0 } = this.#digits.get(groupOf(letters, digits)) ?? {}
      const space = isPadded(digits) ? 10 ** digits.length : Math.max(max, 1)
      if (digits !== '') own += information((count * this.#scale) / space)
      sum += Math.min(own, MAX_INFORMATION)
    }
    return sum
  }
}

const information = (density: number) => -Math.log(Math.min(1, density))
const isPadded = (digits: string) => digits.startsWith('0')
/** Numbers that are padded with zeros have their lengths for themselves; others are counted up together. */
const groupOf = (letters: string, digits: string) => (isPadded(digits) ? `${letters} ${digits.length}` : letters)

/** What a column shows of being codes of a list. */
export type Evidence = {
  /** The share of its rows whose values are there, or of its different values where more than one of them is not. */
  readonly share: number
  readonly information: number
  /** A value that is not there. */
  readonly stray?: string
  /** The length that values must have had before they lost zeros. */
  readonly paddedTo?: number
}

export class CodeSet {
  readonly profile: ColumnProfile
  readonly #densities: Densities
  /** The length of all codes, where some of them begin with a zero. */
  readonly #padded: number | undefined

  constructor(profile: ColumnProfile) {
    this.profile = profile
    this.#densities = new Densities(
      densitySample(profile),
      profile.distinct.length / Math.max(1, profile.values.length),
    )
    const [length, ...others] = profile.lengths.keys()
    this.#padded =
      others.length === 0 && profile.shares.digits === 1 && profile.shares.leadingZero > 0 ? length : undefined
  }

  /** True for numbers that no zeros stand before: small ones are everywhere. */
  get areNumbers(): boolean {
    const { shares } = this.profile
    return shares.digits === 1 && shares.leadingZero === 0
  }

  has(hash: number): boolean {
    const { distinct } = this.profile
    let [low, high] = [0, distinct.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((distinct[middle] as number) < hash) low = middle + 1
      else high = middle
    }
    return distinct[low] === hash
  }

  evidenceFrom(column: ColumnProfile): Evidence | undefined {
    if (column.values.length === 0) return undefined
    const [found, padded] = [this.#evidence(column), this.#paddedEvidence(column)]
    return padded !== undefined && padded.share > (found?.share ?? 0) ? padded : found
  }

  #evidence(column: ColumnProfile): Evidence | undefined {
    const tried = column.values.slice(0, MAX_TRIED)
    const found = tried.filter((value) => this.has(hashOf(value)))
    if (found.length < MIN_TRIED * tried.length) return undefined
    const ofRows = count(column.hashes, (hash) => hash !== 0 && this.has(hash)) / (column.rows - column.empty)
    const strays = count(column.distinct, (hash) => hash !== 0 && !this.has(hash))
    const stray = column.values.find((value) => !this.has(hashOf(value)))
    return {
      share: strays > 1 ? Math.min(ofRows, 1 - strays / column.distinct.length) : ofRows,
      information: this.#densities.informationOf(found),
      ...(stray === undefined ? {} : { stray }),
    }
  }

  /** Numbers of which some have lost the zeros at their beginning, as spreadsheets do. */
  #paddedEvidence({ values, lengths, shares }: ColumnProfile): Evidence | undefined {
    const length = this.#padded
    if (length === undefined || shares.digits < 1 || shares.leadingZero > 0) return undefined
    if (![...lengths.keys()].every((one) => one === length || one === length - 1)) return undefined
    const padded = values.map((value) => value.padStart(length, '0'))
    const found = padded.filter((value) => this.has(hashOf(value)))
    return {
      share: found.length / values.length,
      information: this.#densities.informationOf(found),
      paddedTo: length,
    }
  }
}

function count(hashes: Float64Array, fits: (hash: number) => boolean): number {
  let found = 0
  for (const hash of hashes) if (fits(hash)) found++
  return found
}

const MAX_SAMPLE = 5_000
const densitySample = ({ values }: ColumnProfile) => values.slice(0, MAX_SAMPLE)

export type TreeEvidence = { readonly cut: CodeCut; readonly information: number }

/** Codes that form a tree, and how unlikely it is that they do by chance. */
export function codeTreeEvidence(key: CodeSet): TreeEvidence | undefined {
  const { values } = key.profile
  if (isSeries(withoutFilling(values)) || values.every((code) => ROMAN.test(code))) return undefined
  const cut = cutOf(values, (code) => key.has(hashOf(code)))
  if (cut === undefined) return undefined
  const above = new Set(values.flatMap((code) => codeAbove(code, cut) ?? []))
  const byForm = Map.groupBy(values, (code) => formOf(code, cut))
  const codes = [...above]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_COUNTED)
    .map((code) => information((byForm.get(formOf(code, cut))?.length ?? 1) / spaceOf(code, cut)))
  return { cut, information: codes.reduce((sum, one) => sum + one, 0) }
}

/** Codes of one length without the zeros that fill them up. */
const withoutFilling = (codes: readonly string[]): readonly string[] =>
  codes.some(({ length }) => length !== codes[0]?.length) ? codes : codes.map((code) => code.replace(/^0+(?=.)/, ''))

/** Texts that could stand in the place of a code: of the same letters before its digits, and of as many digits. */
const formOf = (code: string, cut: CodeCut) => {
  const plain = 'zeros' in cut ? code.replace(/0+$/, '') : code
  return plain.replace(/[0-9]/g, '0').replace(/^[\p{L}\-_./]+$/u, (letters) => 'A'.repeat(letters.length))
}

function spaceOf(code: string, cut: CodeCut): number {
  const plain = 'zeros' in cut ? code.replace(/0+$/, '') : code
  const digits = digitsIn(plain).length
  return digits === 0
    ? 26 ** lettersIn(plain).length
    : isPadded(digitsIn(plain))
      ? 10 ** digits
      : 9 * 10 ** (digits - 1)
}

/** Numbers that were counted up lack at most one in three. */
const MAX_GAPS = 1.5

/** Numbers that were counted up, of which every one begins with another by chance. */
export function isSeries(codes: readonly string[]): boolean {
  let [min, max] = [Number.POSITIVE_INFINITY, 0]
  for (const code of codes) {
    if (!/^(?:0|[1-9][0-9]{0,14})$/.test(code)) return false
    min = Math.min(min, Number(code))
    max = Math.max(max, Number(code))
  }
  return (max - min + 1) / codes.length < MAX_GAPS
}
