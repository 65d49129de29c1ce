// Arguments lead to help, to a command, or to a message that says what is wrong.
import { describe, expect, test } from 'bun:test'
import { recordingTerminal } from '../../../../test/support/command.ts'
import { version } from '../base/version.ts'
import { allCommands, sections } from './command-table.ts'
import { UsageError } from './flags/flags.ts'
import { run } from './run.ts'

const commands = await allCommands()

async function ran(...argv: string[]) {
  const { said, terminal } = recordingTerminal()
  return { code: await run(argv, {}, terminal), ...said }
}

async function refused(...argv: string[]): Promise<string> {
  const error = await ran(...argv).catch((thrown: unknown) => thrown)
  if (!(error instanceof UsageError)) throw new Error(`${argv.join(' ')} was not refused: ${Bun.inspect(error)}`)
  return error.message
}

const families = [
  ...new Set(commands.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0] as string)),
]

test.each(sections.flatMap(({ files }) => files).map((file) => [file.words, file] as const))(
  '%j call what their file declares',
  async (words, { load }) => {
    expect([...new Set((await load()).map(({ name }) => name.split(' ')[0]))]).toEqual([...words])
  },
)

describe('the overview', () => {
  test.each([[[]], [['help']], [['--help']], [['-h']]])('for %j fits on two screens of 80 columns', async (argv) => {
    const { code, out, err } = await ran(...argv)
    expect([code, err]).toEqual([0, ''])
    const lines = out.split('\n').slice(0, -1)
    expect(lines.length).toBeLessThanOrEqual(48)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.filter((line) => /^[A-Z][a-z]+(?: [a-z]+)*$/.test(line))).toEqual([
      'Serve',
      'Your lists',
      'Releases',
      'Many machines',
      'For developers',
    ])
    expect(out).toContain('--version')
    expect(out).not.toContain('__complete')
  })

  test('has every command with its summary, or leads to the help that has it', async () => {
    const { out } = await ran()
    const hasRow = (text: string, { name, summary }: (typeof commands)[number]) =>
      new RegExp(`^  ${name} +${escaped(summary)}$`, 'm').test(text)
    for (const command of commands) {
      if (hasRow(out, command)) continue
      const [first = ''] = command.name.split(' ')
      expect(out).toMatch(new RegExp(`^  ${first} `, 'm'))
      const { out: group } = await ran(first, '--help')
      expect(hasRow(group, command), command.name).toBe(true)
    }
  })

  test.each(families)('of %s names the commands that begin so', async (family) => {
    const { out } = await ran(family, '--help')
    for (const { name } of commands.filter((command) => command.name.startsWith(`${family} `)))
      expect(out).toMatch(new RegExp(`^  ${name} `, 'm'))
  })
})

describe.each(commands.map((command) => [command.name, command] as const))('the help of %s', (name, command) => {
  test.each(['--help', '-h'])(
    'by %s shows every flag with its variable and default, and the examples',
    async (flag) => {
      const { code, out } = await ran(...name.split(' '), flag)
      expect(code).toBe(0)
      const oneLine = (text: string) => text.replace(/\s+/g, ' ')
      const about = [`${command.summary}.`, ...(command.description === undefined ? [] : [command.description])]
      const [head = '', rest = ''] = out.split('\n\nUsage: ')
      expect(oneLine(head)).toBe(about.join(' '))
      expect(rest).toStartWith(`nomenclator ${name} `)
      const [before = ''] = out.split('\n\nExamples:')
      expect(before.split('\n').filter((line) => line.length > 80)).toEqual([])
      const entries = before.split(/^ {2}(?=--)/m).map(oneLine)
      for (const [flag, { value, env, description, defaultValue }] of Object.entries(command.flags)) {
        const entry = entries.find((text) => text.startsWith(`--${flag}${value === undefined ? '' : ` ${value}`} `))
        expect(entry, `--${flag}`).toContain(description)
        if (env !== undefined) expect(entry).toContain(env)
        if (defaultValue !== undefined) expect(entry).toContain(`default ${defaultValue}`)
      }
      for (const example of command.examples) expect(out).toContain(`  nomenclator ${example}\n`)
      if (command.operands !== undefined) expect(out).toContain(command.operands.usage)
    },
  )

  test('is the same when --help comes first', async () => {
    expect(await ran('help', ...name.split(' '))).toEqual(await ran(...name.split(' '), '--help'))
  })

  test('has examples that call it with flags that it has', () => {
    expect(command.examples).not.toBeEmpty()
    for (const example of command.examples) {
      expect(example).toStartWith(name)
      for (const [, flag] of example.matchAll(/--([a-z-]+)/g))
        expect(Object.keys(command.flags)).toContain(flag as string)
    }
  })
})

