// Which types of bodies are read where, and what looks at each.
import type { RequestHeaders } from '../exchange.ts'
import type { BodyProblem, BodyScanner } from './body-scanner.ts'
import { FormScanner } from './form-scanner.ts'
import { CSV_LINES, type Format, JSON_ARRAY, JSON_LINES, RowScanner } from './row-scanner.ts'

/** The types of bodies with rows. */
const ROW_FORMATS = {
  'application/json': JSON_ARRAY,
  'application/x-ndjson': JSON_LINES,
  'text/csv': CSV_LINES,
} as const satisfies Readonly<Record<string, Format>>
export type RowType = keyof typeof ROW_FORMATS

const OTHER_NAMES: Readonly<Record<string, RowType>> = {
  'application/ndjson': 'application/x-ndjson',
  'application/jsonl': 'application/x-ndjson',
}
const FORM_TYPE = 'application/x-www-form-urlencoded'

const isOneOf = <T extends object>(types: T, name: PropertyKey): name is keyof T => Object.hasOwn(types, name)

/** The type of a body with rows, or why it is not read. */
export function rowTypeOf(headers: RequestHeaders): RowType | BodyProblem {
  const [name = '', ...parameters] = partsOf(headers)
  const type = OTHER_NAMES[name] ?? name
  const isOtherCharset = parameters.some((one) => one.startsWith('charset=') && !/^charset="?utf-?8"?$/.test(one))
  if (isOneOf(ROW_FORMATS, type) && !isOtherCharset && codingOf(headers) === '') return type
  return unsupported(headers, Object.keys(ROW_FORMATS).join(', '))
}

/** Why a form is not read, if it is not. A form without a type is one. */
export function formProblem(headers: RequestHeaders): BodyProblem | undefined {
  const [name] = partsOf(headers)
  return (name === '' || name === FORM_TYPE) && codingOf(headers) === '' ? undefined : unsupported(headers, FORM_TYPE)
}

export const newRowScanner = (type: RowType): RowScanner => new RowScanner(ROW_FORMATS[type])

export function rowScanner(headers: RequestHeaders): BodyScanner {
  const type = rowTypeOf(headers)
  return typeof type === 'string' ? newRowScanner(type) : { scan: () => type }
}

export function formScanner(headers: RequestHeaders): BodyScanner {
  const problem = formProblem(headers)
  return problem === undefined ? new FormScanner() : { scan: () => problem }
}

/** The name of the type, and its parameters, in lower case. */
const partsOf = (headers: RequestHeaders): string[] =>
  (headers.get('content-type') ?? '').split(';').map((part) => part.trim().toLowerCase())

/** How the body is compressed; empty if it is not. */
function codingOf(headers: RequestHeaders): string {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  return coding === 'identity' ? '' : coding
}

function unsupported(headers: RequestHeaders, allowed: string): BodyProblem {
  const coding = codingOf(headers)
  const type = headers.get('content-type') ?? ''
  return { kind: 'unsupported-media-type', type: coding === '' ? type : `${type}, ${coding}`, allowed }
}
