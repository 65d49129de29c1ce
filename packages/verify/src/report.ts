// Writes a verification or a comparison for people, and as JUnit XML for continuous integration.
import type { Comparison, Difference } from './compare.ts'
import type { RunReport } from './run.ts'
import type { Verification } from './verify.ts'

type Report = Verification | Comparison

/** A check, or a kind of differences. */
type Entry = {
  readonly suite: string
  readonly name: string
  readonly status: 'ok' | 'failed' | 'advice' | 'skipped' | 'error'
  readonly title: string
  /** The findings. */
  readonly lines: readonly string[]
}

const number = new Intl.NumberFormat('en')
const count = (amount: number, one: string, many = `${one}s`) => `${number.format(amount)} ${amount === 1 ? one : many}`
const INDENT = ' '.repeat(9)
const moreLine = (more: number): string[] => (more > 0 ? [`${INDENT}and ${number.format(more)} more`] : [])

export const entriesOf = (report: Report): readonly Entry[] =>
  'checks' in report ? report.checks.map(checkEntry) : report.kinds.map((kind) => differenceEntry(report, kind))

function checkEntry({ id, severity, rule, status, count: total, problems }: Verification['checks'][number]): Entry {
  const lines = problems.flatMap(({ request, came, expected }) =>
    expected === undefined
      ? [`${INDENT}${request}: ${came}`]
      : [`${INDENT}${request}`, `${INDENT}  came:     ${came}`, `${INDENT}  expected: ${expected}`],
  )
  const suite = severity === 'rule' ? 'rules' : 'advice'
  return { suite, name: id, status, title: rule, lines: [...lines, ...moreLine(total - problems.length)] }
}

function differenceEntry({ left, right, differences }: Comparison, kind: Difference['kind']): Entry {
  const found = differences.find((one) => one.kind === kind)
  if (found === undefined) return { suite: 'differences', name: kind, status: 'ok', title: '', lines: [] }
  const lines = found.examples.flatMap((one) => [
    `${INDENT}${one.where}`,
    `${INDENT}  ${left}: ${one.left}`,
    `${INDENT}  ${right}: ${one.right}`,
  ])
  return {
    ...{ suite: 'differences', name: kind, status: found.severity === 'advice' ? 'advice' : 'failed' },
    title: `${count(found.count, 'time')} (${found.description})${countsText(found.of)}`,
    lines: [...lines, ...moreLine(found.count - found.examples.length)],
  }
}

/** The counts of fields, headers or kinds, the most frequent first. */
function countsText(of: Difference['of']): string {
  const counts = Object.entries(of).sort(([, a], [, b]) => b - a)
  return counts.length === 0 ? '' : `: ${counts.map(([name, times]) => `${name} ${number.format(times)}`).join(', ')}`
}

function trafficText({ requests, seconds, retries, droppedConnections, timeouts, serverErrors }: RunReport): string {
  const failures = [count(droppedConnections, 'dropped connection'), count(timeouts, 'timeout')].join(', ')
  const sent = `${count(requests, 'request')} in ${seconds.toFixed(1)} s, with ${count(retries, 'retry', 'retries')}`
  return `${sent}, ${failures}, ${count(serverErrors, 'response')} of 5xx`
}

const collectionsText = ({ collections }: RunReport): string =>
  collections
    .map(({ name, pages, records }) => `${name} ${count(pages, 'page')}, ${count(records, 'record')}`)
    .join('; ')

/** A line for each check, or each kind of differences that was found, with its findings below, and a summary. */
export function textOf(report: Report): string {
  const entries = entriesOf(report)
  const width = Math.max(...entries.map(({ name }) => name.length))
  const lines = entries.flatMap(({ status, name, title, lines }) => {
    if ('checks' in report) return [`${status.padEnd(7)}  ${name.padEnd(width)}  ${title}`, ...lines]
    return status === 'ok' ? [] : [`${status === 'advice' ? 'advice ' : 'differs'}  ${name}: ${title}`, ...lines]
  })
  // A server that never responds gets a summary alone.
  const isEmpty = lines.length === 0 || entries.every(({ status }) => status === 'skipped')
  const summary = 'checks' in report ? verificationSummary(report) : comparisonSummary(report)
  return [...(isEmpty ? [] : [...lines, '']), ...summary, ''].join('\n')
}

