// From arguments to help, to a command, or to a clear no.
import { describe, expect, test } from 'bun:test'
import { recordingTerminal } from '../../../../test/support/command.ts'
import { version } from '../base/version.ts'
import { UsageError } from './flags/flags.ts'
import { allCommands, groups, run } from './run.ts'

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

test.each(groups.map((group) => [group.words, group] as const))(
  '%j call what their file declares',
  async (words, { load }) => {
    expect([...new Set((await load()).map(({ name }) => name.split(' ')[0]))]).toEqual([...words])
  },
)

test.each([['packages remove', 'remove']])('%s is %s', async (typed, meant) => {
  expect(await ran(...typed.split(' '), '--help')).toEqual(await ran(meant, '--help'))
  expect(await refused(...typed.split(' '))).toBe(await refused(meant))
})

describe('the overview', () => {
  test.each([[[]], [['help']], [['--help']], [['-h']]])('for %j names every command and what it does', async (argv) => {
    const { code, out, err } = await ran(...argv)
    expect(code).toBe(0)
    expect(err).toBe('')
    for (const { name, description } of commands)
      expect(out).toMatch(new RegExp(`^  ${name} +${escaped(description)}$`, 'm'))
    expect(out).toContain('--version')
  })

  test.each(families)('of %s names the commands that begin so', async (family) => {
    const { out } = await ran(family, '--help')
    const own = commands.find(({ name }) => name === family)
    for (const { name } of commands.filter((command) => command.name.startsWith(`${family} `)))
      if (own === undefined) expect(out).toMatch(new RegExp(`^  ${name} `, 'm'))
  })
})

describe.each(commands.map((command) => [command.name, command] as const))('the help of %s', (name, command) => {
  test.each(['--help', '-h'])(
    'by %s shows every flag with its variable and default, and the examples',
    async (flag) => {
      const { code, out } = await ran(...name.split(' '), flag)
      expect(code).toBe(0)
      expect(out).toStartWith(`${command.description}\n\nUsage: nomenclator ${name} `)
      for (const [flag, { value, env, description, defaultValue }] of Object.entries(command.flags)) {
        const line = out
          .split('\n')
          .find((text) => text.startsWith(`  --${flag}${value === undefined ? '' : ` ${value}`} `))
        expect(line, `--${flag}`).toContain(description)
        if (env !== undefined) expect(line).toContain(env)
        if (defaultValue !== undefined) expect(line).toContain(`default ${defaultValue}`)
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

describe('what is refused', () => {
  test('a command that is not there', async () => {
    expect(await refused('frobnicate')).toBe('there is no command frobnicate')
  })

  test('a mistyped command, with the one that was meant', async () => {
    expect(await refused('sevre')).toBe('there is no command sevre; did you mean serve?')
    expect(await refused('improt', 'bundled')).toBe('there is no command improt; did you mean import?')
  })

  test('the first word of a command alone, with what can follow', async () => {
    const said = await refused('import')
    expect(said).toStartWith('import is not complete or not known; there are: ')
    for (const { name } of commands.filter((command) => command.name.startsWith('import ')))
      expect(said).toContain(name)
    expect(await refused('import', 'budled')).toStartWith('import budled is not complete or not known')
  })

  test.each([
    ['import tabular', 'import package'],
    ['export tabular', 'export package'],
  ])('%s, with the command that it has become', async (before, now) => {
    expect(await refused(...before.split(' '), 'dir')).toBe(`${before} is now ${now}: nomenclator ${now} DIR`)
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
