// Parses decimal numbers strictly: digits, with a sign, decimals and a power of ten where there are any.

/** Whatever JavaScript writes for a number; and few enough digits to cost nothing. */
const DECIMAL = /^-?[0-9]{1,25}(?:\.[0-9]{1,25})?(?:e[+-]?[0-9]{1,3})?$/

/** The number that a text is, or undefined: for a blank, a plus, no digit before or after the point, and infinity. */
export function parseDecimal(text: string): number | undefined {
  // Zero has no sign.
  const number = DECIMAL.test(text) ? Number(text) + 0 : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
