// nomenclator check PACKAGE
import { type Fault, FaultyRecords } from '../../source/faults.ts'
import type { PackageSource } from '../../source/package/open-package.ts'
import { command, type Terminal } from '../command.ts'
import { yes } from '../flags/flags.ts'
import { packageFlags } from '../flags/package-flags.ts'
import {
  counted,
  faultsText,
  findingsText,
  guessesText,
  leftOutText,
  listsOf,
  listsText,
} from '../terminal/package-report.ts'
import { bytesText, progressLine } from '../terminal/progress.ts'

const flags = {
  strict: { description: 'take findings for faults', parse: yes },
  json: { description: 'print all that was found as one JSON document', parse: yes },
  ...packageFlags,
} as const

/** What is wrong with a package; without a source nothing can be published of it. */
type Verdict = { readonly faults: readonly Fault[]; readonly count: number; readonly source?: PackageSource }

export const checkPackageCommand = command({
  name: 'check',
  description:
    'Read a data package (a directory, a zip, a descriptor, a table, or the address of one) as an import would, without a home, and tell all that is wrong, odd or guessed: exit code 0 if it is sound, 1 if not.',
  operands: { usage: 'PACKAGE', min: 1, max: 1 },
  flags,
  examples: ['check ./offices', 'check offices.csv --strict', 'check https://example.org/data/datapackage.json --json'],
  run: async ({ values, operands, terminal }) => {
    const verdict = await verdictOn(operands[0] as string, values['allow-private-addresses'], terminal)
    const { source, count } = verdict
    source?.close()
    const isSound = count === 0 && !(values.strict && (source?.findings.length ?? 0) > 0)
    terminal.out(values.json ? `${JSON.stringify(asJson(verdict, isSound), null, 2)}\n` : asText(verdict, isSound))
    return isSound ? 0 : 1
  },
})

async function verdictOn(location: string, allowsPrivate: boolean, terminal: Terminal): Promise<Verdict> {
  const { openPackage } = await import('../../source/package/open-package.ts')
  const progress = progressLine(terminal, bytesText)
  try {
    const source = await openPackage(location, { allowsPrivate, onProgress: progress.show })
    const faults = source.leftOut.flatMap((one) => one.faults)
    return { source, faults, count: faults.length }
  } catch (error) {
    if (!(error instanceof FaultyRecords)) throw error
    return { faults: error.faults, count: error.count }
  } finally {
    progress.clear()
  }
}

const asJson = ({ source, faults, count }: Verdict, isSound: boolean) => ({
  sound: isSound,
  ...(source === undefined ? {} : { package: source.package.name }),
  lists: source === undefined ? [] : listsOf(source),
  faults,
  faultCount: count,
  leftOut: (source?.leftOut ?? []).map(({ resource, reason }) => ({ resource, reason })),
  findings: source?.findings ?? [],
  guesses: source?.guesses ?? [],
})

function asText({ source, faults, count }: Verdict, isSound: boolean): string {
  const { leftOut = [], findings = [], guesses = [] } = source ?? {}
  const found = findings.reduce((sum, one) => sum + one.count, 0)
  const totals = [counted(count, 'fault'), counted(found, 'finding'), counted(guesses.length, 'guess', 'guesses')]
  return [
    source === undefined ? '' : listsText(source),
    faultsText(faults, count),
    leftOutText(leftOut),
    findingsText(findings),
    guessesText(guesses),
    `${isSound ? 'Sound' : 'Not sound'}: ${totals.join(', ')}.\n`,
  ].join('')
}
