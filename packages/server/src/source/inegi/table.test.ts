// Checks that text in the wrong encoding and tables that are none are refused, with their location.
import { describe, expect, test } from 'bun:test'
import { excerpt, faultsIn, ScratchDirectory, zipOf } from '../../../../../test/support/inegi-file.ts'
import { Faults, FaultyRecords } from '../faults.ts'
import { inegiSource } from './inegi.ts'
import { recognise } from './table.ts'

const inForce = { includeRetired: false }

const localities = excerpt('localidades-2025')

describe('text in the wrong encoding is refused', () => {
  const utf8 = Buffer.from(localities)
  const latin1 = Buffer.from(localities, 'latin1')
  const put = (bytes: Buffer, before: string | Buffer, after: string | Buffer) => {
    const at = bytes.indexOf(before)
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(after), bytes.subarray(at + before.length)])
  }
  const soundUtf8 = 'sound UTF-8, as in the rest of the file'
  test.each([
    [
      'a letter of a name that broke',
      put(utf8, Buffer.from('ñuelas'), Buffer.from([0xc3, ...Buffer.from('uelas')])),
      [[6, 'NOM_LOC', '"Buenavista de Pe\ufffduelas  "', soundUtf8]],
    ],
    [
      'a sign that broke in a column that is not read',
      put(utf8, Buffer.from('´47'), Buffer.from([0xc2, 0x34, 0x37])),
      [[2, 'LATITUD', '"21°52\ufffd47.362\\"N"', soundUtf8]],
    ],
    [
      'Windows-1252 after a mark of UTF-8',
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), latin1.subarray(0, latin1.indexOf('"010010094"'))]),
      [[2, 'LATITUD', '"21\ufffd52\ufffd47.362\\"N"', soundUtf8]],
    ],
    [
      'a broken letter in a line that cannot be split',
      put(utf8, Buffer.from('"Granja Adelita"'), Buffer.from([0x22, 0xf1])),
      [[3, 'all', expect.any(String), soundUtf8]],
    ],
    [
      'a name in UTF-8 in a table in Windows-1252',
      put(latin1, Buffer.from('Granja Adelita'), 'Granja Ñandú'),
      [
        [
          3,
          'NOM_LOC',
          JSON.stringify('Granja Ã‘andÃº'),
          'Windows-1252, as in the rest of the file; this looks like UTF-8',
        ],
      ],
    ],
  ])('%s', async (_, bytes, faults) => expect(await faultsIn(bytes)).toEqual(faults as never))
})

test('a table is recognised by its first row too, wherever the file is cut while it is read', async () => {
  const [header = '', row = ''] = localities.split('\n')
  const cut = async function* () {
    yield Buffer.from(`${header}\n`)
    yield Buffer.from(`${row}\n`)
  }
  const table = await recognise({ file: 'a.csv', archive: undefined, open: cut }, new Faults())
  expect(table?.firstCodes).toMatch(/^[0-9]{9}$/)
})

describe('a table is refused', () => {
  const line1 = (column: string, value: string, expected: unknown) => [1, column, value, expected]
  test.each([
    ['that is empty', '', [line1('all', '""', 'a header; the file is empty')]],
    [
      'that is not of INEGI',
      'geonameid,name\n1,a\n',
      [
        line1(
          'all',
          '"geonameid,name"',
          expect.stringContaining('a header of INEGI, its columns separated by commas: states have CVE_ENT, NOM_ENT; '),
        ),
      ],
    ],
    [
      'that lacks columns',
      localities.replace('NOM_MUN', 'X').replace('CVE_LOC', 'Y'),
      [
        line1('NOM_MUN', 'nothing', 'this column, which a table of localities has'),
        line1('CVE_LOC', 'nothing', 'this column, which a table of localities has'),
      ],
    ],
    [
      'that has a column twice',
      localities.replace('NOM_ABR', 'NOM_ENT'),
      [line1('NOM_ENT', '"NOM_ENT"', 'each column once')],
    ],
    [
      'in UTF-16, big-endian',
      Buffer.from(`\ufeff${localities}`, 'utf16le').swap16(),
      [line1('all', '"UTF-16"', 'text in UTF-8 or Windows-1252')],
    ],
    [
      'in UTF-16',
      Buffer.from(`\ufeff${localities}`, 'utf16le'),
      [line1('all', '"UTF-16"', 'text in UTF-8 or Windows-1252')],
    ],
    [
      'that is one endless line',
      Buffer.alloc(2 << 20, 'CVE_ENT,'),
      [line1('all', '"a longer line"', 'lines of at most 1048576 bytes')],
    ],
  ])('%s, before anything is read', async (_, content, faults) => {
    using directory = new ScratchDirectory()
    const file = directory.put('given.csv', content)
    const error = await inegiSource([file], inForce).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(FaultyRecords)
    expect(
      (error as FaultyRecords).faults.map(({ line, column, value, expected }) => [line, column, value, expected]),
    ).toEqual(faults as never)
    expect((error as FaultyRecords).faults.every((fault) => fault.file === file)).toBe(true)
  })

  test('that has no rows', async () =>
    expect(await faultsIn(localities.slice(0, localities.indexOf('\n') + 1))).toEqual([
      [1, 'all', '"no rows"', 'rows below the header'],
    ]))

  test('that has an endless line among its rows', async () => {
    const text = localities.replace('Granja Adelita', 'x'.repeat(2 << 20))
    expect(await faultsIn(text)).toEqual([[3, 'all', '"a longer line"', 'lines of at most 1048576 bytes']])
  })

  test('inside a zip, under the name of both; all faults of all files together', async () => {
    using directory = new ScratchDirectory()
    const zip = directory.put('a.zip', zipOf([{ name: 'x.csv', bytes: Buffer.from('a\n') }]))
    const plain = directory.put('b.csv', 'b\n')
    const error = await inegiSource([zip, plain], inForce).catch((error: unknown) => error)
    expect((error as FaultyRecords).faults.map(({ file, line }) => [file, line])).toEqual([
      [`${zip}/x.csv`, 1],
      [plain, 1],
    ])
  })
})
