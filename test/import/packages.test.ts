// Three small packages, imported and served: each request that a list offers is made to theirs.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ran } from '../support/command.ts'
import { TestDirectory } from '../support/releases.ts'

setDefaultTimeout(180_000)

const check = (directory: string) =>
  ran([process.execPath, join(import.meta.dir, '..', 'packages', 'check.ts'), directory])

test('all lists are sound, and so is the home with them; a package that is refused is reported with the reason', async () => {
  using directory = new TestDirectory()
  cpSync(join(import.meta.dir, '..', 'data', 'packages'), directory.path, { recursive: true })
  mkdirSync(join(directory.path, 'broken'))
  writeFileSync(join(directory.path, 'broken', 'datapackage.json'), '{\n  "name": "broken",\n')
  const { code, out, err } = await check(directory.path)
  expect(err).toBe('')
  expect(out).toContain('The home with all of them: verified, mirrored, exported')
  expect(out).toContain('4 packages')
  expect(out).toContain(', 0 faults')
  expect(out).toMatch(/broken +refused .*datapackage\.json:3/)
  expect(out).toMatch(/units +2 +[0-9]+ +nothing to do/)
  expect(code).toBe(0)
})

test('a directory that is not there is refused', async () => {
  const { code, err } = await check('/nowhere')
  expect(err).toContain('Usage')
  expect(code).toBe(2)
})
