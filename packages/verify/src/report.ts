// Writes a verification or a comparison for people, for programs, and as JUnit XML for continuous integration.
import type { Comparison, Difference } from './compare.ts'
import type { Finding } from './findings.ts'
import type { RunReport, Verification } from './verify.ts'

const number = new Intl.NumberFormat('en')
const count = (amount: number, one: string, many = `${one}s`) => `${number.format(amount)} ${amount === 1 ? one : many}`
const INDENT = ' '.repeat(9)

export const asJson = (report: RunReport): string => `${JSON.stringify(report, null, 2)}\n`

/** The lines of some findings; those of advice have one each. */
function findingLines(findings: readonly Finding[], total: number): string[] {
  const lines = findings.flatMap(({ request, came, expected }) =>
    expected === undefined
      ? [`${INDENT}${request}: ${came}`]
      : [`${INDENT}${request}`, `${INDENT}  came:     ${came}`, `${INDENT}  expected: ${expected}`],
  )
  return [...lines, ...moreLine(total - findings.length)]
}

const moreLine = (more: number): string[] => (more > 0 ? [`${INDENT}and ${number.format(more)} more`] : [])

const exampleLines = ({ examples, count: total }: Difference, { left, right }: Comparison): string[] => [
  ...examples.flatMap((one) => [
    `${INDENT}${one.where}`,
    `${INDENT}  ${left}: ${one.left}`,
    `${INDENT}  ${right}: ${one.right}`,
  ]),
  ...moreLine(total - examples.length),
]

/** The counts of fields or headers, the most frequent first. */
function countsText(of: Difference['of']): string {
  const counts = Object.entries(of).sort(([, a], [, b]) => b - a)
  return counts.length === 0 ? '' : `: ${counts.map(([name, times]) => `${name} ${number.format(times)}`).join(', ')}`
}

function trafficText({ requests, seconds, retries, droppedConnections, timeouts, serverErrors }: RunReport): string {
  const parts = [
    count(retries, 'retry', 'retries'),
    count(droppedConnections, 'dropped connection'),
    count(timeouts, 'timeout'),
    `${count(serverErrors, 'response')} of 5xx`,
  ]
  return `${count(requests, 'request')} in ${seconds.toFixed(1)} s, with ${parts.join(', ')}`
}

const collectionsText = ({ collections }: RunReport): string =>
  collections
    .map(({ name, pages, records }) => `${name} ${count(pages, 'page')}, ${count(records, 'record')}`)
    .join('; ')

/** A line for each check with its findings below, and a summary. */
export function verificationText(verification: Verification): string {
  const { base, conforms, checks, unchecked, collections } = verification
  const withStatus = (status: string) => checks.filter((check) => check.status === status)
  const [ok, failed, skipped] = [withStatus('ok'), withStatus('failed'), withStatus('skipped')]
  const width = Math.max(...checks.map(({ id }) => id.length))
  const lines = checks.flatMap(({ id, rule, status, problems, count: total }) => [
    `${status.padEnd(7)}  ${id.padEnd(width)}  ${rule}`,
    ...findingLines(problems, total),
  ])
  const unable = ok.length === 0 ? 'could not be checked.' : 'could not be checked in full; no check has failed.'
  const verdict =
    failed.length > 0
      ? `does not speak the contract of API v1: ${failed.map(({ id }) => id).join(', ')}.`
      : conforms
        ? 'speaks the contract of API v1.'
        : unable
  const advised = `${withStatus('advice').length} with advice`
  return [
    // A server that never responds gets a summary alone.
    ...(skipped.length === checks.length ? [] : [...lines, '']),
    `${ok.length} ok, ${failed.length} failed, ${advised}, ${skipped.length} with nothing to check; ${trafficText(verification)}.`,
    ...(collections.length === 0 ? [] : [`Seen: ${collectionsText(verification)}.`]),
    ...unchecked.map((reason) => `Not checked: ${reason}.`),
    `${base} ${verdict}`,
    '',
  ].join('\n')
}

