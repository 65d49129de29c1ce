// The manual page has every command, flag, variable and default, and the formatters take it without a warning.
import { describe, expect, test } from 'bun:test'
import { ran } from '../../../../../test/support/command.ts'
import { type Command, command, usageOf } from '../command.ts'
import { text } from '../flags/flags.ts'
import { allCommands } from '../run.ts'
import { manualPage } from './man.ts'

const commands = await allCommands()

const page = manualPage(commands)
/** The page as a reader sees it: without requests, fonts and the breaks of lines. */
const shown = (source: string) =>
  source
    .replace(/^\.(?:SS|SH) "?(.*?)"?$/gm, '§$1§')
    .replace(/^\.\w+ ?/gm, '')
    .replace(/\\f[BIR]|\\&/g, '')
    .replaceAll('\\-', '-')
    .replaceAll('\\e', '\\')
    .replace(/\s+/g, ' ')

describe.each(commands.map((one) => [one.name, one] as const))('%s', (_name, one) => {
  const heading = `§${usageOf(one).replace(/^\S+ /, '')}§`
  const part = shown(page).split(heading)[1]?.split('§')[0] ?? ''

  test('has its description and every flag with its variable and default', () => {
    expect(part).toContain(one.description)
    for (const [name, { value, env, description, defaultValue }] of Object.entries(one.flags)) {
      expect(part).toContain(`--${name}${value === undefined ? '' : ` ${value}`} `)
      expect(part.toLowerCase()).toContain(description.toLowerCase())
      if (env !== undefined) expect(part).toContain(`Variable: ${env}.`)
      if (defaultValue !== undefined) expect(part).toContain(`Default: ${defaultValue}.`)
    }
  })
})

const tools = [
  ['mandoc', ['mandoc', '-Tlint']],
  ['man', ['man', '--warnings', '-Tutf8', '-l', '-']],
] as const
describe.each(tools)('%s', (tool, call) => {
  const odd: Command = command({
    name: 'odd',
    description: '.begins with a point, has a back\\slash, and an \'apostrophe\' "quoted" where a line may begin.',
    flags: { odd: { value: 'TEXT', description: "'tis odd", parse: text } },
    examples: ['odd'],
    run: async () => 0,
  })
  test.skipIf(Bun.which(tool) === null).each([
    ['the page', page],
    ['words that look like requests', manualPage([odd])],
  ])('takes %s without a warning', async (_what, source) => {
    const { code, out, err } = await ran(call, { input: source, env: { LC_ALL: 'C.UTF-8', MANWIDTH: '80' } })
    expect([code, err, tool === 'mandoc' ? out : '']).toEqual([0, '', ''])
  })
})
