// What was found out about a data package, for people: lists, faults, findings and guesses.
import type { Fault } from '../../source/faults.ts'
import type { Guess } from '../../source/package/descriptor.ts'
import type { PackageFinding } from '../../source/package/field-findings.ts'
import type { LeftOut, PackageSource } from '../../source/package/open-package.ts'

const number = new Intl.NumberFormat('en')

export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${number.format(count)} ${count === 1 ? one : several}`

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`

/** The lists of a package, as they are printed as JSON. */
export const listsOf = ({ catalog, provides, counts }: PackageSource) =>
  provides.map((name) => {
    const entity = catalog.entities.get(name)
    return { name, title: entity?.title ?? name, key: entity?.key ?? [], records: counts.get(name) ?? 0 }
  })

export const listsText = (source: PackageSource): string =>
  section(
    'Lists:',
    listsOf(source).map(
      ({ name, key, records }) => `${name}: ${counted(records, 'record')}, key ${key.map(quoted).join(' with ')}`,
    ),
  )

const quoted = (name: string) => JSON.stringify(name)

export const faultsText = (faults: readonly Fault[], count: number): string =>
  section('Faults:', [
    ...faults.map(
      ({ file, line, column, value, expected }) => `${file}:${line}, ${column}: ${value}; expected ${expected}`,
    ),
    ...(count > faults.length ? [`… and ${number.format(count - faults.length)} more`] : []),
  ])

/** Their faults are told with the others. */
export const leftOutText = (leftOut: readonly LeftOut[]): string =>
  leftOut.length === 0
    ? ''
    : `Left out of what can be published: ${leftOut.map(({ resource }) => resource).join(', ')}\n`

export const findingsText = (findings: readonly PackageFinding[]): string =>
  section(
    'Findings, served as they are:',
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
