// How far a part of a row is from one record: from the nearest of its names, aliases and codes.
import { checkpoint } from '../../base/checkpoint.ts'
import { matchName, type NameMatch, type WrittenName } from '../search/name-match.ts'
import type { WrittenPart } from './written-part.ts'

/** A record with all that it is called. */
export type NamedRecord = {
  readonly position: number
  /** Its names, and after them its aliases. */
  readonly names: readonly WrittenName[]
  /** Where among these the aliases begin. */
  readonly firstAlias: number
  /** Its codes, folded; read only when something may be a code. */
  readonly codes: () => readonly string[]
}

/** A record that a part may mean. */
export type PartMatch = NameMatch & { readonly position: number }

/** The greatest cost of a match. */
export const MAX_COST = 3.4
/** The cost of a code whose leading zeros are missing. */
const WITHOUT_ZEROS_COST = 0.05

const LEADING_ZEROS = /^0+(?=.)/

export const matchByCode = (position: number, isWithoutZeros: boolean): PartMatch => ({
  position,
  cost: isWithoutZeros ? WITHOUT_ZEROS_COST : 0,
  how: 'code',
  isWhole: true,
  isPrefix: false,
})

/** Undefined where the record has too little in common with the part. */
export function matchRecord(record: NamedRecord, part: WrittenPart): PartMatch | undefined {
  checkpoint()
  const { position, names, firstAlias } = record
  let best: PartMatch | undefined
  for (let at = 0; at < names.length; at++) {
    const match = matchAny(part, names[at] as WrittenName)
    if (match === undefined || (best !== undefined && match.cost >= best.cost)) continue
    best = { position, ...match, how: at < firstAlias ? match.how : 'alias' }
  }
  if (best?.cost !== 0 && part.code !== undefined) {
    const coded = matchCode(record, part.code, part.digits)
    if (coded !== undefined && (best === undefined || coded.cost < best.cost)) best = coded
  }
  return best === undefined || best.cost > MAX_COST ? undefined : best
}

export const matchRecords = (records: readonly NamedRecord[], part: WrittenPart): PartMatch[] => {
  const matches: PartMatch[] = []
  for (const record of records) {
    const match = matchRecord(record, part)
    if (match !== undefined) matches.push(match)
  }
  return matches
}

function matchAny({ written, stripped }: WrittenPart, name: WrittenName): NameMatch | undefined {
  let best = matchName(written, name)
  for (const { name: rest, cost } of stripped) {
    const match = matchName(rest, name)
    if (match === undefined || (best !== undefined && match.cost + cost >= best.cost)) continue
    best = { ...match, cost: match.cost + cost, how: match.how === 'exact' ? 'dropped-words' : match.how }
  }
  return best
}

function matchCode(record: NamedRecord, code: string, digits: string | undefined): PartMatch | undefined {
  const codes = record.codes()
  if (codes.includes(code)) return matchByCode(record.position, false)
  const short = digits?.replace(LEADING_ZEROS, '')
  return short !== undefined && codes.some((one) => one.replace(LEADING_ZEROS, '') === short)
    ? matchByCode(record.position, true)
    : undefined
}
