// The types of bodies that are read.
import type { RequestHeaders } from '../exchange.ts'
import { ProblemError } from '../problem.ts'

const ROW_TYPES = ['application/json', 'application/x-ndjson', 'text/csv'] as const
export type RowType = (typeof ROW_TYPES)[number]

const OTHER_NAMES: ReadonlyMap<string, RowType> = new Map([
  ['application/ndjson', 'application/x-ndjson'],
  ['application/jsonl', 'application/x-ndjson'],
])

const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Returns the type of a body with rows; refuses all others. */
export function rowTypeOf(headers: RequestHeaders): RowType {
  const [name = '', ...parameters] = partsOf(headers)
  const type = ROW_TYPES.find((one) => one === name) ?? OTHER_NAMES.get(name)
  const isOtherCharset = parameters.some((one) => one.startsWith('charset=') && !/^charset="?utf-?8"?$/.test(one))
  if (type === undefined || isOtherCharset || codingOf(headers) !== '') throw unsupported(headers, ROW_TYPES.join(', '))
  return type
}

/** Refuses a body that is no form. A form may come without a type. */
export function requireForm(headers: RequestHeaders): void {
  const [name] = partsOf(headers)
  if ((name !== '' && name !== FORM_TYPE) || codingOf(headers) !== '') throw unsupported(headers, FORM_TYPE)
}

/** Returns the name of the type, and its parameters, in lower case. */
const partsOf = (headers: RequestHeaders): string[] =>
  (headers.get('content-type') ?? '').split(';').map((part) => part.trim().toLowerCase())

/** Returns how the body is compressed; nothing if it is not. */
function codingOf(headers: RequestHeaders): string {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  return coding === 'identity' ? '' : coding
}

function unsupported(headers: RequestHeaders, allowed: string): ProblemError {
  const coding = codingOf(headers)
  const type = headers.get('content-type') ?? ''
  return new ProblemError({
    kind: 'unsupported-media-type',
    type: coding === '' ? type : `${type}, ${coding}`,
    allowed,
  })
}
