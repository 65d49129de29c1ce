// The Range header (RFC 9110, section 14): one range of bytes; of anything else the whole is given.

export type ByteRange = readonly [from: number, to: number]

const ONE_RANGE = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/

/** From the first byte to just after the last; undefined for the whole. */
export function readRange(header: string | undefined, length: number): ByteRange | 'beyond' | undefined {
  const [, first = '', last = ''] = ONE_RANGE.exec(header?.replaceAll(' ', '') ?? '') ?? []
  if (first === '' && last === '') return undefined
  // Without a first byte it is the last so many that are wanted.
  if (first === '') return Number(last) === 0 || length === 0 ? 'beyond' : [Math.max(length - Number(last), 0), length]
  if (last !== '' && Number(last) < Number(first)) return undefined
  if (Number(first) >= length) return 'beyond'
  return [Number(first), last === '' ? length : Math.min(Number(last) + 1, length)]
}
