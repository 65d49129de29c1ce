// The failures and the slowest files of a test run, from its log of thousands of lines.

const FILE = /^(\S+\.test\.tsx?):$/
const FINE = /^\((?:pass|skip|todo)\) /
const FAILED = /^\(fail\) /
const TIMED = /^\((?:pass|fail)\) .* \[([\d.]+)ms\]$/
const BETWEEN_TESTS = '# Unhandled error between tests'
/** The line from which the runner repeats the names of the tests. */
const SUMMARY = /^\d+ tests? (?:failed|skipped|todo):$/

/** Each failure with its file, its reason and its name. */
export function failuresIn(log: string): string[] {
  const failures: string[] = []
  let file = ''
  let said: string[] = []
  const note = () => failures.push([file, ...said].join('\n').trim())
  for (const line of log.split('\n')) {
    const isNext = FILE.test(line) || FINE.test(line) || SUMMARY.test(line)
    if (!isNext) said.push(line)
    if (FAILED.test(line) || (isNext && said.includes(BETWEEN_TESTS))) note()
    if (SUMMARY.test(line)) break
    if (FILE.test(line)) file = line
    if (isNext || FAILED.test(line)) said = []
  }
  return failures
}

/** The files whose tests took longest in all, and how many seconds. */
export function slowestFiles(log: string, count = 10): (readonly [file: string, seconds: number])[] {
  const seconds = new Map<string, number>()
  let file = ''
  for (const line of log.split('\n')) {
    if (SUMMARY.test(line)) break
    file = FILE.exec(line)?.[1] ?? file
    const milliseconds = TIMED.exec(line)?.[1]
    if (milliseconds !== undefined) seconds.set(file, (seconds.get(file) ?? 0) + Number(milliseconds) / 1_000)
  }
  return [...seconds].sort(([, one], [, other]) => other - one).slice(0, count)
}
