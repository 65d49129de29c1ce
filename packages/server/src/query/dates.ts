// Dates as they are written (ISO 8601): of years, months, days or moments, before and after the year 9999 too.

const DATE = /^(-?[0-9]{4,})((?:-[0-9]{2}){0,2}(?:T.*)?)$/

/** True if the text can be compared with dates: a year, a month, a day or a moment. */
export const isDate = (text: string): boolean => DATE.test(text)

/** A date as it is compared: its year, and what follows that. */
type DateParts = readonly [year: number, rest: string]

export function datePartsOf(text: string): DateParts {
  const [, year = '0', rest = text] = DATE.exec(text) ?? []
  return [Number(year), rest]
}

/** Below zero where the first is earlier; a year comes before its months, and a month before its days. */
export const compareDates = ([yearA, restA]: DateParts, [yearB, restB]: DateParts): number =>
  yearA - yearB || (restA < restB ? -1 : Number(restA > restB))

/** True if a date comes after another, and does not lie in the month or year that the other is. */
export const isAfter = (date: DateParts, bound: DateParts): boolean =>
  compareDates(date, bound) > 0 &&
  !(date[0] === bound[0] && (date[1].startsWith(`${bound[1]}-`) || date[1].startsWith(`${bound[1]}T`)))
