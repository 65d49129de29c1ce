// The examples of docs/resolve.md: each row means what the page says.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundledRelease } from '../support/releases.ts'
import { answerTo } from '../support/written-rows.ts'

setDefaultTimeout(180_000)

const text = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'resolve.md'), 'utf8')
const tables = text.split('| written | means | verdict |\n|---|---|---|\n').slice(1)
const EXAMPLE = /^\| `(.+)` \| (.+) \| `(\w+)` \|$/
const examples = tables.flatMap((table) =>
  table
    .slice(0, table.indexOf('\n\n'))
    .split('\n')
    .map((line) => (EXAMPLE.exec(line) ?? [line, '', '', '']).slice(1) as [string, string, string]),
)

test.each(examples)('%s means %s, %s', async (written, means, verdict) => {
  const expected = means === '–' ? verdict : `${verdict} ${means}`
  expect(answerTo(await bundledRelease(), written)).toBe(expected)
})

test('there is an example of every verdict', () => {
  expect(new Set(examples.map(([, , verdict]) => verdict))).toEqual(
    new Set(['exact', 'sure', 'likely', 'ambiguous', 'none']),
  )
})
