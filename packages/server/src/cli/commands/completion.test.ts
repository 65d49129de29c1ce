// Completion scripts have every command and flag, and offer in the shells themselves what may come next.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ran } from '../../../../../test/support/command.ts'
import { allCommands } from '../run.ts'
import { completionScript } from './completion.ts'

const commands = await allCommands()

const ROOT = join(import.meta.dir, '..', '..', '..', '..', '..')
const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-completion-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]
const scripts = Object.fromEntries(
  shells.map((shell) => {
    const path = join(scratch, `completion.${shell}`)
    writeFileSync(path, completionScript(shell, commands))
    return [shell, path]
  }),
) as Record<Shell, string>

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The lines to complete go after the name of the program; each gives the words that are offered. */
const offers: Record<Shell, (lines: readonly string[]) => Promise<string[]>> = {
  bash: (lines) => {
    const calls = lines.map((line) => `try nomenclator ${line.split(' ').map(quote).join(' ')}`)
    const harness = `source ${scripts.bash}
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _nomenclator; echo "\${COMPREPLY[*]}"; }
      ${calls.join('\n')}`
    return output(['bash', '--norc', '-c', harness])
  },
  zsh: (lines) =>
    output([
      'zsh',
      '-f',
      join(ROOT, 'test', 'support', 'offered.zsh'),
      scripts.zsh,
      ...lines.map((line) => `nomenclator ${line}`),
    ]),
  fish: (lines) => {
    const calls = lines.map(
      (line) => `echo (complete -C ${quote(`nomenclator ${line}`)} | string replace -r '\\t.*' '')`,
    )
    return output(['fish', '--no-config', '-c', `source ${scripts.fish}\n${calls.join('\n')}`])
  },
}

async function output(command: string[]): Promise<string[]> {
  const { code, out, err } = await ran(command, { cwd: ROOT, env: { HOME: scratch } })
  expect([code, err]).toEqual([0, ''])
  return out.split('\n').slice(0, -1)
}

describe.each(shells)('%s', (shell) => {
  const script = completionScript(shell, commands)
  const isThere = Bun.which(shell) !== null

  test('has every word of every command', () => {
    for (const word of commands.flatMap(({ name }) => name.split(' '))) expect(script).toContain(word)
  })

  test('has every flag of every command, in what belongs to that command', () => {
    const marks: Record<Shell, (name: string) => RegExp> = {
      bash: (name) => new RegExp(`^    '${name}'\\) flags='(.*)' ;;$`, 'm'),
      zsh: (name) => new RegExp(`^    '${name} '\\*\\)\\n([^]*?)\\n      ;;`, 'm'),
      fish: (name) => new RegExp(`((?:^complete .* '__nomenclator_in \\\\'${name}\\\\'' .*\\n)+)`, 'm'),
    }
    for (const { name, flags } of commands) {
      const [, part = ''] = script.match(marks[shell](name)) ?? []
      for (const flag of [...Object.keys(flags), 'help'])
        expect(part, `${name} --${flag}`).toMatch(new RegExp(shell === 'fish' ? `-l ${flag} ` : `--${flag}(?![\\w-])`))
    }
  })

  test.skipIf(!isThere)('is a script that the shell can read', async () => {
    expect((await ran([shell, '-n', scripts[shell]])).code).toBe(0)
  })

  const firstWords = [...new Set(commands.map(({ name }) => name.split(' ')[0] as string))]
  const after = (first: string) =>
    commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.split(' ')[1] as string)
  const flagsOf = (wanted: string) => Object.keys(commands.find(({ name }) => name === wanted)?.flags ?? {})
  const starting = (words: readonly string[], start: string) => words.filter((word) => word.startsWith(start))
  const cases: readonly [line: string, expected: readonly string[]][] = [
    ['re', starting(firstWords, 're')],
    ['import ', after('import')],
    ['import in', starting(after('import'), 'in')],
    ['help import b', starting(after('import'), 'b')],
    ['releases p', starting(after('releases'), 'p')],
    ['serve --', [...flagsOf('serve'), 'help'].map((flag) => `--${flag}`)],
    ['releases --j', ['--json']],
    ['releases show --j', ['--json']],
    ['serve --workers 2 --por', ['--port']],
    ['serve --log-format ', ['auto', 'text', 'json']],
    ['completion ', shells],
    ['export site dat', ['data']],
    ['serve --home pack', ['packages']],
    ['serve --port ', []],
  ]
  test.skipIf(!isThere)('offers what may come next', async () => {
    const offered = await offers[shell](cases.map(([line]) => line))
    const found = cases.map(([line], at) => [line, words(offered[at])])
    expect(found).toEqual(cases.map(([line, expected]) => [line, [...expected].sort()]))
  })

  const words = (line = '') =>
    line
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => word.replace(/\/$/, ''))
      .sort()
})

test('digests are those of the releases', async () => {
  const fake = join(scratch, 'nomenclator')
  writeFileSync(fake, "#!/bin/sh\nprintf '* 73b33cc3cd6c  2026 package\\n  516c073dbaf8  2026 bundled\\n'\n", {
    mode: 0o755,
  })
  const harness = `source ${scripts.bash}
    COMP_WORDS=(${fake} diff 5); COMP_CWORD=2; _nomenclator; echo "\${COMPREPLY[*]}"
    COMP_WORDS=(${fake} diff 516c ''); COMP_CWORD=3; _nomenclator; echo "\${COMPREPLY[*]}"`
  expect(await output(['bash', '--norc', '-c', harness])).toEqual(['516c073dbaf8', '73b33cc3cd6c 516c073dbaf8'])
})
