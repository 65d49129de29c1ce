// The command, as nomenclator-verify and nomenclator verify run it.
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { parseAddress } from './address.ts'
import { compareServers } from './compare.ts'
import { collections } from './contract.ts'
import { isUsageError, someOf, text, type VerifyFlags, WrongCall, wholeNumber, yes } from './flags.ts'
import { entriesOf, junitOf, textOf } from './report.ts'
import { type VerifyOptions, verify } from './verify.ts'

type Output = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Shows how far a run is. */
  readonly progress: (what: string, done: number, expected: number) => void
}

const names = collections.map(({ name }) => name)

/** A flag with a value, for which a placeholder stands in the help. */
const flag = (value: string, description: string, parse: VerifyFlags[string]['parse'], defaultValue?: string) => ({
  ...{ value, description, parse },
  ...(defaultValue === undefined ? {} : { defaultValue }),
})
const toggle = (description: string) => ({ description, parse: yes })

export const verifyFlags: VerifyFlags = {
  deep: toggle('request every page of every collection, not a sample'),
  sample: flag('N', 'the number of pages of each collection to request', wholeNumber(1, 1_000_000), '20'),
  only: flag('LIST', `just these collections, separated by commas: ${names.join(', ')}`, someOf(names)),
  against: flag('URL', 'compare with this server instead, record by record and header by header', text),
  'base-url': flag('URL', 'the address that links begin with, if it is not the given one', text),
  'no-advice': toggle('check the rules of the contract alone, with far fewer requests'),
  concurrency: flag('N', 'requests under way at a time', wholeNumber(1, 256), '8'),
  rate: flag('N', 'at most so many requests a second', wholeNumber(1, 100_000)),
  timeout: flag('SECONDS', 'the time to wait for each response', wholeNumber(1, 600), '10'),
  json: toggle('print all findings as one JSON document'),
  junit: flag('FILE', 'also write them as JUnit XML, for continuous integration; - prints it instead', text),
}

/** The values that the flags parse to. */
export type VerifyValues = Pick<VerifyOptions, 'deep' | 'sample' | 'concurrency' | 'rate' | 'timeout'> & {
  readonly only: readonly string[] | undefined
} & Readonly<Record<'against' | 'base-url' | 'junit', string | undefined> & Record<'no-advice' | 'json', boolean>>

export const VERIFY_ABOUT =
  'With --against, it compares two servers instead. The exit code is 0 if all is well, 1 if not, and 2 if it could not be checked.'

/** The arguments of some calls. */
export const VERIFY_EXAMPLES: readonly string[] = [
  'https://catalogs.example.org',
  'http://127.0.0.1:8080 --deep --junit verify.xml',
  'http://127.0.0.1:8080 --only paises,audiencias --no-advice --rate 5',
  'https://old.example.org --against http://127.0.0.1:8080 --deep',
  'http://127.0.0.1:8080 --base-url https://catalogs.example.org --json',
]

export { isUsageError }

const RETRIES = 2
const BACKOFF_MILLISECONDS = 250
const SOUND = 0
const BROKEN = 1
export const UNCHECKED = 2

/** Verifies the server at a URL, or compares it with another, and returns the exit code. Throws a WrongCall for a wrong call. */
export async function runVerify(url: string, values: VerifyValues, output: Output): Promise<number> {
  const { junit, timeout } = values
  if (values.json && junit === '-') throw new WrongCall('--json and --junit - both print; give one of them')
  const address = parseAddress(url)
  const against = values.against === undefined ? undefined : parseAddress(values.against)
  const linkBase = values['base-url'] === undefined ? address.base : parseAddress(values['base-url']).base
  for (const one of [address, against])
    if (one?.shortened)
      output.err(`The service is ${one.base}${one.only === undefined ? '' : `, and ${one.only.name} is meant`}.\n`)
  if (junit !== undefined && junit !== '-') refuseUnwritable(junit)
  const only = values.only ?? (address.only === undefined ? names : [address.only.name])
  const options: VerifyOptions = {
    ...values,
    ...{ linkBase, timeout: timeout * 1_000, retries: RETRIES, backoff: BACKOFF_MILLISECONDS },
    collections: collections.filter(({ name }) => only.includes(name)),
    advice: !values['no-advice'],
    onProgress: output.progress,
  }
  const report = await (against ? compareServers(address.base, against.base, options) : verify(address.base, options))
  if (junit !== undefined && junit !== '-') writeFileSync(junit, junitOf(report))
  output.out(junit === '-' ? junitOf(report) : values.json ? `${JSON.stringify(report, null, 2)}\n` : textOf(report))
  if (entriesOf(report).some(({ status }) => status === 'failed')) return BROKEN
  return report.unchecked.length === 0 ? SOUND : UNCHECKED
}

/** Refuses a file that cannot be written before minutes are spent on it. */
function refuseUnwritable(path: string): void {
  try {
    closeSync(openSync(path, 'a'))
  } catch (error) {
    throw new WrongCall(`--junit was ${JSON.stringify(path)}, which cannot be written: ${(error as Error).message}`)
  }
}
