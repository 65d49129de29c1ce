// The tools of a checkout: what is installed and compiled before the program runs, and what restarts when a source has changed.
import { describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isSource, Restarting } from '../../tools/dev.ts'
import { ran } from '../support/command.ts'
import { TestDirectory } from '../support/releases.ts'
import { eventually } from '../support/service.ts'

const ROOT = join(import.meta.dir, '..', '..')

/** A checkout of two packages: served-one is needed to serve, dev-one to develop, and never-one only on another machine. */
class Checkout extends TestDirectory {
  constructor(installed: Readonly<Record<string, string>>) {
    super()
    for (const tool of ['with-bun', 'is-installed.cjs']) this.#copyTool(tool)
    this.write('packages/server/src/explorer/browser/page.ts', '')
    this.write('packages/picker/src/picker.ts', '')
    this.write('packages/server/src/explorer/built/assets.json', '{}')
    this.write('package-lock.json', lockOf('1.0.0'))
    for (const [name, version] of Object.entries(installed)) this.put(name, version)
    // Both write down how they were called.
    this.bun('')
    this.program('bin/npm', 'echo "npm $*" >> "$CALLS"')
  }

  #copyTool(name: string): void {
    mkdirSync(join(this.path, 'tools'), { recursive: true })
    copyFileSync(join(ROOT, 'tools', name), join(this.path, 'tools', name))
  }

  /** Gives it a Bun that builds by this script. */
  bun(build: string): void {
    this.program('node_modules/.bin/bun', `echo "bun $1 \${2-}" >> "$CALLS"\nif [ "$1" = build ]; then ${build}:; fi`)
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true })
    writeFileSync(join(this.path, path), text)
  }

  program(path: string, script: string): void {
    this.write(path, `#!/bin/sh\n${script}\n`)
    chmodSync(join(this.path, path), 0o755)
  }

  put(name: string, version: string): void {
    this.write(`node_modules/${name}/package.json`, JSON.stringify({ name, version }))
    if (name === 'dev-one') this.program('node_modules/.bin/tsc', '')
  }

  /** Runs a file through tools/with-bun, and returns how npm and Bun were called. */
  calls(file: string): Promise<string[]> {
    return this.#calls([join(this.path, 'tools', 'with-bun'), join(this.path, file)])
  }

  /** Runs the launcher, and returns how npm, Bun and the program that it compiled were called. */
  launched(...argv: readonly string[]): Promise<string[]> {
    copyFileSync(join(ROOT, 'packages/server/nomenclator'), join(this.path, 'packages/server/nomenclator'))
    return this.#calls([join(this.path, 'packages/server/nomenclator'), ...argv])
  }

  async #calls(command: readonly string[]): Promise<string[]> {
    const log = join(this.path, 'calls')
    writeFileSync(log, '')
    const env = { CALLS: log, PATH: `${join(this.path, 'bin')}:${process.env.PATH}` }
    const { code, err } = await ran(command, { env })
    if (code !== 0) throw new Error(err)
    const calls = readFileSync(log, 'utf8')
      .replaceAll(/(?<= )[^ ]*(?=(?:packages|test|tools)\/)/g, '')
      .trim()
    return calls.split('\n').map((call) => call.trimEnd())
  }
}

const lockOf = (version: string) =>
  JSON.stringify({
    packages: {
      '': { version: '0.0.0' },
      'packages/server': { version: '0.0.0' },
      'node_modules/nomenclator': { resolved: 'packages/server', link: true },
      'node_modules/served-one': { version },
      'node_modules/dev-one': { version, dev: true },
      'node_modules/never-one': { version, optional: true },
    },
  })

const PROGRAM = 'packages/server/src/main.ts'
const TESTS = 'test/run.ts'
const CI = '--prefer-offline --no-fund --no-audit --loglevel=error'
const [ALL, OLD] = [
  { 'served-one': '1.0.0', 'dev-one': '1.0.0' },
  { 'served-one': '0.9.0', 'dev-one': '1.0.0' },
]

describe('tools/with-bun', () => {
  const cases: [string, Readonly<Record<string, string>>, string, string[]][] = [
    ['the program runs at once after npm ci', ALL, PROGRAM, []],
    ['tests run at once after npm ci', ALL, TESTS, []],
    ['the program needs no development packages', { 'served-one': '1.0.0' }, PROGRAM, []],
    ['the program installs only what it needs in a fresh clone', {}, PROGRAM, [`npm ci --omit=dev ${CI}`]],
    ['tests install everything in a fresh clone', {}, TESTS, [`npm ci ${CI}`]],
    ['tests install what serving did not need', { 'served-one': '1.0.0' }, TESTS, [`npm ci ${CI}`]],
    ['another version counts as missing, and development packages stay', OLD, PROGRAM, [`npm ci ${CI}`]],
  ]
  test.each(cases)('%s', async (_what, installed, file, npm) => {
    using checkout = new Checkout(installed)
    expect(await checkout.calls(file)).toEqual([...npm, `bun ${file}`])
    // A second run finds everything installed.
    expect(await checkout.calls(file)).toEqual([`bun ${file}`])
  })

  test('looks again when the lock file has changed', async () => {
    using checkout = new Checkout(ALL)
    await checkout.calls(PROGRAM)
    checkout.write('package-lock.json', lockOf('1.1.0'))
    expect(await checkout.calls(PROGRAM)).toEqual([`npm ci ${CI}`, `bun ${PROGRAM}`])
  })

  test('bundles what browsers load when it is missing or older than its sources', async () => {
    using checkout = new Checkout(ALL)
    const bundle = join(checkout.path, 'packages/server/src/explorer/built/assets.json')
    await ran(['touch', '-d', '2020-01-01', bundle])
    expect(await checkout.calls(PROGRAM)).toEqual(['bun tools/bundle-explorer.ts', `bun ${PROGRAM}`])
    expect(existsSync(bundle)).toBe(true)
  })
})

