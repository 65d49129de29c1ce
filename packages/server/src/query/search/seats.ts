// Which record is the seat of its parent, where parents have one: the town that a municipality is governed from.
import { memoized } from '../../base/memoized.ts'
import { importanceFieldsOf } from '../../catalog/importance-fields.ts'
import type { IndexColumn } from '../../release/index/index-file.ts'
import type { OpenEntity, Release } from '../../release/release.ts'

/** What stands for a parent that has no seat. */
export const NO_SEAT = -1

export type Seats = {
  readonly parentOf: Uint32Array
  /** The position of the seat of each parent, or NO_SEAT. */
  readonly seatOf: Int32Array
}

const computed = memoized(({ definition, count, index }: OpenEntity, release: Release): Seats | undefined => {
  const { code, fields } = definition
  const owner = code.find((field) => fields[field]?.kind === 'embed')
  const codeField = code.find((field) => fields[field]?.kind === 'code')
  const embed = owner === undefined ? undefined : fields[owner]
  if (owner === undefined || codeField === undefined || embed?.kind !== 'embed') return undefined
  const { seat: seatField } = importanceFieldsOf(embed.entity)
  if (seatField === undefined) return undefined
  const parent = release.entity(embed.entity.name)
  const seats = parent.index.column(seatField)
  const codes = index.column(codeField)
  if (codes.kind !== 'text' || seats.kind !== 'text fact') return undefined
  const isSeatCode = flagsOf(codes, importanceFieldsOf(definition).seatCode)
  /** The number of the code of each parent's seat, or NO_SEAT where that is not known. */
  const knownCodes = seats.known.map((known) => codes.texts.find(known) ?? NO_SEAT)
  const parentOf = index.column(owner).values
  const seatOf = new Int32Array(parent.count).fill(NO_SEAT)
  for (let position = 0; position < count; position++) {
    const above = parentOf[position] as number
    if (above >= parent.count || seatOf[above] !== NO_SEAT) continue
    const own = codes.values[position] as number
    const known = knownCodes[seats.values[above] as number] ?? NO_SEAT
    if (known === NO_SEAT ? isSeatCode[own] === 1 : own === known) seatOf[above] = position
  }
  return { parentOf, seatOf }
})

/** The seats among the records of an entity; undefined where its parents have none. */
export const seatsAmong = (release: Release, name: string): Seats | undefined => computed(release.entity(name), release)

function flagsOf({ texts }: Extract<IndexColumn, { kind: 'text' }>, pattern: RegExp): Uint8Array {
  const flags = new Uint8Array(texts.size)
  for (let value = 0; value < flags.length; value++) if (pattern.test(texts.text(value))) flags[value] = 1
  return flags
}
