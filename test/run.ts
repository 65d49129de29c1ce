// Runs every check, stops at the first that fails, and ends with one line that any log reader can count.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Architecture, buildExecutable } from '../tools/build.ts'
import { failuresIn, slowestFiles } from './support/run-log.ts'
import { EXECUTABLE_VARIABLE, SCRATCH_VARIABLE, scratch } from './support/scratch.ts'

const root = join(import.meta.dir, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

/** A shared machine can make any test wait: no test file asks for less. */
const TEST_MILLISECONDS = '180000'

/** The flag that also runs the tests in `NIGHTLY`, which pack, install and build the program again. */
const ALL = '--all'
const NIGHTLY = 'test/nightly/'
const runsAll = process.argv.some((argument) => argument === ALL || argument.includes(NIGHTLY))

/** Several threads check much of it several times, and the cores are busy as it is. */
const typeCheck = [bin('tsc'), '--noEmit', '--singleThreaded']

const stages = [
  {
    name: 'format and lint',
    command: [bin('biome'), 'ci', '--error-on-warnings'],
    mend: 'npm run fix mends most of it',
  },
  { name: 'types', command: typeCheck, mend: 'see the errors above' },
  {
    name: 'types of what runs in a browser',
    command: [...typeCheck, '--project', 'packages/server/src/explorer/browser'],
    mend: 'see the errors above',
  },
  {
    name: 'types of the client, which runs anywhere',
    command: [...typeCheck, '--project', 'packages/client'],
    mend: 'see the errors above',
  },
  {
    name: 'types of what verifies servers, which runs on Node 20',
    command: [...typeCheck, '--project', 'packages/verify'],
    mend: 'see the errors above',
  },
]

function fail(stage: string, mend: string): never {
  console.log(`\nnpm test: ${stage} failed; ${mend}`)
  console.log('0 passed, 1 failed')
  process.exit(1)
}

const line = (seconds: number, name: string) => `${seconds.toFixed(1).padStart(6)} s  ${name}`
const durations: string[] = []
const noteDuration = (stage: string, since: number) => durations.push(line((performance.now() - since) / 1_000, stage))

const directory = mkdtempSync(join(scratch, 'nomenclator-tests-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
// PostgreSQL and others run as users of their own.
chmodSync(directory, 0o755)

/** Built while the checks begin. Its failure is printed after theirs, which may be the cause. */
const building =
  process.platform === 'linux'
    ? buildExecutable(process.arch as Architecture, directory).catch((error: Error) => error)
    : Promise.resolve(undefined)

// All at once, since each of them has times in which it uses one core only. What they write is shown one after the other.
const checks = stages.map(({ name, command, mend }) => {
  const started = performance.now()
  const child = Bun.spawn(command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = Promise.all([child.stdout.text(), child.stderr.text()])
  void child.exited.then(() => noteDuration(name, started))
  return { name, mend, child, output }
})

/** The files that take longest begin first, so that none of them is waited for in the end. Bun begins with those that it has no time of. */
function writeTimings(path: string): string {
  const slowest = [
    ...[
      'fleet/fleet',
      'explorer/browser',
      'release/broken-home',
      'operation/workers',
      'hostile/torture',
      'operation/compute-workers',
    ],
    ...['command/serve', 'explorer/picker', 'explorer/resolver', 'explorer/lists', 'explorer/tasks'],
    ...[
      'operation/seeing',
      'contract/walk',
      'v2/openapi-conformance',
      'explorer/map',
      'operation/slow-clients',
      'command/deploy',
      'release/swap',
      'import/disk-full',
    ],
    ...[
      'verify/package',
      'verify/faults',
      'import/http-to-package',
      'import/packages',
      'import/inegi-download',
      'release/upgrade',
    ],
  ].map((name) => `test/${name}.test.ts`)
  const files = [...new Bun.Glob('{bench,data,packages,test}/**/*.test.ts').scanSync(root)].filter(
    (file) => !file.includes('node_modules'),
  )
  const gone = slowest.filter((file) => !files.includes(file))
  if (gone.length > 0) fail('tests', `test/run.ts names files that are not there: ${gone.join(', ')}`)
  const milliseconds = (file: string) => (slowest.includes(file) ? 1_000 * (slowest.length - slowest.indexOf(file)) : 1)
  const timings = { version: 1, files: Object.fromEntries(files.map((file) => [file, milliseconds(file)])) }
  writeFileSync(path, JSON.stringify(timings))
  return path
}

/** No process of a test runs for so long that the last tier of compiled code, memory that is given back, or a collector on a thread of its own is worth what it costs. */
const SHORT_LIVED = { BUN_JSC_useFTLJIT: '0', BUN_JSC_useConcurrentGC: '0', MIMALLOC_PURGE_DELAY: '-1' }

/** Many tests wait for processes and timers, so files run in more processes than there are cores; each of them compiles what it runs for itself. */
const startTests = (executable: string | undefined) =>
  Bun.spawn(
    [
      ...[process.execPath, 'test', '--parallel=4', '--no-isolate', '--timeout', TEST_MILLISECONDS],
      ...(runsAll ? [] : [`--path-ignore-patterns=${NIGHTLY}**`]),
      `--timings=${writeTimings(join(directory, 'timings.json'))}`,
      ...process.argv.slice(2).filter((one) => one !== ALL),
    ],
    {
      cwd: root,
      env: { ...process.env, ...SHORT_LIVED, [SCRATCH_VARIABLE]: directory, [EXECUTABLE_VARIABLE]: executable },
      stdio: ['ignore', 'inherit', 'pipe'],
    },
  )

// The tests begin while the checks run: both wait now and then. What they write is shown after the checks.
const started = performance.now()
const built = await building
const tests = built instanceof Error ? undefined : startTests(built)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests?.kill(signal))
let log = ''
let isShown = false
const reading = (async () => {
  const decoder = new TextDecoder()
  for await (const chunk of tests?.stderr ?? []) {
    if (isShown) process.stderr.write(chunk)
    log += decoder.decode(chunk, { stream: true })
  }
})()

for (const { name, mend, child, output } of checks) {
  console.log(`── ${name}`)
  const [out, err] = await output
  process.stdout.write(out + err)
  if ((await child.exited) === 0) continue
  for (const other of checks) other.child.kill()
  tests?.kill()
  fail(name, mend)
}
if (tests === undefined) fail('npm run build', (built as Error).message)

console.log('── tests')
isShown = true
process.stderr.write(log)
await reading
const exitCode = await tests.exited
noteDuration('tests', started)
const count = (word: string) => Number(log.match(new RegExp(`^\\s*([0-9]+) ${word}$`, 'm'))?.[1] ?? 0)
const [passed, failed, skipped] = [count('pass'), count('fail'), count('skip')]
if (passed === 0 && failed === 0) fail('tests', 'no test ran')
if (exitCode !== 0) {
  console.log(`\n── what failed\n\n${failuresIn(log).join('\n\n')}\n`)
  console.log('npm test: tests failed; see the failures above')
}
const slowest = slowestFiles(log).map(([file, seconds]) => line(seconds, file))
console.log(['\n── how long it took', ...durations, '\n── the slowest test files', ...slowest, ''].join('\n'))
// A crash of the runner after its count is a failure too.
console.log(
  `${passed} passed, ${exitCode !== 0 && failed === 0 ? 1 : failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
)
process.exit(exitCode)
