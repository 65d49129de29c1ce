// The column of anything that records are filtered and sorted by: that of a field in the index, or one of official codes.
import { checkpoint } from '../base/checkpoint.ts'
import { memoized } from '../base/memoized.ts'
import type { Entity, OfficialCode } from '../catalog/entity.ts'
import { derivedCodesOf } from '../catalog/official-code.ts'
import { byteOrder } from '../release/index/byte-order.ts'
import type { IndexColumn } from '../release/index/index-file.ts'
import { postingsOf } from '../release/index/postings.ts'
import { SortedTexts } from '../release/index/sorted-texts.ts'
import { codeReader } from '../release/official-codes.ts'
import type { Release } from '../release/release.ts'

/** The official code with a name that is no field of the entity. */
export const derivedCode = (entity: Entity, name: string): OfficialCode | undefined =>
  derivedCodesOf(entity).find((code) => code.name === name)

export function columnAt(release: Release, entity: Entity, name: string): IndexColumn {
  const code = derivedCode(entity, name)
  return code === undefined ? release.entity(entity.name).index.column(name) : codeColumns(release)(code, entity)
}

/** Made when it is first needed; single codes are found without it. */
const codeColumns = memoized((release: Release) =>
  memoized((code: OfficialCode, entity: Entity): IndexColumn => codeColumn(release, entity, code)),
)

/** Number of records between two checkpoints, less one. */
const CHECKED_EVERY = 0xfff

/** Codes in the order of their bytes; what is not known is the empty text. */
function codeColumn(release: Release, entity: Entity, code: OfficialCode): IndexColumn {
  const { count } = release.entity(entity.name)
  const read = codeReader(release, entity, code)
  const texts: string[] = []
  let isAscending = true
  for (let position = 0; position < count; position++) {
    if ((position & CHECKED_EVERY) === 0) checkpoint()
    const text = read(position) ?? ''
    if (position > 0 && text < (texts[position - 1] as string)) isAscending = false
    texts.push(text)
  }
  // Most records are stored in the order of their codes.
  const order = isAscending ? texts.keys() : byteOrder(packed(texts))
  const values = new Uint32Array(count)
  const distinct: string[] = []
  for (const position of order) {
    const text = texts[position] as string
    if (distinct.length === 0 || distinct.at(-1) !== text) distinct.push(text)
    values[position] = distinct.length - 1
  }
  const { bytes, offsets } = packed(distinct)
  return {
    kind: 'text',
    values,
    ...postingsOf(values, distinct.length),
    texts: new SortedTexts(bytes, offsets, (text) => text),
    groups: new Uint32Array(distinct.length).map((_, at) => at),
  }
}

function packed(texts: readonly string[]): { readonly bytes: Buffer; readonly offsets: Uint32Array } {
  const offsets = new Uint32Array(texts.length + 1)
  for (let at = 0; at < texts.length; at++)
    offsets[at + 1] = (offsets[at] as number) + Buffer.byteLength(texts[at] as string)
  return { bytes: Buffer.from(texts.join('')), offsets }
}
