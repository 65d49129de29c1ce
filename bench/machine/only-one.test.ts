// That a second benchmark sees the first, and that one that died is no obstacle.
import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { otherBenchmark } from './only-one.ts'

const directory = mkdtempSync(join(tmpdir(), 'only-one-'))
const path = join(directory, 'running')
afterEach(() => rmSync(path, { force: true }))
afterAll(() => rmSync(directory, { recursive: true }))

test('the first takes its place', () => {
  expect(otherBenchmark(path)).toBeUndefined()
  expect(readFileSync(path, 'utf8')).toBe(String(process.pid))
})

test('one that runs is named', () => {
  writeFileSync(path, String(process.ppid))
  expect(otherBenchmark(path)).toBe(process.ppid)
})

test('one that died is no obstacle', () => {
  writeFileSync(path, '999999999')
  expect(otherBenchmark(path)).toBeUndefined()
})
