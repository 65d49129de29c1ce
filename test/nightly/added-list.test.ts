// A list that ships is two files: with its table and its resource it is served, and all tests pass but the one that says which
// documents lack it.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { treeWithAddedList } from '../support/added-list.ts'
import { ran } from '../support/command.ts'

setDefaultTimeout(1_800_000)

/** The tests themselves; the rest of a run does not depend on lists. */
const SUITE = ['test', '--parallel=4', '--timeout', '180000', '--path-ignore-patterns=test/nightly/**']

test('with a list of twelve rows, one test fails, which names the documents', async () => {
  using tree = await treeWithAddedList()
  const run = (...argv: readonly string[]) => ran([process.execPath, ...argv], { cwd: tree.path })
  const { out, err } = await run(...SUITE)
  const failed = new Set(
    `${out}${err}`.split('\n').flatMap((line) => line.match(/^\(fail\) (.+?)(?: \[.+\])?$/)?.[1] ?? []),
  )
  expect([...failed]).toEqual([
    'no document lacks what follows from the lists and tables of the program; npm run record writes it',
  ])
  const lacking = [...new Set(`${out}${err}`.match(/[\w/.-]+ lacks: /g))]
  expect(lacking).toEqual(
    ['packages/client/src/built-in-types.ts', 'docs/built-in-lists.md', 'docs/resolve.es.md', 'docs/resolve.md'].map(
      (file) => `${file} lacks: `,
    ),
  )
})
