// The query parameters of API v2: what each is called and may be, and what is wrong with those of a request.

import { nearest } from '../../nearest.ts'
import type { BadParameter } from '../../page/page-request.ts'

export type UnknownParameter = {
  readonly kind: 'unknown-parameter'
  readonly name: string
  readonly known: readonly string[]
  readonly nearest: string | undefined
}

/** Thrown where a parameter is read, and caught where the request is answered. */
export class BadQuery extends Error {
  readonly problem: BadParameter | UnknownParameter

  constructor(problem: BadParameter | UnknownParameter) {
    super(problem.kind)
    this.problem = problem
  }
}

export type Parameters = {
  readonly has: (name: string) => boolean
  /** The value of a parameter that is given at most once. */
  readonly one: (name: string) => string | undefined
  /** All values of each that was given. */
  readonly values: ReadonlyMap<string, readonly string[]>
  /** As they came, for links. */
  readonly entries: readonly (readonly [name: string, value: string])[]
}

/** Reads a query string in which only these parameters may stand, and only the repeatable ones more than once. */
export function readParameters(
  query: string,
  known: ReadonlyMap<string, { readonly repeatable: boolean }>,
): Parameters {
  const entries = query === '' ? [] : query.split('&').map((pair) => decodePair(pair))
  const values = new Map<string, string[]>()
  for (const [name, value] of entries) {
    const definition = known.get(name)
    if (definition === undefined) {
      throw new BadQuery({
        kind: 'unknown-parameter',
        name,
        known: [...known.keys()],
        nearest: nearest(name, [...known.keys()]),
      })
    }
    const given = values.get(name) ?? []
    given.push(value)
    values.set(name, given)
    if (given.length > 1 && !definition.repeatable) {
      throw badParameter(name, given.join(', '), 'one value: it may be given only once')
    }
  }
  return {
    has: (name) => values.has(name),
    one: (name) => values.get(name)?.[0],
    values,
    entries,
  }
}

function decodePair(pair: string): [string, string] {
  const equals = pair.indexOf('=')
  const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
  return [decoded(name, name), decoded(value, name)]
}

const ENCODED = /[%+]/

function decoded(text: string, name: string): string {
  if (!ENCODED.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw badParameter(name, text, 'text in UTF-8, percent-encoded')
  }
}

export const badParameter = (name: string, value: string, allowed: string): BadQuery =>
  new BadQuery({ kind: 'bad-parameter', name, value, allowed })

/** A whole number in these bounds, or what stands for its absence. */
export function wholeNumber(
  parameters: Parameters,
  name: string,
  { least, most, defaultValue }: { readonly least: number; readonly most: number; readonly defaultValue: number },
): number {
  const given = parameters.one(name)
  if (given === undefined) return defaultValue
  const number = /^(?:0|[1-9][0-9]{0,14})$/.test(given) ? Number(given) : -1
  if (number < least || number > most) throw badParameter(name, given, `a whole number from ${least} to ${most}`)
  return number
}

/** One of these words, or what stands for its absence. */
export function oneOf<W extends string, A>(
  parameters: Parameters,
  name: string,
  words: readonly W[],
  defaultValue: A,
): W | A {
  const given = parameters.one(name)
  if (given === undefined) return defaultValue
  const word = words.find((one) => one === given)
  if (word === undefined) {
    const meant = nearest(given, words)
    throw badParameter(name, given, `${words.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`)
  }
  return word
}
