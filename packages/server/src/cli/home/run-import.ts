// The steps of all import commands: open the source, take the lock, import with a progress line, and report.
import type { ReleaseStore } from '../../release/home/release-store.ts'
import { type ImportOptions, type ImportReport, importRelease } from '../../release/import.ts'
import { bundledSource } from '../../source/bundled.ts'
import type { Finding } from '../../source/findings.ts'
import { section } from '../../source/package/package-report.ts'
import type { Source } from '../../source/source.ts'
import type { Terminal } from '../command.ts'
import { homeOf } from '../flags/home-flag.ts'
import type { ImportValues } from '../flags/import-flags.ts'
import { jsonText } from '../flags/json-flag.ts'
import { readSecretKey } from '../flags/key-flags.ts'
import { changeCounts, lostFactsText, RENUMBERED } from '../terminal/changes.ts'
import { progressLine } from '../terminal/progress.ts'
import { changeHome } from './open-home.ts'

const number = new Intl.NumberFormat('en')

/** An open source, with steps to do after the import. */
type Opened = {
  readonly source: Source
  /** The source that completes the first release of a home; the bundled data if there is none. */
  readonly fallback?: Source
  /** An addition to the report: text for people, and members of the JSON document. */
  readonly notes?: { readonly text: string; readonly members: Readonly<Record<string, unknown>> }
  readonly onImported?: () => void
  /** Returns the error to print. */
  readonly onRefused?: (error: unknown) => unknown
}

/** Opens a source; `resources` are those that it has in use, which are given back after the import, or instead of it. */
export type OpenSource = (home: string, resources: DisposableStack) => Promise<Opened>

/**
 * Runs an import from start to report. The source is opened with the home to keep work files in, before the lock is taken: a slow
 * one keeps no other import waiting. One that depends on the home is opened again if the home has changed since.
 */
export async function runImport(
  name: string,
  values: ImportValues,
  terminal: Terminal,
  open: OpenSource,
  readsHome = false,
): Promise<void> {
  // A wrong key is refused before anything is downloaded or built.
  const signed = signerOf(values)
  const change = <T>(work: (store: ReleaseStore) => Promise<T>) =>
    changeHome(values, name, terminal, work, { currentOnly: true })
  for (let report: ImportReport | undefined; report === undefined; ) {
    const before = readsHome ? await change(async (store) => store.currentDigest()) : undefined
    using resources = new DisposableStack()
    const { source, fallback, notes, onImported, onRefused } = await open(homeOf(values.home), resources)
    const options = { ...signed, ...(fallback && { fallback }) }
    report = await change(async (store) => {
      if (readsHome && store.currentDigest() !== before) return undefined
      return importWithProgress(store, source, terminal, values, options)
    }).catch((error: unknown) => {
      throw onRefused === undefined ? error : onRefused(error)
    })
    if (report === undefined) continue
    terminal.out(values.json ? jsonText({ ...report, ...notes?.members }) : `${notes?.text ?? ''}${reportText(report)}`)
    // A dry run keeps what was fetched for the import that follows it.
    if (!values['dry-run']) onImported?.()
  }
}

/** The import option that signs a release with the key of these flags, if they name one. */
export function signerOf(values: Pick<ImportValues, 'sign' | 'password-file' | 'expires-days'>) {
  if (values.sign === undefined) return {}
  const secret = readSecretKey(values.sign, values['password-file'])
  return {
    sign: async (store: ReleaseStore, digest: string) => {
      const { signInHome } = await import('../../release/home/sign.ts')
      return signInHome(store, digest, secret, { days: values['expires-days'] })
    },
  }
}

export async function importWithProgress(
  store: ReleaseStore,
  source: Source,
  terminal: Terminal,
  values: { readonly 'accept-changes': boolean; readonly 'dry-run': boolean },
  more: Partial<Pick<ImportOptions, 'sign' | 'fallback'>> = {},
): Promise<ImportReport> {
  using progress = progressLine(terminal)
  return await importRelease(store, source, {
    fallback: bundledSource(),
    acceptChanges: values['accept-changes'],
    dryRun: values['dry-run'],
    onProgress: progress.show,
    ...more,
  })
}

const OUTCOMES: Readonly<Record<ImportReport['outcome'], (digest: string) => string>> = {
  activated: (digest) => `Release ${digest} is now current.`,
  'nothing to do': (digest) => `Nothing to do: release ${digest} has just these records and is current.`,
  'dry run': (digest) => `Dry run: release ${digest} was built and thrown away.`,
}

export const findingText = ({ description, count, examples }: Finding): string =>
  `${number.format(count)} × ${description} (such as ${examples[0]})`

export function reportText(report: ImportReport): string {
  const rows = Object.entries(report.counts).map(([name, count]) => {
    const collection = (report.collections[name] ?? name).padEnd(28)
    return `  ${collection}${number.format(count).padStart(10)}${changesText(report, name)}\n`
  })
  const findings = report.findings.map(findingText)
  const childless = report.childless.map(
    ({ collection, without, count, examples }) =>
      `${number.format(count)} new ${collection} have no ${without}, such as ${examples.join(', ')}: ` +
      `${without} were not in this import and stay as they were. Import them next.`,
  )
  return (
    `${OUTCOMES[report.outcome](report.digest.slice(0, 12))}\n${rows.join('')}` +
    section('Records without children:', childless) +
    section('Findings, served as they are:', findings) +
    section('Breaking changes:', report.breakingChanges) +
    `Built in ${report.seconds.toFixed(1)} s, ${number.format(report.recordsPerSecond)} records a second.\n`
  )
}

function changesText({ changes }: ImportReport, name: string): string {
  const ofEntity = changes?.[name]
  if (ofEntity === undefined) return ''
  const { added, changed, removed, reordered, isRenumbered } = ofEntity
  const lost = lostFactsText(ofEntity.lostFacts)
  if (added + changed + removed === 0) return `  ${reordered ? 'in another order' : 'unchanged'}${lost}`
  const why = isRenumbered ? ` (${RENUMBERED})` : ''
  return `  ${changeCounts(ofEntity)}${why}${lost}`
}
