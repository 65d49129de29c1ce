// Splits the query string into names and values, and finds the release that it names: the definitions of that release say
// which parameters there are.
import { badParameter, type ProblemError } from '../../problem.ts'
import { percentDecoded } from '../key-text.ts'

export type QueryPairs = readonly (readonly [name: string, value: string])[]

export type RawQuery = {
  readonly pairs: QueryPairs
  /** The release that it names; undefined for the current one. A wrong `after` names none; it is refused when the parameters are parsed. */
  readonly release: NamedRelease | undefined
}

/** The parameter that names a release, and its digest or the beginning of that. */
type NamedRelease = { readonly parameter: 'release' | 'after'; readonly prefix: string }

export function parseQuery(query: string): RawQuery {
  const pairs = query === '' ? [] : query.split('&').map(parsePair)
  return { pairs, release: namedRelease(pairs) }
}

function namedRelease(pairs: QueryPairs): NamedRelease | undefined {
  const release = valueIn(pairs, 'release')
  if (release !== undefined) return { parameter: 'release', prefix: release }
  const cursor = readCursor(valueIn(pairs, 'after') ?? '')
  return cursor && { parameter: 'after', prefix: cursor.release }
}

/** The value of a parameter that is given exactly once. */
function valueIn(pairs: QueryPairs, name: string): string | undefined {
  const [pair, ...more] = pairs.filter(([given]) => given === name)
  return more.length > 0 ? undefined : pair?.[1]
}

function parsePair(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=')
  const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
  return [formDecoded(name, name), formDecoded(value, name)]
}

const ENCODED = /[%+]/

function formDecoded(text: string, name: string): string {
  if (!ENCODED.test(text)) return text
  const decoded = percentDecoded(withSpaces(text))
  if (decoded === undefined) throw badParameter(name, text, 'text in UTF-8, percent-encoded')
  return decoded
}

const PLUS = 0x2b
const SPACE = 0x20

/** Replacing a million characters in a text takes ten times as long as in its bytes. */
function withSpaces(text: string): string {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === PLUS) bytes[at] = SPACE
  return bytes.toString()
}

/** A place in a list: the release, and the position of the last record that was sent. Opaque to clients. */
type Cursor = { readonly release: string; readonly position: number }

const CURSOR = /^([0-9a-f]{16})-(0|[1-9][0-9]{0,9})$/
const CURSOR_DIGITS = 16

export const writeCursor = (digest: string, position: number): string =>
  Buffer.from(`${digest.slice(0, CURSOR_DIGITS)}-${position}`).toString('base64url')

export function readCursor(text: string): Cursor | undefined {
  const [, release, position] = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  return release === undefined ? undefined : { release, position: Number(position) }
}

export const badCursor = (after: string): ProblemError =>
  badParameter('after', after, 'a cursor out of the Link header of a page of the same list')
