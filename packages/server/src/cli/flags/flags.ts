// Flags and environment variables of a command: declared once, read and checked all at once.
import { parseArgs } from 'node:util'
import { nearest } from '../../base/nearest.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'

export type InvalidFlag = { readonly allowed: string }

export type Flag<T> = {
  /** The word for the value in the help; a flag without one is a switch. */
  readonly value?: string
  readonly env?: string
  readonly description: string
  /** The value if none is given, as it would be typed; the help shows it. */
  readonly defaultValue?: string
  /** All values that are allowed, if they are few. */
  readonly choices?: readonly string[]
  readonly parse: (text: string) => T | InvalidFlag
  /** Returns a wrong value without its secret; one that has none is shown as it is. */
  readonly shown?: (text: string) => string
}

export type Flags = { readonly [name: string]: Flag<unknown> }
export type ValuesOf<F extends Flags> = {
  readonly [N in keyof F]: F[N] extends Flag<infer T> ? T | IfNotGiven<F[N]> : never
}
type IfNotGiven<F> = F extends { defaultValue: string } ? never : F extends { value: string } ? undefined : never

export class UsageError extends OperationalError {
  readonly command: string | undefined

  constructor(mistakes: readonly string[], command?: string) {
    super(mistakes.join('\n'))
    this.command = command
  }
}

export type Environment = Readonly<Record<string, string | undefined>>
type Read<F extends Flags> = { readonly values: ValuesOf<F>; readonly operands: readonly string[] }

/** Reads the arguments against the flags; a flag goes before its variable, and every mistake is reported. */
export function readFlags<F extends Flags>(flags: F, argv: readonly string[], env: Environment): Read<F> {
  const { given, operands, mistakes } = tokensOf(flags, argv)
  const values: Record<string, unknown> = {}
  for (const [name, flag] of Object.entries(flags)) {
    const typed = given.get(name)
    const fromEnv = flag.env === undefined || env[flag.env] === '' ? undefined : env[flag.env]
    const text = typed ?? fromEnv ?? flag.defaultValue
    if (text === undefined) {
      values[name] = flag.value === undefined ? false : undefined
      continue
    }
    const value = flag.parse(text)
    if (isWrong(value)) {
      const origin = typed === undefined && fromEnv !== undefined ? flag.env : `--${name}`
      mistakes.push(`${origin} was ${JSON.stringify(flag.shown?.(text) ?? text)}; allowed is ${value.allowed}`)
    }
    values[name] = value
  }
  if (mistakes.length > 0) throw new UsageError(mistakes)
  return { values: values as ValuesOf<F>, operands }
}

const isWrong = (value: unknown): value is InvalidFlag =>
  typeof value === 'object' && value !== null && 'allowed' in value

type Tokens = { readonly given: Map<string, string>; readonly operands: string[]; readonly mistakes: string[] }

function tokensOf(flags: Flags, argv: readonly string[]): Tokens {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string' } as const,
    ]),
  )
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true })
  const read: Tokens = { given: new Map(), operands: [], mistakes: [] }
  for (const token of tokens) {
    if (token.kind === 'positional') read.operands.push(token.value)
    if (token.kind !== 'option') continue
    const mistake = read.given.has(token.name) ? `--${token.name} was given twice` : mistakeIn(token, flags)
    if (mistake === undefined) read.given.set(token.name, token.value ?? '')
    else read.mistakes.push(mistake)
  }
  return read
}

type Option = { readonly name: string; readonly rawName: string; readonly value?: string | undefined }

function mistakeIn({ name, rawName, value }: Option, flags: Flags): string | undefined {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
  if (flag === undefined) {
    const meant = nearest(name, Object.keys(flags))
    return `there is no flag ${rawName}${meant === undefined ? '' : `; did you mean --${meant}?`}`
  }
  if (flag.value === undefined) return value === undefined ? undefined : `--${name} takes no value`
  return value === undefined || value === '' ? `--${name} needs a value: --${name} ${flag.value}` : undefined
}

export const text = (value: string): string => value
export const yes = (): true => true

export const wholeNumber =
  (min: number, max: number) =>
  (value: string): number | InvalidFlag =>
    parseWholeNumber(value, { min, max, leadingZeros: true }) ?? { allowed: `a whole number from ${min} to ${max}` }