function verificationSummary(verification: Verification): string[] {
  const { base, conforms, checks, unchecked, collections } = verification
  const idsWith = (status: Entry['status']) => checks.filter((check) => check.status === status).map(({ id }) => id)
  const [ok, failed, advised, skipped] = (['ok', 'failed', 'advice', 'skipped'] as const).map(idsWith)
  const counts = `${ok?.length} ok, ${failed?.length} failed, ${advised?.length} with advice`
  const unable = ok?.length === 0 ? 'could not be checked' : 'could not be checked in full; no check has failed'
  const verdict = conforms ? 'speaks the contract of API v1' : unable
  const broken = `does not speak the contract of API v1: ${failed?.join(', ')}`
  return [
    `${counts}, ${skipped?.length} with nothing to check; ${trafficText(verification)}.`,
    ...(collections.length === 0 ? [] : [`Seen: ${collectionsText(verification)}.`]),
    ...unchecked.map((reason) => `Not checked: ${reason}.`),
    `${base} ${failed?.length === 0 ? verdict : broken}.`,
  ]
}

function comparisonSummary(comparison: Comparison): string[] {
  const { left, right, unchecked, differences } = comparison
  const real = differences.filter(({ severity }) => severity === 'difference')
  const same = differences.length === 0 ? 'They are the same' : 'They are the same, apart from what is only advice'
  const verdict = unchecked.length > 0 ? 'They could not be compared in full; what was compared is the same' : same
  const counts = countsText(Object.fromEntries(real.map((one) => [one.kind, one.count])))
  return [
    `${left} and ${right} were compared: ${collectionsText(comparison)}; ${trafficText(comparison)}.`,
    ...unchecked.map((reason) => `Not compared: ${reason}.`),
    `${real.length > 0 ? `They differ${counts}` : verdict}.`,
  ]
}

/** JUnit XML, in which advice is a note of a case that passes. */
export function junitOf(report: Report): string {
  const subject = 'checks' in report ? report.base : `${report.left} --against ${report.right}`
  const unchecked = report.unchecked.map((title, at): Entry => {
    return { suite: 'reachable', name: `request ${at + 1}`, status: 'error', title, lines: [] }
  })
  const cases = [...entriesOf(report), ...unchecked]
  const suites = [...new Set(cases.map(({ suite }) => suite))].map((suite) => {
    const inSuite = cases.filter((one) => one.suite === suite)
    const attributes = `name="${suite}" ${totals(inSuite)} skipped="${countOf(inSuite, 'skipped')}" time="0"`
    return `  <testsuite ${attributes}>\n${inSuite.map(caseXml).join('')}  </testsuite>\n`
  })
  const attributes = `name="${escaped(`nomenclator verify ${subject}`)}" ${totals(cases)}`
  const head = `<testsuites ${attributes} time="${report.seconds.toFixed(3)}">`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${suites.join('')}</testsuites>\n`
}

const countOf = (cases: readonly Entry[], status: Entry['status']) =>
  cases.filter((one) => one.status === status).length
const totals = (cases: readonly Entry[]): string =>
  `tests="${cases.length}" failures="${countOf(cases, 'failed')}" errors="${countOf(cases, 'error')}"`

function caseXml({ suite, name, status, title, lines }: Entry): string {
  const head = `    <testcase classname="nomenclator.verify.${suite}" name="${escaped(name)}" time="0"`
  if (status === 'ok') return `${head}/>\n`
  const attributes = `message="${escaped(title)}" type="${suite}"`
  const text = escaped(lines.join('\n'))
  const element = {
    failed: `<failure ${attributes}>${text}</failure>`,
    error: `<error ${attributes}></error>`,
    skipped: '<skipped message="nothing to check"></skipped>',
    advice: `<system-out>${escaped(title)}\n${text}</system-out>`,
  }[status]
  return `${head}>\n      ${element}\n    </testcase>\n`
}

const ENTITIES = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }))

/** XML 1.0 has no place for most control characters, lone surrogates and two code points at the end of the plane. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES.get(character) as string)
