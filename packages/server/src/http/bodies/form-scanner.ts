// Looks at a form while it arrives: how many fields it has, and that what is JSON in it is neither too wide nor too deep.
import { MAX_FORM_FIELDS, MAX_FORM_VALUES, MAX_JSON_LEVELS } from './body-limits.ts'
import type { BodyProblem, BodyScanner } from './body-scanner.ts'
import { JSON_VALUE, RowScanner } from './row-scanner.ts'

/** The fields that are JSON. */
const JSON_FIELDS = ['queries', 'extend']
const AMPERSAND = 0x26
const EQUALS = 0x3d
const PERCENT = 0x25
const OPENING_BRACKET = 0x5b
/** A longer name is that of no field that is JSON, even if each of its characters is percent-encoded. */
const MAX_NAME_BYTES = 100

const HEXADECIMAL = new Uint8Array(256)
for (let digit = 0; digit < 16; digit++)
  for (const character of [digit.toString(16), digit.toString(16).toUpperCase()])
    HEXADECIMAL[character.charCodeAt(0)] = digit

export const TOO_MANY_FIELDS: BodyProblem = {
  kind: 'bad-request',
  wrong: `the form has more than ${MAX_FORM_FIELDS} fields`,
}

function tooMuchJson(name: string, first: number | undefined): BodyProblem {
  const value = first === OPENING_BRACKET ? '[…]' : '{…}'
  const allowed = `JSON of at most ${MAX_JSON_LEVELS} levels and ${MAX_FORM_VALUES} values`
  return { kind: 'bad-parameter', name, value, allowed }
}

/** Why the JSON in a field is not parsed, if it is too much. */
export function jsonProblem(name: string, text: string): BodyProblem | undefined {
  const bytes = Buffer.from(text)
  return new RowScanner(JSON_VALUE).scan(bytes) === undefined ? undefined : tooMuchJson(name, bytes[0])
}

export class FormScanner implements BodyScanner {
  #fields = 1
  /** The name of the current field, as far as it has arrived; undefined in its value. */
  #name: string | undefined = ''
  /** The current value, if it is JSON. */
  #json: { readonly name: string; readonly scanner: RowScanner; first: number | undefined } | undefined
  /** How many digits of a percent-encoded byte are still to come, and what the first of them is. */
  #digits = 0
  #high = 0

  scan(bytes: Uint8Array): BodyProblem | undefined {
    for (let at = 0; at < bytes.length; ) {
      const ampersand = bytes.indexOf(AMPERSAND, at)
      const end = ampersand === -1 ? bytes.length : ampersand
      const problem = this.#scanField(bytes.subarray(at, end))
      if (problem !== undefined) return problem
      if (ampersand === -1) return undefined
      if (++this.#fields > MAX_FORM_FIELDS) return TOO_MANY_FIELDS
      this.#name = ''
      at = ampersand + 1
    }
    return undefined
  }

  /** Takes more of the current field. */
  #scanField(bytes: Uint8Array): BodyProblem | undefined {
    if (this.#name === undefined) return this.#scanValue(bytes)
    const equals = bytes.indexOf(EQUALS)
    const part = bytes.subarray(0, equals === -1 ? bytes.length : equals)
    this.#name = `${this.#name}${Buffer.from(part).toString('latin1')}`.trimStart().slice(0, MAX_NAME_BYTES)
    if (equals === -1) return undefined
    const [name = ''] = new URLSearchParams(this.#name).keys()
    this.#name = undefined
    this.#digits = 0
    const isJson = JSON_FIELDS.includes(name)
    this.#json = isJson ? { name, scanner: new RowScanner(JSON_VALUE), first: undefined } : undefined
    return this.#scanValue(bytes.subarray(equals + 1))
  }

  #scanValue(bytes: Uint8Array): BodyProblem | undefined {
    const json = this.#json
    if (json === undefined || bytes.length === 0) return undefined
    const decoded = this.#decoded(bytes)
    json.first ??= decoded[0]
    if (json.scanner.scan(decoded) === undefined) return undefined
    return tooMuchJson(json.name, json.first)
  }

  /** What encodes no byte is decoded to anything: whoever reads the form refuses it. */
  #decoded(bytes: Uint8Array): Uint8Array {
    const decoded = new Uint8Array(bytes.length)
    let length = 0
    let digits = this.#digits
    let high = this.#high
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (digits === 0) {
        if (byte === PERCENT) digits = 2
        else decoded[length++] = byte
      } else if (digits === 2) {
        high = (HEXADECIMAL[byte] as number) << 4
        digits = 1
      } else {
        decoded[length++] = high | (HEXADECIMAL[byte] as number)
        digits = 0
      }
    }
    this.#digits = digits
    this.#high = high
    return decoded.subarray(0, length)
  }
}
