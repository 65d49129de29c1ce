// The flags of the command: declared once, parsed all at once, and listed in the help.
import { parseArgs } from 'node:util'

/** A value that a flag does not take, and a description of those that it takes. */
type InvalidValue = { readonly allowed: string }

type Flag<T> = {
  /** A placeholder for the value in the help; a flag without one is a switch. */
  readonly value?: string
  readonly description: string
  readonly defaultValue?: string
  readonly parse: (text: string) => T | InvalidValue
}

type Flags = Readonly<Record<string, Flag<unknown>>>
/** A flag without a value or a default may be missing. */
export type ValuesOf<F extends Flags> = {
  readonly [N in keyof F]: Exclude<ReturnType<F[N]['parse']>, InvalidValue> | IfMissing<F[N]>
}
type IfMissing<F> = F extends { defaultValue: string } ? never : F extends { value: string } ? undefined : false

/** A wrong call, in words for the person at the terminal. */
export class UsageError extends Error {}

export const text = (value: string): string => value
export const yes = (): true => true
export const wholeNumber =
  (min: number, max: number) =>
  (value: string): number | InvalidValue =>
    /^[0-9]{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? Number(value)
      : { allowed: `a whole number from ${min} to ${max}` }
export const someOf =
  (names: readonly string[]) =>
  (value: string): readonly string[] | InvalidValue => {
    const some = value.split(',').map((name) => name.trim())
    return some.every((name) => names.includes(name)) ? some : { allowed: `some of ${names.join(', ')}` }
  }

const isInvalid = (value: unknown): value is InvalidValue =>
  typeof value === 'object' && value !== null && 'allowed' in value

/** Parses arguments; throws a UsageError for the first that is wrong. */
export function parseFlags<F extends Flags>(flags: F, argv: readonly string[]) {
  const options = Object.entries(flags).map(([name, { value }]) => {
    return [name, { type: value === undefined ? 'boolean' : 'string' }] as const
  })
  const { values: given, positionals } = parsed(argv, Object.fromEntries(options))
  const values = Object.entries(flags).map(([name, { value, defaultValue, parse }]) => {
    const typed = given[name] ?? defaultValue
    if (typed === undefined) return [name, value === undefined ? false : undefined]
    const result = parse(String(typed))
    if (isInvalid(result)) throw new UsageError(`--${name} was ${JSON.stringify(typed)}; allowed is ${result.allowed}`)
    return [name, result]
  })
  return { values: Object.fromEntries(values) as ValuesOf<F>, operands: positionals }
}

function parsed(argv: readonly string[], options: Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

export function flagsHelp(flags: Flags): string {
  const rows = Object.entries(flags).map(([name, { value, description, defaultValue }]) => {
    const note = defaultValue === undefined ? '' : ` (default ${defaultValue})`
    return [`--${name}${value === undefined ? '' : ` ${value}`}`, `${description}${note}`] as const
  })
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('')
}
