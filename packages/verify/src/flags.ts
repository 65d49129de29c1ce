// The flags of the command: declared once, parsed all at once, and listed in the help.
import { parseArgs } from 'node:util'

/** A description of the values that a flag takes, in place of one. */
type Invalid = { readonly allowed: string }

type Flag = {
  /** A placeholder for the value in the help; a flag without one is a switch. */
  readonly value?: string
  readonly description: string
  readonly defaultValue?: string
  readonly parse: (text: string) => unknown
}
export type VerifyFlags = Readonly<Record<string, Flag>>

/** A wrong call, in words for the person at the terminal. */
export class WrongCall extends Error {}

export const isUsageError = (error: unknown): error is Error =>
  error instanceof WrongCall ||
  (error instanceof TypeError && 'code' in error && /^ERR_PARSE_ARGS/.test(`${error.code}`))

export const text = (value: string): string => value
export const yes = (): true => true
export const wholeNumber =
  (min: number, max: number) =>
  (value: string): number | Invalid =>
    /^[0-9]{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? Number(value)
      : { allowed: `a whole number from ${min} to ${max}` }
export const someOf =
  (names: readonly string[]) =>
  (value: string): readonly string[] | Invalid => {
    const some = value.split(',').map((name) => name.trim())
    return some.every((name) => names.includes(name)) ? some : { allowed: `some of ${names.join(', ')}` }
  }

/** Parses arguments; throws a WrongCall, or an error of Node, for the first that is wrong. */
export function parseFlags(flags: VerifyFlags, argv: readonly string[]) {
  const options = Object.entries(flags).map(([name, { value }]) => {
    return [name, { type: value === undefined ? 'boolean' : 'string' }] as const
  })
  const args = { args: [...argv], options: Object.fromEntries(options), allowPositionals: true }
  const { values: typed, positionals: operands } = parseArgs(args)
  const values = Object.entries(flags).map(([name, { value, defaultValue, parse }]) => {
    const given = typed[name] ?? defaultValue
    const parsed = given === undefined ? (value ? undefined : false) : parse(String(given))
    if (typeof parsed === 'object' && parsed !== null && 'allowed' in parsed)
      throw new WrongCall(`--${name} was ${JSON.stringify(given)}; allowed is ${parsed.allowed}`)
    return [name, parsed]
  })
  return { values: Object.fromEntries(values), operands }
}

export function flagsHelp(flags: VerifyFlags): string {
  const rows = Object.entries(flags).map(([name, { value, description, defaultValue }]) => {
    const note = defaultValue === undefined ? '' : ` (default ${defaultValue})`
    return [`--${name}${value === undefined ? '' : ` ${value}`}`, `${description}${note}`] as const
  })
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('')
}
