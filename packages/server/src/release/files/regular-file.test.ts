// Files are read whole, what is missing is undefined, and nothing else is waited for.
import { describe, expect, test } from 'bun:test'
import { closeSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { IRREGULAR } from '../../../../../test/support/irregular-files.ts'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { openFile, openFileSync, readText, readTextSync } from './regular-file.ts'

const room = new TestDirectory()
const at = (name: string) => join(room.path, name)
writeFileSync(at('file'), 'México\n')

const readers: Readonly<Record<string, (path: string) => Promise<string | undefined>>> = {
  readText,
  readTextSync: async (path) => readTextSync(path),
}
const openers: Readonly<Record<string, (path: string) => Promise<void>>> = {
  openFile: async (path) => (await openFile(path)).close(),
  openFileSync: async (path) => closeSync(openFileSync(path)),
}

describe.each(Object.entries(readers))('%s', (_, read) => {
  test('reads all of a file', async () => {
    expect(await read(at('file'))).toBe('México\n')
  })

  test.each(['missing', 'file/below'])('gives undefined for %s', async (name) => {
    expect(await read(at(name))).toBeUndefined()
  })
})

test.each(Object.entries({ readText, readTextSync }))('%s refuses what is too large', async (_, read) => {
  expect(await read(at('file'), 8)).toBe('México\n')
  const reason = await (async () => read(at('file'), 7))().then(() => '', String)
  expect(reason).toContain(`${at('file')} has 8 bytes, and no more than 7 are read`)
})

describe.each(Object.entries({ ...readers, ...openers }))('%s', (reader, read) => {
  test.each(Object.entries(IRREGULAR))('refuses %s at once', async (name, make) => {
    const path = at(`${reader} ${name}`)
    await make(path)
    await expect(read(path)).rejects.toThrow(`${path} is not a regular file`)
  })
})
