// What was found, written for people, for programs, and as JUnit XML for continuous integration.
import type { Comparison, Difference } from './compare.ts'
import type { CheckResult, ReportedFault, Verification } from './verify.ts'

const number = new Intl.NumberFormat('en')
const count = (amount: number, one: string, many = `${one}s`) => `${number.format(amount)} ${amount === 1 ? one : many}`

/** A line for each check, and under it what was wrong. */
export function verificationText(verification: Verification): string {
  const { checks } = verification
  // A server that never responds is told in one line, and not check by check.
  if (checks.every(({ status }) => status === 'skipped')) return verificationSummary(verification)
  const width = Math.max(...checks.map(({ id }) => id.length))
  const lines = checks.flatMap((check) => [
    `${check.status.padEnd(7)}  ${check.id.padEnd(width)}  ${check.rule}`,
    ...problemLines(check.problems, check.count),
  ])
  return `${lines.join('\n')}\n\n${verificationSummary(verification)}`
}

function problemLines(problems: readonly ReportedFault[], total: number): string[] {
  const lines = problems.flatMap(({ request, came, expected }) => [
    `         ${request}`,
    `           came:     ${came}`,
    `           expected: ${expected}`,
  ])
  const more = total - problems.length
  return more > 0 ? [...lines, `         and ${number.format(more)} more`] : lines
}

/** How many requests there were, and what happened to them on the way. */
function trafficText(found: Verification | Comparison): string {
  const { requests, seconds, retries, droppedConnections, timeouts, serverErrors } = found
  const parts = [
    `${count(retries, 'retry', 'retries')}`,
    `${count(droppedConnections, 'dropped connection')}`,
    `${count(timeouts, 'timeout')}`,
    `${count(serverErrors, 'response')} of 5xx`,
  ]
  return `${count(requests, 'request')} in ${seconds.toFixed(1)} s, with ${parts.join(', ')}`
}

function verificationSummary(verification: Verification): string {
  const { base, conforms, unchecked, checks, collections } = verification
  const of = (status: CheckResult['status']) => checks.filter((check) => check.status === status)
  const [failed, advised] = [of('failed'), of('advice')]
  const seen = collections
    .map(({ name, pages, records }) => `${name} ${count(pages, 'page')}, ${count(records, 'record')}`)
    .join('; ')
  const parts = [
    `${of('ok').length} ok`,
    `${failed.length} failed`,
    `${advised.length} with advice`,
    `${of('skipped').length} with nothing to check`,
  ]
  const verdict =
    failed.length > 0
      ? `${base} does not speak the contract of API v1: ${failed.map(({ id }) => id).join(', ')}.`
      : conforms
        ? `${base} speaks the contract of API v1.`
        : of('ok').length === 0
          ? `${base} could not be checked.`
          : `${base} could not be checked in full; nothing that was checked is wrong.`
  return [
    `${parts.join(', ')}; ${trafficText(verification)}.`,
    ...(seen === '' ? [] : [`Seen: ${seen}.`]),
    ...unchecked.map((reason) => `Not checked: ${reason}.`),
    verdict,
    '',
  ].join('\n')
}

export const asJson = (found: Verification | Comparison): string => `${JSON.stringify(found, null, 2)}\n`

/** Differences by kind, with the first of each. */
export function comparisonText(comparison: Comparison): string {
  const { left, right, differences, unchecked, collections } = comparison
  const lines = differences.flatMap(({ kind, description, severity, count: total, of, examples }) => [
    `${severity === 'advice' ? 'advice ' : 'differs'}  ${kind}: ${count(total, 'time')} (${description})${countsText(of)}`,
    ...examples.flatMap(({ where, left: a, right: b }) => [
      `         ${where}`,
      `           ${left}: ${a}`,
      `           ${right}: ${b}`,
    ]),
    ...(total > examples.length ? [`         and ${number.format(total - examples.length)} more`] : []),
  ])
  const compared = collections.map(
    ({ name, pages, records }) => `${name} ${count(pages, 'page')}, ${count(records, 'record')}`,
  )
  return [
    ...lines,
    ...(lines.length > 0 ? [''] : []),
    `${left} and ${right} were compared: ${compared.join('; ')}; ${trafficText(comparison)}.`,
    ...unchecked.map((reason) => `Not compared: ${reason}.`),
    comparisonVerdict(comparison),
    '',
  ].join('\n')
}

