// The report of a full run as a page of the documentation.
import { comparedLoads } from '../load/loads.ts'
import type { Results, Row } from '../measure/results.ts'
import { peers } from '../servers/contenders.ts'
import { allowed } from '../verify/allowed.ts'
import type { Chart } from './charts.ts'
import { figure } from './figures.ts'
import { comparison, footprintTable, growthTable, noiseNote, targetNotes, targetTable } from './tables.ts'
import { markdownTable, type Table } from './text-table.ts'

export function report(results: Results, charts: readonly Chart[]): string {
  return [
    '# Benchmarks',
    `Written by \`${results.command}\` on ${results.taken.slice(0, 10)}; do not edit. \`bench/setup\` installs what it compares with.`,
    ...[results.defaultValue, [noiseNote(results) ?? []].flat()].flat().map((sentence) => `**${sentence}**`),
    '## Targets',
    intro(results),
    table(targetTable(results.verdicts)),
    list([...targetNotes(results.verdicts), ...results.notes]),
    ...charts.map(({ file, description }) => `![${description}](charts/${file})`),
    '## What is compared',
    list([
      '**nomenclator**: this service, `nomenclator serve`, one worker a core',
      ...peers.map(({ name, description }) => `**${name}**: ${description}`),
    ]),
    'Before anything is measured, sample pages of every load are fetched from each server: the bodies and the headers must be the same. ' +
      'Only these differences are let through:',
    list(allowedList()),
    'The loads:',
    list(comparedLoads.map(({ name, description }) => `**${name}**: ${description}`)),
    HOW,
    ...comparisons(results.rows),
    '## Memory',
    MEMORY,
    table(footprintTable(results.footprints)),
    '## Growth',
    'The same service over more localities, random pages, 64 connections kept alive. Build and start with a warm cache.',
    table(growthTable(results.growth)),
    '## Machine',
    machineList(results),
  ].join('\n\n')
}

const table = (value: Table): string => markdownTable(value).trimEnd()
const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

const intro = ({ rounds, seconds, workers }: Results): string =>
  `Medians of ${rounds} alternating rounds of ${seconds} s, with the range they come from; ratios are taken within each round. ` +
  `Every server has ${workers === 1 ? 'one worker on one core' : `${workers} workers on ${workers} cores`}. Unless it says otherwise below, the load comes from other cores.`

const HOW =
  'CPU is user and system time of the server and its children from /proc over the window, for each request answered. ' +
  '“Core used” is how much of its core the server took: well below 100 % its requests/s are the limit of the load generator, ' +
  'and only CPU per request compares. Keep-alive GET comes from wrk. HEAD and a new connection for each request come from ' +
  'a generator in `bench/load`, since wrk waits for the body of an answer to HEAD.'

const MEMORY =
  'After the loads at 64 connections. Resident memory includes the pages of files that are mapped, such as the release; the ' +
  'kernel takes those back when it needs them, and workers share them. While only one process maps a file its pages count as ' +
  'private, so the figure of a worker in the targets is taken with two of them. Anonymous memory is heap and stacks. ' +
  'What nginx reads stays in the cache of the kernel and is not counted.'

function comparisons(rows: readonly Row[]): string[] {
  const compared = rows.filter(({ server }) => !server.includes('×'))
  const groups = Map.groupBy(compared, ({ connections, reuse }) => `${figure(connections)} ${reuse ? KEPT : NEW}`)
  return [...groups].flatMap(([title, group]) => [`## ${title}`, table(comparison(group))])
}

const KEPT = 'connections, kept alive'
const NEW = 'connections at a time, a new one for each request'

const allowedList = (): string[] => {
  const groups = Map.groupBy(allowed, ({ because }) => because)
  return [...groups].map(([because, entries]) => {
    const [first] = entries
    const where = [first?.server, first?.status === undefined ? undefined : `status ${first.status}`].filter(
      (part) => part !== undefined,
    )
    return `${entries.map(({ header }) => header).join(', ')}${where.length === 0 ? '' : ` (${where.join(', ')})`}: ${because}`
  })
}

function machineList({ machine, command }: Results): string {
  const { processor, cores, memoryBytes, system, kernel, commit, versions } = machine
  return list([
    `${processor}, ${cores} cores, ${figure(memoryBytes / 2 ** 30)} GiB of memory`,
    `${system}, Linux ${kernel}`,
    `commit ${commit}`,
    ...Object.entries(versions).map(([name, version]) => `${name} ${version}`),
    `to repeat it: \`bench/setup && ${command}\``,
  ])
}
