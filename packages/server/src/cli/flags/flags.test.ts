// Arguments and environment become values, or mistakes that say what is allowed.
import { describe, expect, test } from 'bun:test'
import { type Environment, type Flag, readFlags, text, UsageError, wholeNumber, yes } from './flags.ts'

const flags = {
  host: { value: 'ADDRESS', env: 'HOST', description: 'address', defaultValue: '127.0.0.1', parse: text },
  port: { value: 'PORT', env: 'PORT', description: 'port', defaultValue: '8080', parse: wholeNumber(0, 65_535) },
  home: { value: 'DIR', env: 'NOMENCLATOR_HOME', description: 'directory', parse: text },
  json: { description: 'as JSON', parse: yes },
} as const satisfies Record<string, Flag<unknown>>

const read = (argv: string[], env: Environment = {}) => readFlags(flags, argv, env)

function mistakesOf(argv: string[], env: Environment = {}): string[] {
  try {
    read(argv, env)
  } catch (error) {
    if (error instanceof UsageError) return error.message.split('\n')
    throw error
  }
  return []
}

const DEFAULTS = { host: '127.0.0.1', port: 8080, home: undefined, json: false }

describe('flags are read', () => {
  const cases: [string, string[], Environment, Record<string, unknown>, string[]][] = [
    ['nothing given', [], {}, {}, []],
    ['a flag and its value', ['--port', '0'], {}, { port: 0 }, []],
    ['a flag and its value in one', ['--port=65535'], {}, { port: 65_535 }, []],
    ['a switch', ['--json'], {}, { json: true }, []],
    ['a variable', [], { PORT: '81', NOMENCLATOR_HOME: '/srv' }, { port: 81, home: '/srv' }, []],
    ['a flag goes before its variable', ['--port', '82'], { PORT: '81' }, { port: 82 }, []],
    ['a flag goes before a wrong variable', ['--port', '82'], { PORT: 'x' }, { port: 82 }, []],
    ['an empty variable counts as none', [], { PORT: '', HOST: '' }, {}, []],
    ['a variable of no flag is not looked at', [], { JSON: '1', PATH: '/bin' }, {}, []],
    ['operands among the flags', ['a', '--json', 'b'], {}, { json: true }, ['a', 'b']],
    ['after -- all are operands', ['--', '--port', 'x'], {}, {}, ['--port', 'x']],
  ]
  test.each(cases)('%s', (_what, argv, env, changed, operands) => {
    expect(read(argv, env)).toEqual({ values: { ...DEFAULTS, ...changed } as never, operands })
  })

  test('the values have the types that the flags give', () => {
    const { values } = read([])
    const typed: { host: string; port: number; home: string | undefined; json: boolean } = values
    expect(typed.port + 1).toBe(8081)
  })
})

describe('flags are refused', () => {
  const PORT = 'allowed is a whole number from 0 to 65535'
  const cases: [string, string[], Environment, string][] = [
    ['an unknown flag', ['--verbose'], {}, 'there is no flag --verbose'],
    ['a mistyped flag', ['--prot', '80'], {}, 'there is no flag --prot; did you mean --port?'],
    ['a short flag', ['-x'], {}, 'there is no flag -x'],
    ['a value that is not a number', ['--port', '80a'], {}, `--port was "80a"; ${PORT}`],
    ['a value that is too large', ['--port', '65536'], {}, `--port was "65536"; ${PORT}`],
    ['a value with a sign', ['--port=-1'], {}, `--port was "-1"; ${PORT}`],
    ['a value with a fraction', ['--port', '1.5'], {}, `--port was "1.5"; ${PORT}`],
    ['a wrong variable, by its name', [], { PORT: '80a' }, `PORT was "80a"; ${PORT}`],
    ['a flag without its value', ['--port'], {}, '--port needs a value: --port PORT'],
    ['a flag with an empty value', ['--port='], {}, '--port needs a value: --port PORT'],
    ['a switch with a value', ['--json=yes'], {}, '--json takes no value'],
    ['a flag given twice', ['--port', '1', '--port', '2'], {}, '--port was given twice'],
    ['a switch given twice', ['--json', '--json'], {}, '--json was given twice'],
  ]
  test.each(cases)('%s', (_what, argv, env, mistake) => {
    // A word left over by an unknown flag is not its value.
    expect(mistakesOf(argv, env)).toEqual([mistake])
  })

  test('all mistakes are reported at once', () => {
    expect(mistakesOf(['--prot', '80', '--json=1', '--host'], { PORT: '99999' })).toEqual([
      'there is no flag --prot; did you mean --port?',
      '--json takes no value',
      '--host needs a value: --host ADDRESS',
      `PORT was "99999"; ${PORT}`,
    ])
  })
})

describe('wholeNumber', () => {
  const parse = wholeNumber(1, 1_000)
  const cases: [string, number | undefined][] = [
    ['1', 1],
    ['1000', 1_000],
    ['0', undefined],
    ['1001', undefined],
    ['', undefined],
    [' 1', undefined],
    ['1e2', undefined],
    ['0x10', undefined],
    ['١', undefined],
    ['1'.repeat(16), undefined],
  ]
  test.each(cases)('%p', (given, expected) => {
    expect(parse(given)).toEqual(expected ?? { allowed: 'a whole number from 1 to 1000' })
  })
})

test('a wrong value that may hold a secret is shown without it', () => {
  const shelf = {
    value: 'URL',
    env: 'SHELF',
    description: 'shelf',
    parse: () => ({ allowed: 'another' }),
    shown: (given: string) => given.replace('secret', '…'),
  } as const satisfies Flag<unknown>
  expect(() => readFlags({ shelf }, ['--shelf', 'a:secret@b'], {})).toThrow('--shelf was "a:…@b"; allowed is another')
  expect(() => readFlags({ shelf }, [], { SHELF: 'a:secret@b' })).toThrow('SHELF was "a:…@b"; allowed is another')
})
