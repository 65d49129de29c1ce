// Three small packages, imported and served: whatever may be asked of a list is asked of theirs.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ran } from '../support/command.ts'
import { TestDirectory } from '../support/releases.ts'

setDefaultTimeout(180_000)

const check = (directory: string) =>
  ran([process.execPath, join(import.meta.dir, '..', 'packages', 'check.ts'), directory])

test('all lists are sound, and so is the home with them', async () => {
  const { code, out, err } = await check(join(import.meta.dir, '..', 'data', 'packages'))
  expect(err).toBe('')
  expect(out).toContain('The home with all of them: verified, mirrored, exported')
  expect(out).toContain('3 packages')
  expect(out).toContain(', 0 faults')
  expect(code).toBe(0)
})

test('a package that is refused is told with its reason, and the others are served', async () => {
  using directory = new TestDirectory()
  for (const name of ['broken', 'sound']) mkdirSync(join(directory.path, name))
  writeFileSync(join(directory.path, 'broken', 'datapackage.json'), '{\n  "name": "broken",\n')
  writeFileSync(join(directory.path, 'sound', 'colours.csv'), 'code,name\nr,Red\ng,Green\n')
  const { code, out } = await check(directory.path)
  expect(out).toMatch(/broken +refused .*datapackage\.json:3/)
  expect(out).toMatch(/sound +1 +2 +nothing to do/)
  expect(code).toBe(0)
})

test('a directory that is not there is told', async () => {
  const { code, err } = await check('/nowhere')
  expect(err).toContain('Usage')
  expect(code).toBe(2)
})
