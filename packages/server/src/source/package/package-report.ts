// The report on a data package: lists, faults, findings and guesses.
import { type Fault, faultText, MAX_FAULTS } from '../faults.ts'
import type { Guess } from './descriptor.ts'
import type { PackageFinding } from './field-findings.ts'
import type { Examined, LeftOut, PackageSource } from './open-package.ts'

const number = new Intl.NumberFormat('en')

export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${number.format(count)} ${count === 1 ? one : several}`

export const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`

/** The lists of a package, as they are printed as JSON. */
const listsOf = ({ catalog, provides, counts }: PackageSource) =>
  provides.map((name) => {
    const entity = catalog.entities.get(name)
    return { name, title: entity?.title ?? name, key: entity?.key ?? [], records: counts.get(name) ?? 0 }
  })

function listsText(source: PackageSource): string {
  const quoted = (name: string) => JSON.stringify(name)
  const lines = listsOf(source).map(
    ({ name, key, records }) => `${name}: ${counted(records, 'record')}, key ${key.map(quoted).join(' with ')}`,
  )
  return section('Lists:', lines)
}

export function faultsText(faults: readonly Fault[], count: number): string {
  const shown = faults.slice(0, MAX_FAULTS).map(faultText)
  const rest = `… and ${number.format(count - shown.length)} more, which --json has up to the first ten thousand of a table`
  return section('Faults:', count > shown.length ? [...shown, rest] : shown)
}

/** The names of the tables that are left out; `faultsText` has their faults. */
export const leftOutText = (leftOut: readonly LeftOut[]): string =>
  leftOut.length === 0
    ? ''
    : `Left out of what can be published: ${leftOut.map(({ resource }) => resource).join(', ')}\n`

export const findingsText = (findings: readonly PackageFinding[], title = 'Findings, served as they are:'): string =>
  section(
    title,
    findings.flatMap(({ count, description, examples }) => [
      `${number.format(count)} × ${description}`,
      ...examples.filter((example) => example !== '').map((example) => `  ${example}`),
    ]),
  )

export const guessesText = (guesses: readonly Guess[]): string =>
  section(
    'Guesses, and what to write in the descriptor to say it otherwise:',
    guesses.flatMap(({ resource, what, otherwise }) => [
      `${resource === undefined ? '' : `${resource}: `}${what}`,
      `  → ${otherwise}`,
    ]),
  )

export const examinedText = ({ source, faults, faultCount, leftOut, findings, guesses }: Examined): string =>
  [
    source === undefined ? '' : listsText(source),
    faultsText(faults, faultCount),
    source === undefined ? '' : leftOutText(leftOut),
    findingsText(findings, source === undefined ? 'Findings:' : undefined),
    guessesText(guesses),
  ].join('')

/** The report as JSON, with all places that are kept. */
export const examinedJson = ({ source, faults, faultCount, leftOut, findings, guesses }: Examined) => ({
  ...(source === undefined ? {} : { package: source.package.name }),
  lists: source === undefined ? [] : listsOf(source),
  faults,
  faultCount,
  leftOut: leftOut.map(({ resource, reason }) => ({ resource, reason })),
  findings,
  guesses,
})
