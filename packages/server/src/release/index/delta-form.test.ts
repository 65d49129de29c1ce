// Offsets and indexes as they travel: what is restored is what was on disk, and one name more changes few bytes.
import { afterAll, expect, test } from 'bun:test'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory, ThreeReleases } from '../../../../../test/support/releases.ts'
import { deltaFileOf, deltaForm, restore, travelName } from './delta-form.ts'
import { SectionWriter } from './sections.ts'

const room = new TestDirectory()
const three = await ThreeReleases.create()
afterAll(() => {
  room[Symbol.dispose]()
  three[Symbol.dispose]()
})

/** In pieces that begin and end anywhere. */
function formOf(path: string, piece = 1_001): Buffer {
  const form = deltaForm(path)
  const bytes = Buffer.alloc(form.size)
  for (let at = 0; at < form.size; at += form.read(bytes.subarray(at, at + piece), at));
  return bytes
}

function restored(form: Uint8Array, file: string, size: number): Buffer {
  writeFileSync(join(room.path, 'form'), form)
  restore(join(room.path, 'form'), join(room.path, file), size)
  return readFileSync(join(room.path, file))
}

const files = Object.values(three.store.read(three.digests[2] as string).manifest.entities).flatMap(({ digest }) =>
  ['offsets', 'index', 'words'].map((file) => join(three.store.entityDirectory(digest), file)),
)

test('every file of a release is restored byte for byte', () => {
  expect(files.length).toBeGreaterThan(0)
  for (const path of files) {
    const file = path.slice(path.lastIndexOf('/') + 1)
    for (const piece of [7, 1_001, 1 << 20])
      expect(restored(formOf(path, piece), file, statSync(path).size).equals(readFileSync(path))).toBe(true)
  }
})

test('one word more changes no rank of the other records, though it changes the number of every word', () => {
  const form = (words: number) => {
    const path = join(room.path, 'words')
    writeWords(path, words - 4)
    return formOf(path).subarray(0, 6 * 4)
  }
  expect(form(5)).toEqual(form(4))
})

/** Three records of two words each, whose words have numbers from `first` on. */
function writeWords(path: string, first: number): void {
  rmSync(path, { force: true })
  using file = new SectionWriter(path)
  file.add(
    'names',
    Uint32Array.of(3, 0, 0, 0, 1, 2).map((word) => word + first),
  )
  file.add('nameStarts', Uint32Array.of(0, 2, 4, 6))
  file.add('starts', Uint32Array.from([...Array(first).fill(0), 0, 2, 3, 4, 5]))
  file.add('positions', Uint32Array.of(0, 1, 2, 2, 0))
  file.finish()
}

test.each([
  ['another size', (form: Buffer) => form, 1],
  [
    'a length that is none',
    (form: Buffer) => Buffer.from(form.toString('latin1').replace('"length":', '"length":-'), 'latin1'),
    0,
  ],
  ['no end', (form: Buffer) => form.subarray(0, form.length - 20), 0],
])('a form with %s is refused', (_, spoil, more) => {
  const path = files.find((one) => one.endsWith('/index')) as string
  expect(() => restored(spoil(formOf(path)), 'index', statSync(path).size + more)).toThrow()
})

test('names say in which form a file travels', () => {
  expect(['records', 'etags', 'offsets', 'index', 'words'].map(travelName)).toEqual([
    ...['records', 'etags', 'offsets.delta', 'index.delta', 'words.delta'],
  ])
  expect(['index.delta', 'index', 'records.delta', '../index.delta'].map(deltaFileOf)).toEqual([
    ...['index', undefined, undefined, undefined],
  ])
})
