// What all import commands share: their flags, the lock, the progress line and the report.
import { collections } from '../catalog/collections.ts'
import { type EntityName, entities, entityNames } from '../catalog/entities.ts'
import { type ImportReport, importRelease } from '../release/import.ts'
import { lockHome } from '../release/lock.ts'
import { Shelf } from '../release/shelf.ts'
import { bundledSource } from '../source/bundled.ts'
import type { Source } from '../source/source.ts'
import type { Terminal } from './command.ts'
import { type ValuesOf, wholeNumber, yes } from './flags.ts'
import { home, homeOf } from './home-flag.ts'
import { progressLine } from './progress.ts'

export const wait = {
  value: 'SECONDS',
  says: 'how long to wait while another process changes the releases',
  absent: '60',
  parse: wholeNumber(0, 86_400),
} as const

export const importFlags = {
  'dry-run': { says: 'do everything but activate, and tell what would change', parse: yes },
  'accept-changes': { says: 'activate even if much is lost or identifiers change owner', parse: yes },
  wait,
  home,
  json: { says: 'print the report as one JSON document', parse: yes },
} as const

export type ImportValues = ValuesOf<typeof importFlags>

const number = new Intl.NumberFormat('en')

/** Runs an import from start to report. The source is opened under the lock, with the home to keep work files in. */
export async function runImport(
  name: string,
  values: ImportValues,
  terminal: Terminal,
  open: (home: string) => Source | Promise<Source>,
): Promise<number> {
  const shelf = new Shelf(homeOf(values.home))
  using _lock = await lockFor(shelf, name, values.wait, terminal)
  const source = await open(shelf.home)
  const report = await importWithProgress(shelf, source, terminal, values)
  terminal.out(values.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report))
  return 0
}

export function lockFor(shelf: Shelf, doing: string, seconds: number, terminal: Terminal): Promise<Disposable> {
  return lockHome(shelf.home, doing, {
    milliseconds: seconds * 1_000,
    onWait: (holder) => terminal.err(`Waiting for ${holder} to finish.\n`),
  })
}

export async function importWithProgress(
  shelf: Shelf,
  source: Source,
  terminal: Terminal,
  values: { readonly 'accept-changes': boolean; readonly 'dry-run': boolean },
): Promise<ImportReport> {
  const progress = progressLine(terminal)
  try {
    return await importRelease(shelf, source, {
      fallback: bundledSource(),
      acceptChanges: values['accept-changes'],
      dryRun: values['dry-run'],
      onProgress: progress.onProgress,
    })
  } finally {
    progress.clear()
  }
}

const OUTCOMES: Readonly<Record<ImportReport['outcome'], (digest: string) => string>> = {
  activated: (digest) => `Release ${digest} is now current.`,
  'nothing to do': (digest) => `Nothing to do: release ${digest} has just these records and is current.`,
  'dry run': (digest) => `Dry run: release ${digest} was built and thrown away.`,
}

function reportText(report: ImportReport): string {
  const rows = entityNames.map(
    (name) =>
      `  ${entities[name].plural.padEnd(28)}${number.format(report.counts[name]).padStart(10)}${changesText(report, name)}\n`,
  )
  const findings = report.findings.map(
    ({ says, count, examples }) => `  ${number.format(count)} × ${says} (such as ${examples[0]})\n`,
  )
  const section = (title: string, lines: readonly string[]) => (lines.length === 0 ? '' : `${title}\n${lines.join('')}`)
  return (
    `${OUTCOMES[report.outcome](report.digest.slice(0, 12))}\n${rows.join('')}` +
    section('Findings, served as they are:', findings) +
    section(
      'Surprising:',
      report.surprises.map((one) => `  ${one}\n`),
    ) +
    `Built in ${report.seconds.toFixed(1)} s, ${number.format(report.recordsPerSecond)} records a second.\n`
  )
}

function changesText({ changes }: ImportReport, name: EntityName): string {
  if (changes === undefined) return ''
  const { added, changed, removed } = changes[name]
  if (added + changed + removed === 0) return '  unchanged'
  return `  ${number.format(added)} added, ${number.format(changed)} changed, ${number.format(removed)} removed`
}

export function countsOf(count: (entity: EntityName) => number): string {
  return collections.map(({ name, entity }) => `${number.format(count(entity))} ${name}`).join(', ')
}
