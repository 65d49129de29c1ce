// Runs every check in order, stops at the first that fails, and ends with one line that any log reader can count.
import { join } from 'node:path'
import { failuresIn } from './support/failures.ts'

const root = join(import.meta.dir, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

/** A shared machine can make any test wait. */
const TEST_MILLISECONDS = '60000'

const stages = [
  {
    name: 'format and lint',
    command: [bin('biome'), 'ci', '--error-on-warnings'],
    mend: 'npm run fix mends most of it',
  },
  { name: 'types', command: [bin('tsc'), '--noEmit'], mend: 'see the errors above' },
  {
    name: 'types of what runs in a browser',
    command: [bin('tsc'), '--noEmit', '--project', 'packages/server/src/explorer/browser'],
    mend: 'see the errors above',
  },
  {
    name: 'types of the client, which runs anywhere',
    command: [bin('tsc'), '--noEmit', '--project', 'packages/client'],
    mend: 'see the errors above',
  },
]

function fail(stage: string, mend: string): never {
  console.log(`\nnpm test: ${stage} failed; ${mend}`)
  console.log('0 passed, 1 failed')
  process.exit(1)
}

for (const { name, command, mend } of stages) {
  console.log(`── ${name}`)
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (exitCode !== 0) fail(name, mend)
}

console.log('── tests')
// Many tests wait for processes and timers, so files run in four processes even on two cores.
const command = [process.execPath, 'test', '--parallel=4', '--no-isolate', '--timeout', TEST_MILLISECONDS]
const tests = Bun.spawn([...command, ...process.argv.slice(2)], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'pipe'],
})
let log = ''
const decoder = new TextDecoder()
for await (const chunk of tests.stderr) {
  process.stderr.write(chunk)
  log += decoder.decode(chunk, { stream: true })
}
const exitCode = await tests.exited
const count = (word: string) => Number(log.match(new RegExp(`^\\s*([0-9]+) ${word}$`, 'm'))?.[1] ?? 0)
const [passed, failed, skipped] = [count('pass'), count('fail'), count('skip')]
if (passed === 0 && failed === 0) fail('tests', 'no test ran')
if (exitCode !== 0) {
  console.log(`\n── what failed\n\n${failuresIn(log).join('\n\n')}\n`)
  console.log('npm test: tests failed; see the failures above')
}
// A crash of the runner after its count is a failure too.
console.log(
  `${passed} passed, ${exitCode !== 0 && failed === 0 ? 1 : failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
)
process.exit(exitCode)
