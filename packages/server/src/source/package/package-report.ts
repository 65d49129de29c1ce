// The report on a data package: a line for each list, faults, findings and notes.
import { type Entity, embeddedAt } from '../../catalog/entity.ts'
import { type Fault, faultText, MAX_FAULTS } from '../faults.ts'
import type { Examined, LeftOut, PackageSource } from './examined.ts'
import type { PackageFinding } from './field-findings.ts'
import type { Note } from './infer/inference.ts'

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

/** What a list was found to be, in one line: `offices: 3 records by code; name nombre (es); tree by parent; point lat, lon`. */
function listLine(entity: Entity, count: number): string {
  const { key, fields } = entity
  const all = Object.entries(fields)
  const named = all.flatMap(([name, field]) => {
    const language = field.kind === 'name' && 'language' in field ? field.language : undefined
    return field.kind === 'name' ? [language === undefined ? name : `${name} (${language})`] : []
  })
  const withRole = (...roles: readonly string[]) =>
    all.flatMap(([name, field]) => (field.kind === 'value' && roles.includes(field.role ?? '') ? [name] : []))
  const trees = all.flatMap(([name, field]) => (field.kind === 'broader' ? [`tree by ${name}`] : []))
  const references = all.flatMap(([name, field]) =>
    field.kind === 'embed' ? [`${embeddedAt(entity, name).plural} by ${name}`] : [],
  )
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['name', named],
    ['point', withRole('latitude', 'longitude')],
    ['valid', withRole('validFrom', 'validTo')],
    ['other names', withRole('alias')],
    ['description', withRole('description')],
    ['codes', all.flatMap(([name, field]) => (field.kind === 'code' && !key.includes(name) ? [name] : []))],
  ]
  const [names = '', ...others] = parts.map(([what, own]) => (own.length === 0 ? '' : `${what} ${own.join(', ')}`))
  const said = [names, ...trees, ...references, ...others].filter((part) => part !== '')
  return [`${counted(count, 'record')} by ${key.join(' with ')}`, ...said].join('; ')
}

/** One line for each list. */
export const listsText = ({ catalog, provides, counts }: PackageSource): string =>
  provides
    .map((name) => {
      const entity = catalog.entities.get(name)
      return entity === undefined ? '' : `${entity.plural}: ${listLine(entity, counts.get(name) ?? 0)}\n`
    })
    .join('')

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

/** Doubts, each in a line with the one change that says otherwise; all decisions where they are to be explained. */
export const notesText = (notes: readonly Note[], explains = false): string => {
  const shown = explains ? notes : notes.filter(({ kind }) => kind === 'doubt')
  return section(
    explains
      ? 'Decisions, and what to write in the descriptor to say it otherwise:'
      : 'Doubtful, and what says otherwise:',
    shown.map(
      ({ resource, what, otherwise }) => `${resource === undefined ? '' : `${resource}: `}${what} → ${otherwise}`,
    ),
  )
}

export const examinedText = (
  { source, faults, faultCount, leftOut, findings, notes }: Examined,
  explains = false,
): string =>
  [
    source === undefined ? '' : listsText(source),
    faultsText(faults, faultCount),
    source === undefined ? '' : leftOutText(leftOut),
    findingsText(findings, source === undefined ? 'Findings:' : undefined),
    notesText(notes, explains),
  ].join('')

/** The report on tables of which a descriptor is written, also where nothing can be published of them yet. */
export const describedText = (examined: Examined, explains = false): string =>
  [
    examinedText({ ...examined, faults: [], faultCount: 0 }, explains),
    ...(examined.source === undefined
      ? examined.leftOut.map(({ resource, reason }) => `${resource}: no list yet; ${reason}\n`)
      : []),
  ].join('')

/** The report as JSON, with all places that are kept. */
export const examinedJson = ({ source, faults, faultCount, leftOut, findings, notes }: Examined) => ({
  ...(source === undefined ? {} : { package: source.package.name }),
  lists: source === undefined ? [] : listsOf(source),
  faults,
  faultCount,
  leftOut: leftOut.map(({ resource, reason }) => ({ resource, reason })),
  findings,
  notes,
})
