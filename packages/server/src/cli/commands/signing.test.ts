// Calls of sign and keygen that are refused before anything is signed, and what a signature does to those who follow.
import { expect, test } from 'bun:test'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory, TestHome } from '../../../../../test/support/releases.ts'
import { smallSource } from '../../../../../test/support/small-source.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { UsageError } from '../flags/flags.ts'
import { run } from '../run.ts'

const silent = { out: () => {}, err: () => {}, data: () => {}, interactive: false }
const refused = (...argv: string[]) => run(argv, {}, silent).catch((error: unknown) => error)

test.each([
  ['neither a key nor a signature', []],
  ['both of them', ['--key', 'a.key', '--signature', 'a.minisig']],
])('sign with %s is a wrong call', async (_, flags) => {
  expect(await refused('sign', ...flags)).toBeInstanceOf(UsageError)
})

test('a password file that begins with an empty line is refused', async () => {
  using directory = new TestDirectory()
  const password = join(directory.path, 'password')
  writeFileSync(password, '\nsecret\n')
  const error = await refused('keygen', '--out', join(directory.path, 'k'), '--password-file', password)
  expect(error).toBeInstanceOf(OperationalError)
  expect((error as OperationalError).message).toContain('begins with an empty line')
})

test('whoever follows the current release looks at it again once it is signed', async () => {
  using home = new TestHome()
  await home.import(smallSource({}))
  const name = join(home.path, 'k')
  await run(['keygen', '--out', name], {}, silent)
  const before = statSync(home.store.currentFile, { bigint: true })
  expect(await run(['sign', '--key', `${name}.key`, '--home', home.path], {}, silent)).toBe(0)
  const after = statSync(home.store.currentFile, { bigint: true })
  expect([after.ino, after.mtimeNs]).not.toEqual([before.ino, before.mtimeNs])
})
