// The candidates for the next word of a command line, and that the shells offer them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ran } from '../../../../test/support/command.ts'
import { TestDirectory, TestHome } from '../../../../test/support/releases.ts'
import { allCommands, firstWords } from './command-table.ts'
import { COMPLETION_SCRIPTS } from './commands/completion.ts'
import { candidates } from './complete.ts'

const commands = await allCommands()
const ROOT = join(import.meta.dir, '..', '..', '..', '..')
const shells = ['bash', 'zsh', 'fish'] as const

const starting = (words: readonly string[], start: string) => words.filter((word) => word.startsWith(start))
const after = (first: string) =>
  commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.split(' ')[1] as string)
const flagsOf = (wanted: string) => [
  ...Object.keys(commands.find(({ name }) => name === wanted)?.flags ?? {}).map((name) => `--${name}`),
  '--help',
]

const cases: readonly [line: string, expected: readonly string[]][] = [
  ['', [...firstWords, 'help', '--help', '--version']],
  ['re', starting(firstWords, 're')],
  ['import ', after('import')],
  ['import in', ['inegi']],
  ['help import b', ['boundaries', 'bundled']],
  ['releases p', ['prune']],
  ['serve ', flagsOf('serve')],
  ['serve --', flagsOf('serve')],
  ['serve --workers 2 --por', ['--port']],
  ['releases --j', ['--json']],
  ['releases show --j', ['--json']],
  ['releases --json --j', []],
  ['serve --log-format ', ['auto', 'text', 'json']],
  ['serve --port ', []],
  ['serve --home pack', []],
  ['completion ', shells],
  ['frobnicate ', []],
]

test.each(cases)('after "nomenclator %s"', async (line, expected) => {
  const offered = await candidates(line.split(' '), { NOMENCLATOR_HOME: '/nowhere' })
  expect([...offered].sort()).toEqual([...expected].sort())
})

test('every command and flag is offered, but not the command that the shells call', async () => {
  expect(await candidates(['__'], {})).toEqual([])
  for (const { name, flags } of commands) {
    const words = name.split(' ')
    expect(await candidates(words, {})).toContain(words.at(-1) as string)
    expect(await candidates([...words, '--'], {})).toEqual([...Object.keys(flags).map((flag) => `--${flag}`), '--help'])
  }
})

describe('in a home', () => {
  const home = new TestHome()
  afterAll(() => home[Symbol.dispose]())
  let digest = ''
  beforeAll(async () => {
    const offices = join(ROOT, 'test', 'data', 'packages', 'offices')
    const { code } = await ran([join(ROOT, 'nomenclator'), 'import', 'package', offices, '--home', home.path])
    expect(code).toBe(0)
    digest = home.store.digests()[0]?.slice(0, 12) as string
  })

  test('releases and packages are offered', async () => {
    const variable = { NOMENCLATOR_HOME: home.path }
    expect(await candidates(['diff', digest, ''], variable)).toEqual([digest])
    expect(await candidates(['releases', 'show', digest.slice(0, 3)], variable)).toEqual([digest])
    expect(await candidates(['activate', '--home', home.path, ''], {})).toEqual([digest])
    expect(await candidates(['remove', 'o'], variable)).toEqual(['oficinas-inventadas'])
  })

  /** The lines to complete; each gives the words that the shell offers. */
  const offers = {
    bash: (script: string, lines: readonly string[]) => [
      ...['bash', '--norc', '-c'],
      `source ${script}
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _nomenclator; echo "\${COMPREPLY[*]}"; }
      ${lines.map((line) => `try nomenclator ${line.split(' ').map(quoted).join(' ')}`).join('\n')}`,
    ],
    zsh: (script: string, lines: readonly string[]) => [
      ...['zsh', '-f', join(ROOT, 'test', 'support', 'offered.zsh'), script],
      ...lines.map((line) => `nomenclator ${line}`),
    ],
    fish: (script: string, lines: readonly string[]) => [
      ...['fish', '--no-config', '-c'],
      `source ${script}
      ${lines.map((line) => `echo (complete -C ${quoted(`nomenclator ${line}`)} | string replace -r '\\t.*' '')`).join('\n')}`,
    ],
  }
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

  describe.each(shells)('%s', (shell) => {
    const scratch = new TestDirectory()
    afterAll(() => scratch[Symbol.dispose]())
    const script = join(scratch.path, 'completion')
    writeFileSync(script, COMPLETION_SCRIPTS[shell])
    const program = join(scratch.path, 'nomenclator')
    writeFileSync(program, `#!/bin/sh\nexec ${join(ROOT, 'nomenclator')} "$@"\n`)
    chmodSync(program, 0o755)

    test.skipIf(Bun.which(shell) === null)('offers what may come next', async () => {
      const env = { PATH: `${scratch.path}:${process.env.PATH}`, HOME: scratch.path, NOMENCLATOR_HOME: home.path }
      const lines = [
        'help import b',
        'serve --log-format ',
        'releases show ',
        'remove o',
        'releases --j',
        'completion z',
      ]
      const { code, out, err } = await ran(offers[shell](script, lines), { cwd: scratch.path, env })
      expect([code, err]).toEqual([0, ''])
      const offered = out.split('\n').slice(0, -1)
      expect(offered.map((line) => line.split(' ').sort())).toEqual([
        ['bundled'],
        ['auto', 'json', 'text'],
        [digest],
        ['oficinas-inventadas'],
        ['--json'],
        ['zsh'],
      ])
    })
  })
})

test('bash offers files where there are no candidates', async () => {
  const harness = `source /dev/stdin; complete -p nomenclator`
  const { out } = await ran(['bash', '--norc', '-c', harness], { input: COMPLETION_SCRIPTS.bash })
  expect(out).toBe('complete -o default -F _nomenclator nomenclator\n')
})
