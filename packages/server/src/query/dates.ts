// Dates as they are written (ISO 8601): of years, months, days or moments, before and after the year 9999 too.

const DATE = /^(-?[0-9]{4,})((?:-[0-9]{2}){0,2}(?:T.*)?)$/

/** True if the text can be compared with dates: a year, a month, a day or a moment. */
export const isDate = (text: string): boolean => DATE.test(text)

/** Below zero where the first is earlier; a year comes before its months, and a month before its days. */
export function compareDates(a: string, b: string): number {
  const [, yearOfA = '0', restOfA = a] = DATE.exec(a) ?? []
  const [, yearOfB = '0', restOfB = b] = DATE.exec(b) ?? []
  return Number(yearOfA) - Number(yearOfB) || (restOfA < restOfB ? -1 : Number(restOfA > restOfB))
}

/** True if a date lies in a month or year that is given with fewer digits. */
export const isWithinDate = (date: string, period: string): boolean =>
  date.startsWith(`${period}-`) || date.startsWith(`${period}T`)
