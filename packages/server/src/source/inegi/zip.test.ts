// Checks that a zip is read for its CSV files, and refused when it is damaged or lies.
import { describe, expect, test } from 'bun:test'
import { ScratchDirectory, type ZipMember, zipOf } from '../../../../../test/support/inegi-file.ts'
import { UnusableZip } from '../unusable-zip.ts'
import { csvFilesIn } from './zip.ts'

const filesIn = (path: string) => csvFilesIn({ path, name: path })

const member = (name: string, text = name): ZipMember => ({ name, bytes: Buffer.from(text) })

async function contentsOf(path: string): Promise<[string, string][]> {
  const read = async (bytes: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(bytes)).toString()
  const files = await filesIn(path)
  return Promise.all(files.map(async ({ name, open }) => [name, await read(open())] as [string, string]))
}

test('gives the CSV files, in their order, as often as they are opened', async () => {
  using directory = new ScratchDirectory()
  const long = 'ñandú\n'.repeat(50_000)
  const path = directory.put(
    'a.zip',
    zipOf([member('b.csv', long), member('a.CSV'), member('a.txt'), member('sub/c.csv')]),
  )
  const [first] = await filesIn(path)
  for await (const chunk of first?.open() ?? []) if (chunk.length > 0) break
  for (const _ of ['once', 'and again']) {
    expect(await contentsOf(path)).toEqual([
      ['b.csv', long],
      ['a.CSV', 'a.CSV'],
      ['sub/c.csv', 'sub/c.csv'],
    ])
  }
})

describe('names are only names', () => {
  test.each([
    ['that climbs', '../../x.csv', '../../x.csv'],
    ['from the root', '/etc/x.csv', '/etc/x.csv'],
    ['with backslashes', 'a\\x.csv', 'a/x.csv'],
    ['that would write to a terminal', 'a\x1b[2K.csv', 'a?[2K.csv'],
    ['in Spanish', 'añejo.csv', 'añejo.csv'],
  ])('one %s', async (_, name, shown) => {
    using directory = new ScratchDirectory()
    expect(await contentsOf(directory.put('a.zip', zipOf([member(name, 'x')])))).toEqual([[shown, 'x']])
  })
})

describe('a zip without a CSV is refused', () => {
  test.each([
    ['empty', [], 'a.zip is empty'],
    ['with other files', [member('x.dbf'), member('y.xlsx')], 'a.zip holds no CSV file, only x.dbf, y.xlsx;'],
    ['with what macOS leaves', [member('__MACOSX/._x.csv'), member('._x.csv')], 'a.zip holds no CSV file'],
  ])('%s', async (_, members, description) => {
    using directory = new ScratchDirectory()
    const refused = filesIn(directory.put('a.zip', zipOf(members)))
    await expect(refused).rejects.toBeInstanceOf(UnusableZip)
    await expect(refused).rejects.toThrow(description)
  })
})

describe('a zip that is damaged or lies is refused', () => {
  const rows = Buffer.from('a,b\n'.repeat(10_000))
  const sound = zipOf([{ name: 'x.csv', bytes: rows }])
  const spoilt = Buffer.from(sound)
  spoilt.fill(0xff, 40, 60)
  test.each([
    ['that was cut off', sound.subarray(0, sound.length - 30)],
    ['whose data is spoilt', spoilt],
    ['whose checksum is another', zipOf([{ name: 'x.csv', bytes: rows, claims: { sum: 1 } }])],
    ['that holds more than it says', zipOf([{ name: 'x.csv', bytes: rows, claims: { size: 10 } }])],
    ['that holds less than it says', zipOf([{ name: 'x.csv', bytes: rows, claims: { size: rows.length + 10 } }])],
    ['packed in a way that is not known', zipOf([{ name: 'x.csv', bytes: rows, claims: { method: 99 } }])],
    ['of too many files', zipOf(Array.from({ length: 10_001 }, () => member('x.csv', '')))],
  ])('%s', async (_, zip) => {
    using directory = new ScratchDirectory()
    const path = directory.put('a.zip', zip)
    const refused = contentsOf(path)
    await expect(refused).rejects.toBeInstanceOf(UnusableZip)
    await expect(refused).rejects.toThrow(`${path} cannot be read as a zip: `)
  })
})

describe('a zip bomb is refused before anything of it is unpacked', () => {
  const MEGABYTES = 2 ** 20
  const claiming = (name: string, size: number): ZipMember => ({ name, bytes: Buffer.from('a,b'), claims: { size } })
  test.each([
    ['of one table', zipOf([{ name: 'x.csv', bytes: Buffer.alloc(65 * MEGABYTES) }]), 68],
    ['of a table that claims to be huge', zipOf([claiming('x.csv', 3_000 * MEGABYTES)]), 3146],
    ['of many tables', zipOf(Array.from({ length: 100 }, (_, at) => claiming(`${at}.csv`, 63 * MEGABYTES))), 4360],
  ])('%s', async (_, zip, megabytes) => {
    using directory = new ScratchDirectory()
    const path = directory.put('a.zip', zip)
    const refused = filesIn(path)
    await expect(refused).rejects.toBeInstanceOf(UnusableZip)
    await expect(refused).rejects.toThrow(
      `${path} would unpack to ${megabytes} MB or more, which no table of INEGI does; ` +
        'if it is right, unpack it and give the CSV file',
    )
  })

  test('but not what is large beside the tables', async () => {
    using directory = new ScratchDirectory()
    const path = directory.put('a.zip', zipOf([claiming('x.xlsx', 4_000 * MEGABYTES), member('x.csv')]))
    expect(await contentsOf(path)).toEqual([['x.csv', 'x.csv']])
  })
})
