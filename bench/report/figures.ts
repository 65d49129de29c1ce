// How figures are written.
import type { Spread } from '../measure/spread.ts'

const formats = new Map<number, Intl.NumberFormat>()

export function figure(value: number, digits = 0): string {
  let format = formats.get(digits)
  if (format === undefined) {
    format = new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    formats.set(digits, format)
  }
  return format.format(value)
}

/** The median, with the range that it comes from. */
export const ranged = ({ median, min, max }: Spread, digits = 0): string =>
  `${figure(median, digits)} (${figure(min, digits)}–${figure(max, digits)})`

/** Small figures keep a digit more than large ones. */
export const brief = (spread: Spread): string => ranged(spread, spread.median < 10 ? 2 : spread.median < 1_000 ? 1 : 0)

export const megabytes = (bytes: number): string => `${figure(bytes / 1e6, 1)} MB`
