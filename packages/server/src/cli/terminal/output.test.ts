// Long output goes out piece by piece, and a file is there when all of it is.
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { outputTo, STANDARD } from './output.ts'

const terminal = (data: (text: string) => void = () => {}) => ({
  out: () => {},
  err: () => {},
  data,
  interactive: false,
})

test('standard output gets large pieces, and the rest at the end', () => {
  const pieces: string[] = []
  const output = outputTo(
    STANDARD,
    terminal((text) => pieces.push(text)),
  )
  output.write('a'.repeat(65_535))
  expect(pieces).toEqual([])
  output.write('b')
  expect(pieces.map(({ length }) => length)).toEqual([65_536])
  output.write('c')
  output.end()
  expect(pieces[1]).toBe('c')
})

test('a file keeps what it was until all is written', () => {
  using directory = new TestDirectory()
  const path = join(directory.path, 'a.csv')
  writeFileSync(path, 'before')
  const output = outputTo(path, terminal())
  output.write('x'.repeat(100_000))
  expect(readFileSync(path, 'utf8')).toBe('before')
  output.end()
  expect([readFileSync(path, 'utf8').length, readdirSync(directory.path)]).toEqual([100_000, ['a.csv']])
})

test('what is discarded or cannot take its place leaves nothing', () => {
  using directory = new TestDirectory()
  const path = join(directory.path, 'a.csv')
  const discarded = outputTo(path, terminal())
  discarded.write('x')
  discarded.discard()
  mkdirSync(join(path, 'in the way'), { recursive: true })
  const output = outputTo(path, terminal())
  expect(() => output.end()).toThrow()
  output.discard()
  expect([existsSync(`${path}.unfinished`), readdirSync(directory.path)]).toEqual([false, ['a.csv']])
})

test('a directory that is not there is named', () => {
  using directory = new TestDirectory()
  const path = join(directory.path, 'missing', 'a.csv')
  expect(() => outputTo(path, terminal())).toThrow(
    `there is no directory ${join(directory.path, 'missing')}; make it, or give another file than ${path}`,
  )
})
