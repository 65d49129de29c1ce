// What a campaign found, as a page of its own: a run writes those of the campaigns that it ran into bench/results/torture/.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** The page of one campaign. */
export function pageOf(
  { title, description }: Campaign,
  trial: Trial,
  { seconds, call, machine, stolen = 0 }: Conditions,
): string {
  const table =
    trial.cases.length === 0
      ? []
      : [`| ${HEADINGS.join(' | ')} |`, `|${'---|'.repeat(HEADINGS.length)}`, ...trial.cases.map(row), '']
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [title, '', ...lines.map((line) => `- ${line.replaceAll('|', '/')}`), '']
  return [
    `# ${title}`,
    '',
    description,
    '',
    ...table,
    ...list('Found:', trial.facts),
    ...(trial.failures.length === 0
      ? ['Everything that must hold did.', '']
      : list('**Did not hold:**', trial.failures)),
    `\`${call}\`, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${Math.round(seconds)} s, seed ${trial.seed}; nomenclator ${version} on Bun ${Bun.version}; ${machine.join('; ')}${stolen < 0.02 ? '' : `; its host gave ${Math.round(stolen * 100)} % of its time to other machines`}.`,
    '',
  ].join('\n')
}

export const RESULTS = 'bench/results/torture'

export function writePage(directory: string, { name }: Campaign, page: string): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, `${name}.md`), page)
}
