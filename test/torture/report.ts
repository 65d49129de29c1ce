// docs/reliability.md: what each campaign found, in a part of its own between two marks, so that a run replaces only what it ran.
import { withPart as withDocumentPart } from '../../bench/document-part.ts'
import { version } from '../../package.json'
import type { Campaign, Case, Trial } from './trial.ts'

const count = (value: number) => value.toLocaleString('en')
const milliseconds = (value: number) => (value < 10 ? value.toFixed(1) : count(Math.round(value)))
const megabytes = (value: number) => count(Math.round(value))

function row({ name, probe, memory }: Case): string {
  const { completed, failed, limited, latency, longestOutage } = probe
  const cells = [
    name,
    // A response that was counted as failed is among those that came.
    count(completed),
    count(failed),
    count(limited),
    ...[latency.p50, latency.p99, latency.max].map(milliseconds),
    milliseconds(longestOutage),
    ...[memory.before, memory.peak, memory.after].map(({ pss }) => megabytes(pss)),
    megabytes(memory.peak.anonymous),
  ]
  return `| ${cells.join(' | ')} |`
}

const HEADINGS = [
  ...['case', 'v1 responses', 'failed', '503', 'p50 ms', 'p99 ms', 'max ms', 'longest outage ms'],
  ...['MB before', 'MB peak', 'MB after', 'of the peak no file'],
]

type Conditions = {
  readonly seconds: number
  /** How it was started. */
  readonly call: string
  /** What it ran on. */
  readonly machine: readonly string[]
  /** Which share of the machine's time its host gave to other machines. */
  readonly stolen?: number
}

/** The part of one campaign, without its heading. */
function partOf({ description }: Campaign, trial: Trial, { seconds, call, machine, stolen = 0 }: Conditions): string {
  const table =
    trial.cases.length === 0
      ? []
      : [`| ${HEADINGS.join(' | ')} |`, `|${'---|'.repeat(HEADINGS.length)}`, ...trial.cases.map(row), '']
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [title, '', ...lines.map((line) => `- ${line.replaceAll('|', '/')}`), '']
  return [
    description,
    '',
    ...table,
    ...list('Found:', trial.facts),
    ...(trial.failures.length === 0
      ? ['Everything that must hold did.', '']
      : list('**Did not hold:**', trial.failures)),
    `\`${call}\`, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${Math.round(seconds)} s, seed ${trial.seed}; nomenclator ${version} on Bun ${Bun.version}; ${machine.join('; ')}${stolen < 0.02 ? '' : `; its host gave ${Math.round(stolen * 100)} % of its time to other machines`}.`,
  ].join('\n')
}

/** The document with the part of a campaign replaced; a campaign that is not in it yet comes at the end. */
export function withPart(document: string, campaign: Campaign, trial: Trial, conditions: Conditions): string {
  const text = partOf(campaign, trial, conditions)
  return withDocumentPart(document, `npm run torture -- ${campaign.name}`, text, campaign.title)
}