/** The differences by kind with the first of each, and a summary. */
export function comparisonText(comparison: Comparison): string {
  const { left, right, differences, unchecked } = comparison
  const lines = differences.flatMap((difference) => [
    `${difference.severity === 'advice' ? 'advice ' : 'differs'}  ${difference.kind}: ${differenceText(difference)}`,
    ...exampleLines(difference, comparison),
  ])
  return [
    ...lines,
    ...(lines.length > 0 ? [''] : []),
    `${left} and ${right} were compared: ${collectionsText(comparison)}; ${trafficText(comparison)}.`,
    ...unchecked.map((reason) => `Not compared: ${reason}.`),
    comparisonVerdict(comparison),
    '',
  ].join('\n')
}

const differenceText = ({ count: total, description, of }: Difference): string =>
  `${count(total, 'time')} (${description})${countsText(of)}`

function comparisonVerdict({ unchecked, differences }: Comparison): string {
  const real = differences.filter(({ severity }) => severity === 'difference')
  if (real.length > 0) return `They differ${countsText(Object.fromEntries(real.map((one) => [one.kind, one.count])))}.`
  if (unchecked.length > 0) return 'They could not be compared in full; what was compared is the same.'
  return differences.length === 0 ? 'They are the same.' : 'They are the same, apart from what is only advice.'
}

type Case = {
  readonly suite: string
  readonly name: string
  readonly tag?: 'failure' | 'error' | 'skipped' | 'system-out'
  readonly message?: string
  readonly text?: string
}

/** Returns a suite of rules and one of advice; advice that the server does not follow is a note of a case that passes. */
export function verificationJunit({ base, checks, unchecked, seconds }: Verification): string {
  const cases = checks.map(({ id, severity, rule, status, count: total, problems }): Case => {
    const text = findingLines(problems, total).join('\n')
    const one = { suite: severity === 'rule' ? 'rules' : 'advice', name: id }
    if (status === 'failed') return { ...one, tag: 'failure', message: rule, text }
    if (status === 'advice') return { ...one, tag: 'system-out', text: `${rule}\n${text}` }
    return status === 'skipped' ? { ...one, tag: 'skipped', message: 'nothing to check' } : one
  })
  return junit(`nomenclator verify ${base}`, cases, unchecked, seconds)
}

export function comparisonJunit(comparison: Comparison): string {
  const { left, right, kinds, differences, unchecked, seconds } = comparison
  const cases = kinds.map((name): Case => {
    const found = differences.find(({ kind }) => kind === name)
    if (found === undefined) return { suite: 'differences', name }
    const message = differenceText(found)
    const text = [message, ...exampleLines(found, comparison)].join('\n')
    const tag = found.severity === 'advice' ? 'system-out' : 'failure'
    return { suite: 'differences', name, tag, message, text }
  })
  return junit(`nomenclator verify ${left} --against ${right}`, cases, unchecked, seconds)
}

function junit(name: string, checked: readonly Case[], unchecked: readonly string[], seconds: number): string {
  const errors = unchecked.map((message, at): Case => {
    return { suite: 'reachable', name: `request ${at + 1}`, tag: 'error', message }
  })
  const cases = [...checked, ...errors]
  const suites = [...new Set(cases.map(({ suite }) => suite))].map((suite) => {
    const inSuite = cases.filter((one) => one.suite === suite)
    const skipped = inSuite.filter(({ tag }) => tag === 'skipped').length
    return `  <testsuite name="${suite}" ${totals(inSuite)} skipped="${skipped}" time="0">\n${inSuite.map(caseXml).join('')}  </testsuite>\n`
  })
  const attributes = `name="${escaped(name)}" ${totals(cases)} time="${seconds.toFixed(3)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${attributes}>\n${suites.join('')}</testsuites>\n`
}

function totals(cases: readonly Case[]): string {
  const withTag = (wanted: string) => cases.filter(({ tag }) => tag === wanted).length
  return `tests="${cases.length}" failures="${withTag('failure')}" errors="${withTag('error')}"`
}

function caseXml({ suite, name, tag, message = '', text = '' }: Case): string {
  const head = `    <testcase classname="nomenclator.verify.${suite}" name="${escaped(name)}" time="0"`
  if (tag === undefined) return `${head}/>\n`
  const type = tag === 'skipped' ? '' : ` type="${suite}"`
  const attributes = tag === 'system-out' ? '' : ` message="${escaped(message)}"${type}`
  return `${head}>\n      <${tag}${attributes}>${escaped(text)}</${tag}>\n    </testcase>\n`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML 1.0 has no place for most control characters, lone surrogates and two code points at the end of the plane. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] as string)
