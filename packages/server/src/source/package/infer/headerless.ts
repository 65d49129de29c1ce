// Tables whose first row is one like the others: nothing names their columns, which their owner is asked about.
import type { Column, InferredTable } from './columns.ts'
import { isKnownWord } from './lexicon.ts'

const CODE = /^[\p{L}\-./]{0,3}[0-9][0-9\p{Lu}\-./]*$/u
const formOf = (text: string) => text.replace(/[0-9]/g, '0').replace(/\p{L}/gu, 'A')

/** A column whose header is a code or a number like its values, in a table of which no header is a word that headers have. */
export function headerlessColumn({ columns, resource: { schema, dialect } }: InferredTable): Column | undefined {
  const isSaid = schema !== undefined || dialect?.header !== undefined || dialect?.headerRows !== undefined
  if (isSaid || columns.length < 2 || columns.some(({ words }) => words.some(isKnownWord))) return undefined
  return columns.find(({ name, profile: { values } }) => {
    const form = formOf(name)
    return CODE.test(name) && values.length > 1 && values.every((value) => CODE.test(value) && formOf(value) === form)
  })
}

export const headerlessReason = ({ name }: Column): string =>
  `its first row names no columns, since ${JSON.stringify(name)} is like the values below it; write names above it, or say which it is: ` +
  '"dialect": {"header": false} at the resource where it is a record, {"header": true} where these are names'