describe('the launcher', () => {
  const COMPILES = `echo 'echo "compiled $*" >> "$CALLS"' > nomenclator; chmod +x nomenclator; `
  const COMPILING = [`bun ${PROGRAM} --version`, 'bun build --compile']
  const FROM_SOURCES = [`bun ${PROGRAM} serve`]
  const compiledIn = (checkout: Checkout) => join(checkout.path, 'packages/server/node_modules/.compiled')

  test('compiles the program at its first start, and runs that until a source is another', async () => {
    using checkout = new Checkout(ALL)
    checkout.bun(COMPILES)
    expect(await checkout.launched('health')).toEqual([`bun ${PROGRAM} health`])
    for (const source of ['1', '2', '3', '1']) {
      checkout.write('packages/server/src/http/a.ts', source)
      expect(await checkout.launched('serve', '--port', '0')).toEqual([...COMPILING, 'compiled serve --port 0'])
      expect(await checkout.launched('serve')).toEqual(['compiled serve'])
      expect(await checkout.launched('health')).toEqual(['compiled health'])
    }
    // The one before is kept for those that run it.
    expect(readdirSync(compiledIn(checkout))).toHaveLength(2)
  })

  test.each([
    ['that fails', 'echo half > nomenclator; exit 1; '],
    ['during which a source changes', `${COMPILES}echo 2 > "$CALLS.d/packages/server/src/a.ts"; `],
  ])('a compilation %s leaves nothing, and the sources are run', async (_, script) => {
    using checkout = new Checkout(ALL)
    checkout.write('packages/server/src/a.ts', '1')
    symlinkSync('.', join(checkout.path, 'calls.d'))
    checkout.bun(script)
    expect(await checkout.launched('serve')).toEqual([...COMPILING, ...FROM_SOURCES])
    expect(readdirSync(compiledIn(checkout))).toEqual([])
  })

  test('runs the sources where nothing can be kept', async () => {
    using checkout = new Checkout(ALL)
    checkout.write('packages/server/node_modules', 'a file')
    expect(await checkout.launched('serve')).toEqual(FROM_SOURCES)
  })
})

test('npm start is the program itself: a shell between would take the signal that is meant for it', async () => {
  using directory = new TestDirectory()
  const program = join(directory.path, 'nomenclator')
  writeFileSync(program, '#!/bin/sh\necho $$\n')
  chmodSync(program, 0o755)
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dir, '..', '..', 'package.json'), 'utf8'))
  // `&& true` keeps the shell from replacing itself by the program, as some shells do with their last command.
  const child = Bun.spawn(['sh', '-c', `${scripts.start} && true`], { cwd: directory.path, stdout: 'pipe' })
  expect(Number(await child.stdout.text())).toBe(child.pid)
})

describe('npm run dev', () => {
  test.each([
    ['http/routes.ts', true],
    ['explorer/browser/explorer.css', true],
    ['explorer/built/assets.json', false],
    ['built/assets.json', false],
    ['release/rebuilt/a.ts', true],
  ])('%s is a source: %p', (file, expected) => {
    expect(isSource(file)).toBe(expected)
  })

  test('starts again after changes, once for all that come together', async () => {
    using directory = new TestDirectory()
    const log = join(directory.path, 'log')
    const sources = join(directory.path, 'sources')
    mkdirSync(join(sources, 'http'), { recursive: true })
    writeFileSync(log, '')
    const lines = () => readFileSync(log, 'utf8').trim().split('\n')
    // The program ends at SIGTERM, as a server does.
    const script = `echo start >> ${log}; trap 'echo end >> ${log}; exit 0' TERM; while :; do sleep 0.02; done`
    {
      await using _dev = new Restarting(['sh', '-c', script], [sources])
      await eventually('it has started', () => lines().join() === 'start')
      writeFileSync(join(sources, 'http', 'one.ts'), '1')
      writeFileSync(join(sources, 'http', 'two.ts'), '2')
      await eventually('it has started again', () => lines().length >= 3)
      expect(lines()).toEqual(['start', 'end', 'start'])
    }
    expect(lines()).toEqual(['start', 'end', 'start', 'end'])
  })
})
