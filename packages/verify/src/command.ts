// The command, as nomenclator-verify and nomenclator verify run it.
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { parseAddress } from './address.ts'
import { compareServers } from './compare.ts'
import { collections } from './contract.ts'
import { someOf, text, UsageError, type ValuesOf, wholeNumber, yes } from './flags.ts'
import { asJson, comparisonJunit, comparisonText, verificationJunit, verificationText } from './report.ts'
import { type VerifyOptions, verify } from './verify.ts'

type Output = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Shows how far a run is. */
  readonly progress: (what: string, done: number, expected: number) => void
}

const names = collections.map(({ name }) => name)

export const verifyFlags = {
  deep: { description: 'request every page of every collection, not a sample', parse: yes },
  sample: {
    value: 'N',
    description: 'the number of pages of each collection to request',
    defaultValue: '20',
    parse: wholeNumber(1, 1_000_000),
  },
  only: {
    value: 'LIST',
    description: `just these collections, separated by commas: ${names.join(', ')}`,
    parse: someOf(names),
  },
  against: {
    value: 'URL',
    description: 'compare with this server instead, record by record and header by header',
    parse: text,
  },
  'base-url': {
    value: 'URL',
    description: 'the address that the links of the service begin with, if it is not the given one',
    parse: text,
  },
  'no-advice': { description: 'check the rules of the contract alone, with far fewer requests', parse: yes },
  concurrency: {
    value: 'N',
    description: 'requests under way at a time',
    defaultValue: '8',
    parse: wholeNumber(1, 256),
  },
  rate: { value: 'N', description: 'at most so many requests a second', parse: wholeNumber(1, 100_000) },
  timeout: {
    value: 'SECONDS',
    description: 'the time to wait for each response',
    defaultValue: '10',
    parse: wholeNumber(1, 600),
  },
  json: { description: 'print all findings as one JSON document', parse: yes },
  junit: {
    value: 'FILE',
    description: 'also write them as JUnit XML, for continuous integration; - prints it instead',
    parse: text,
  },
} as const

type VerifyValues = ValuesOf<typeof verifyFlags>

export const VERIFY_ABOUT =
  'Verify that a server speaks the contract of API v1, or compare two servers: exit code 0 if all is well, 1 if not, 2 if it could not be checked.'

/** The arguments of some calls. */
export const VERIFY_EXAMPLES: readonly string[] = [
  'https://catalogs.example.org',
  'http://127.0.0.1:8080 --deep --junit verify.xml',
  'http://127.0.0.1:8080 --only paises,audiencias --no-advice --rate 5',
  'https://old.example.org --against http://127.0.0.1:8080 --deep',
  'http://127.0.0.1:8080 --base-url https://catalogs.example.org --json',
]

/** True for a wrong call, whose message is for the person at the terminal. */
export const isUsageError = (error: unknown): error is Error => error instanceof UsageError

const RETRIES = 2
const BACKOFF_MILLISECONDS = 250
const SOUND = 0
const BROKEN = 1
export const UNCHECKED = 2

/** Verifies the server at a URL, or compares it with another, and returns the exit code. Throws a UsageError for a wrong call. */
export async function runVerify(url: string, values: VerifyValues, output: Output): Promise<number> {
  const { junit, timeout } = values
  if (values.json && junit === '-') throw new UsageError('--json and --junit - both print; give one of them')
  const address = parseAddress(url)
  const against = values.against === undefined ? undefined : parseAddress(values.against)
  const linkBase = values['base-url'] === undefined ? address.base : parseAddress(values['base-url']).base
  for (const one of [address, against])
    if (one?.shortened)
      output.err(`The service is ${one.base}${one.only === undefined ? '' : `, and ${one.only.name} is meant`}.\n`)
  if (junit !== undefined && junit !== '-') refuseUnwritable(junit)
  const only = values.only ?? (address.only === undefined ? names : [address.only.name])
  const { exitCode, written } = await reported(address.base, against?.base, {
    ...values,
    ...{ linkBase, timeout: timeout * 1_000, retries: RETRIES, backoff: BACKOFF_MILLISECONDS },
    collections: collections.filter(({ name }) => only.includes(name)),
    advice: !values['no-advice'],
    onProgress: output.progress,
  })
  if (junit !== undefined && junit !== '-') writeFileSync(junit, written.junit())
  output.out(junit === '-' ? written.junit() : values.json ? written.json() : written.text())
  return exitCode
}

async function reported(base: string, against: string | undefined, options: VerifyOptions) {
  if (against === undefined) {
    const found = await verify(base, options)
    const isBroken = found.checks.some(({ status }) => status === 'failed')
    return {
      exitCode: isBroken ? BROKEN : found.conforms ? SOUND : UNCHECKED,
      written: {
        text: () => verificationText(found),
        json: () => asJson(found),
        junit: () => verificationJunit(found),
      },
    }
  }
  const found = await compareServers(base, against, options)
  const isDifferent = found.differences.some(({ severity }) => severity === 'difference')
  return {
    exitCode: isDifferent ? BROKEN : found.same ? SOUND : UNCHECKED,
    written: { text: () => comparisonText(found), json: () => asJson(found), junit: () => comparisonJunit(found) },
  }
}

/** Refuses a file that cannot be written before minutes are spent on it. */
function refuseUnwritable(path: string): void {
  try {
    closeSync(openSync(path, 'a'))
  } catch (error) {
    throw new UsageError(`--junit was ${JSON.stringify(path)}, which cannot be written: ${(error as Error).message}`)
  }
}
