// nomenclator verify URL
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { messageOf, OperationalError } from '../../base/operational-error.ts'
import type { TargetAddress } from '../../verify/address.ts'
import type { CompareOptions } from '../../verify/compare.ts'
import type { VerifyOptions } from '../../verify/verify.ts'
import { command, type Terminal } from '../command.ts'
import { text, UsageError, type ValuesOf, wholeNumber, yes } from '../flags/flags.ts'
import { harvestFlags } from '../flags/harvest-flags.ts'
import { progressLine } from '../terminal/progress.ts'

const flags = {
  deep: { description: 'request every page of every collection, not a sample', parse: yes },
  sample: {
    value: 'N',
    description: 'how many pages of each collection to request',
    defaultValue: '20',
    parse: wholeNumber(1, 1_000_000),
  },
  only: harvestFlags.only,
  against: {
    value: 'URL',
    description: 'compare with this server instead, record by record and header by header',
    parse: text,
  },
  'base-url': {
    value: 'URL',
    description: 'the address that the links of the service begin with, where it is not the one given',
    parse: text,
  },
  'no-advice': { description: 'check the rules of the contract alone, with far fewer requests', parse: yes },
  concurrency: harvestFlags.concurrency,
  rate: harvestFlags.rate,
  timeout: {
    value: 'SECONDS',
    description: 'how long to wait for each response',
    defaultValue: '10',
    parse: wholeNumber(1, 600),
  },
  json: { description: 'print all that was found as one JSON document', parse: yes },
  junit: {
    value: 'FILE',
    description: 'also write it as JUnit XML, for continuous integration; - prints it instead',
    parse: text,
  },
} as const

type Values = ValuesOf<typeof flags>
type Written = Readonly<Record<'text' | 'json' | 'junit', () => string>>

const RETRIES = 2
const BACKOFF_MILLISECONDS = 250
const SOUND = 0
const BROKEN = 1
const UNCHECKED = 2

export const verifyCommand = command({
  name: 'verify',
  summary: 'Check whether a server speaks the contract of API v1',
  description:
    'With --against, it compares two servers instead. The exit code is 0 if all is well, 1 if not, and 2 if it could not be checked.',
  operands: { usage: 'URL', min: 1, max: 1 },
  flags,
  examples: [
    'verify https://catalogs.example.org',
    'verify http://127.0.0.1:8080 --deep --junit verify.xml',
    'verify http://127.0.0.1:8080 --only paises,audiencias --no-advice --rate 5',
    'verify https://old.example.org --against http://127.0.0.1:8080 --deep',
    'verify http://127.0.0.1:8080 --base-url https://catalogs.example.org --json',
  ],
  run: async ({ values, operands, terminal }) => {
    if (values.json && values.junit === '-') throw new UsageError(['--json and --junit - both print; give one of them'])
    const { collections, parseAddress } = await import('../../verify/address.ts')
    const parsed = (url: string) => rightCall(() => parseAddress(url))
    const { 'base-url': baseUrl, against: other } = values
    const address = parsed(operands[0] as string)
    const against = other === undefined ? undefined : parsed(other)
    const linkBase = baseUrl === undefined ? address.base : parsed(baseUrl).base
    for (const one of [address, against])
      if (one?.shortened)
        terminal.err(`The service is ${one.base}${one.only === undefined ? '' : `, and ${one.only.name} is meant`}.\n`)
    if (values.junit !== undefined && values.junit !== '-') refuseUnwritable(values.junit)
    const names = values.only ?? (address.only === undefined ? undefined : [address.only.name])
    const progress = progressLine(terminal)
    const options = {
      ...optionsOf(values),
      collections: collections.filter(({ name }) => names?.includes(name) ?? true),
      onProgress: progress.show,
    }
    try {
      const { exitCode, written } =
        against === undefined
          ? await verified(address, { ...options, linkBase, advice: !values['no-advice'] })
          : await compared(address, against, options)
      progress.clear()
      write(written, values, terminal)
      return exitCode
    } finally {
      progress.clear()
    }
  },
})

const optionsOf = ({ deep, sample, concurrency, rate, timeout }: Values) => ({
  deep,
  sample,
  concurrency,
  rate,
  timeout: timeout * 1_000,
  retries: RETRIES,
  backoff: BACKOFF_MILLISECONDS,
})

type Outcome = { readonly exitCode: number; readonly written: Written }

async function verified({ base }: TargetAddress, options: VerifyOptions): Promise<Outcome> {
  const { verify } = await import('../../verify/verify.ts')
  const report = await import('../../verify/report.ts')
  const verification = await verify(base, options)
  const isBroken = verification.checks.some(({ status }) => status === 'failed')
  return {
    exitCode: isBroken ? BROKEN : verification.conforms ? SOUND : UNCHECKED,
    written: {
      text: () => report.verificationText(verification),
      json: () => report.asJson(verification),
      junit: () => report.verificationJunit(verification),
    },
  }
}

async function compared({ base }: TargetAddress, against: TargetAddress, options: CompareOptions): Promise<Outcome> {
  const { compareServers } = await import('../../verify/compare.ts')
  const report = await import('../../verify/report.ts')
  const comparison = await compareServers(base, against.base, options)
  const isDifferent = comparison.differences.some(({ severity }) => severity === 'difference')
  return {
    exitCode: isDifferent ? BROKEN : comparison.same ? SOUND : UNCHECKED,
    written: {
      text: () => report.comparisonText(comparison),
      json: () => report.asJson(comparison),
      junit: () => report.comparisonJunit(comparison),
    },
  }
}

function write(written: Written, { json, junit }: Values, terminal: Terminal): void {
  if (junit !== undefined && junit !== '-') writeFileSync(junit, written.junit())
  if (junit === '-') terminal.out(written.junit())
  else terminal.out(json ? written.json() : written.text())
}

/** Refuses a file that cannot be written before minutes are spent on it. */
function refuseUnwritable(path: string): void {
  try {
    closeSync(openSync(path, 'a'))
  } catch (error) {
    throw new UsageError([`--junit was ${JSON.stringify(path)}, which cannot be written: ${messageOf(error)}`])
  }
}

/** Parses an address; what is wrong with it is a wrong call. */
function rightCall(parse: () => TargetAddress): TargetAddress {
  try {
    return parse()
  } catch (error) {
    throw error instanceof OperationalError ? new UsageError([error.message]) : error
  }
}
