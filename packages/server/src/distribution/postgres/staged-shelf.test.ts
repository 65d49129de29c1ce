// A home whose changes count only once they are published: what is current there is a copy.
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { StagedShelf } from './staged-shelf.ts'

test('begins with what the home has, changes a copy, and leaves nothing', () => {
  using home = new TestDirectory()
  writeFileSync(join(home.path, 'current'), 'a\n')
  writeFileSync(join(home.path, 'id-registry.json'), '{}\n')
  {
    using staged = new StagedShelf(home.path)
    expect(staged.state).toEqual({ history: 'a\n', idRegistry: '{}\n' })
    writeFileSync(staged.currentFile, 'b\n')
    expect(staged.state.history).toBe('b\n')
    expect(readFileSync(join(home.path, 'current'), 'utf8')).toBe('a\n')
  }
  expect(existsSync(join(home.path, 'staged'))).toBe(false)
})

test('has nothing of a change that was cut short', () => {
  using home = new TestDirectory()
  mkdirSync(join(home.path, 'staged'))
  for (const name of ['current', 'id-registry.json']) writeFileSync(join(home.path, 'staged', name), 'x\n')
  using staged = new StagedShelf(home.path)
  expect(staged.state).toEqual({ history: '', idRegistry: '' })
})