/** How often each field or header differs, the most frequent first. */
function countsText(of: Difference['of']): string {
  const counts = Object.entries(of).sort(([, a], [, b]) => b - a)
  return counts.length === 0 ? '' : `: ${counts.map(([name, times]) => `${name} ${number.format(times)}`).join(', ')}`
}

function comparisonVerdict({ same, unchecked, differences }: Comparison): string {
  const real = differences.filter(({ severity }) => severity === 'difference')
  if (real.length > 0)
    return `They differ: ${real.map(({ kind, count: total }) => `${kind} ${number.format(total)}`).join(', ')}.`
  if (unchecked.length > 0) return 'They could not be compared in full; what was compared is the same.'
  return same && differences.length === 0 ? 'They are the same.' : 'They are the same, apart from what is only advice.'
}

type Case = {
  readonly suite: string
  readonly name: string
  readonly outcome?: {
    readonly tag: 'failure' | 'error' | 'skipped' | 'system-out'
    readonly message: string
    readonly text: string
  }
}

/** A suite of rules and one of advice; advice that was not kept to is a note of a case that passes. */
export function verificationJunit(verification: Verification): string {
  const { base, checks, unchecked, seconds } = verification
  const cases = checks.map(({ id, severity, rule, status, count: total, problems }): Case => {
    const text = problemLines(problems, total).join('\n')
    const name = { suite: severity === 'rule' ? 'rules' : 'advice', name: id }
    if (status === 'failed') return { ...name, outcome: { tag: 'failure', message: rule, text } }
    if (status === 'advice') return { ...name, outcome: { tag: 'system-out', message: '', text: `${rule}\n${text}` } }
    return status === 'skipped' ? { ...name, outcome: { tag: 'skipped', message: 'nothing to check', text: '' } } : name
  })
  return junit(`nomenclator verify ${base}`, [...cases, ...uncheckedCases(unchecked)], seconds)
}

export function comparisonJunit({ left, right, kinds, differences, unchecked, seconds }: Comparison): string {
  const cases = kinds.map((kind): Case => {
    const difference = differences.find((one) => one.kind === kind)
    const name = { suite: 'differences', name: kind }
    if (difference === undefined) return name
    const message = `${count(difference.count, 'time')}: ${difference.description}${countsText(difference.of)}`
    const text = difference.examples.map((one) => exampleText(one, left, right)).join('\n')
    return {
      ...name,
      outcome: {
        tag: difference.severity === 'advice' ? 'system-out' : 'failure',
        message,
        text: `${message}\n${text}`,
      },
    }
  })
  return junit(`nomenclator verify ${left} --against ${right}`, [...cases, ...uncheckedCases(unchecked)], seconds)
}

const exampleText = ({ where, left: a, right: b }: Difference['examples'][number], left: string, right: string) =>
  `${where}\n  ${left}: ${a}\n  ${right}: ${b}`

const uncheckedCases = (unchecked: readonly string[]): Case[] =>
  unchecked.map((reason, at) => ({
    suite: 'reachable',
    name: `request ${at + 1}`,
    outcome: { tag: 'error', message: reason, text: '' },
  }))

function junit(name: string, cases: readonly Case[], seconds: number): string {
  const suites = [...new Set(cases.map(({ suite }) => suite))].map((suite) => {
    const inSuite = cases.filter((one) => one.suite === suite)
    return `  <testsuite name="${suite}" ${totals(inSuite)} skipped="${outcomes(inSuite, 'skipped')}" time="0">\n${inSuite.map(caseXml).join('')}  </testsuite>\n`
  })
  const attributes = `name="${escaped(name)}" ${totals(cases)} time="${seconds.toFixed(3)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${attributes}>\n${suites.join('')}</testsuites>\n`
}

const outcomes = (cases: readonly Case[], tag: string) => cases.filter(({ outcome }) => outcome?.tag === tag).length

const totals = (cases: readonly Case[]): string =>
  `tests="${cases.length}" failures="${outcomes(cases, 'failure')}" errors="${outcomes(cases, 'error')}"`

function caseXml({ suite, name, outcome }: Case): string {
  const head = `    <testcase classname="nomenclator.verify.${suite}" name="${escaped(name)}" time="0"`
  if (outcome === undefined) return `${head}/>\n`
  const { tag, message, text } = outcome
  const attributes =
    tag === 'system-out' ? '' : ` message="${escaped(message)}"${tag === 'skipped' ? '' : ` type="${suite}"`}`
  return `${head}>\n      <${tag}${attributes}>${escaped(text)}</${tag}>\n    </testcase>\n`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML 1.0 has no place for most control characters, lone surrogates and two code points at the end of the plane. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] as string)