test('--version prints the version and nothing else', async () => {
  expect(await ran('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

describe('a call is refused with', () => {
  test('a command that is not there', async () => {
    expect(await refused('frobnicate')).toBe('there is no command frobnicate')
  })

  test('a mistyped command, with the one that was meant', async () => {
    expect(await refused('sevre')).toBe('there is no command sevre; did you mean serve?')
    expect(await refused('improt', 'bundled')).toBe('there is no command improt; did you mean import?')
  })

  test.each([
    ['start', 'serve'],
    ['run', 'serve'],
    ['up', 'serve'],
    ['ls', 'releases or packages'],
    ['list', 'releases or packages'],
    ['load', 'import package'],
    ['add', 'import package'],
    ['validate', 'check'],
  ])('%s, which other programs have, with what it is here', async (typed, meant) => {
    expect(await refused(typed, 'x')).toBe(`there is no command ${typed}; did you mean ${meant}?`)
    expect(await refused(typed, '--help')).toBe(`there is no command ${typed}; did you mean ${meant}?`)
  })

  test.each(['-v', '-V', '--vesion'])('%s, for which --version is suggested', async (typed) => {
    expect(await refused(typed)).toBe(`there is no flag ${typed}; did you mean --version?`)
  })

  test.each(['--port', '--home', '-p'])('%s before a command, with the place that flags have', async (typed) => {
    expect(await refused(typed, '1')).toBe(`there is no flag ${typed}; flags follow a command, as in serve --port 8080`)
  })

  test('version, for which --version is suggested', async () => {
    expect(await refused('version')).toBe('there is no command version; did you mean --version?')
  })

  test.each(['import', 'export', 'shelf'])('%s alone, with a line for each command that begins so', async (first) => {
    const message = await refused(first)
    expect(message).toStartWith(`${first} needs a second word\n\n  ${first} `)
    for (const { name, summary } of commands.filter((command) => command.name.startsWith(`${first} `)))
      expect(message).toMatch(new RegExp(`^  ${name} +${escaped(summary)}$`, 'm'))
  })

  test('a mistyped second word, with what was meant and what there is', async () => {
    const message = await refused('import', 'budled')
    expect(message).toStartWith('there is no command import budled; did you mean import bundled?\n\n  import package ')
  })

  test('a word too many', async () => {
    expect(await refused('serve', 'now')).toBe('"now" is one word too many')
  })

  test('a word too few, and one that is not among the choices', async () => {
    expect(await refused('activate')).toBe('DIGEST is missing')
    expect(await refused('completion', 'cmd')).toStartWith('"cmd" is not one of ')
  })

  test('a wrong flag, before anything is done', async () => {
    expect(await refused('serve', '--prot', '0')).toBe('there is no flag --prot; did you mean --port?')
    expect(await refused('import', 'synthetic', '--scale', '0', '--seed', 'x')).toBe(
      '--seed was "x"; allowed is a whole number from 0 to 4294967295\n' +
        '--scale was "0"; allowed is a whole number from 1 to 1000',
    )
  })
})

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
