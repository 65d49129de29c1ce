// Tables with more columns: which are read, which are added, and the summary at the end.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordingTerminal } from '../../../../../test/support/command.ts'
import { zipOf } from '../../../../../test/support/inegi-file.ts'
import { bundledHome, PROGRAM, TestDirectory, type TestHome } from '../../../../../test/support/releases.ts'
import { environmentOf, eventually } from '../../../../../test/support/service.ts'
import { run } from '../run.ts'

setDefaultTimeout(180_000)

const directory = new TestDirectory()
let home: TestHome
beforeAll(async () => {
  home = await bundledHome()
})
afterAll(() => {
  for (const path of [directory, home]) path[Symbol.dispose]()
})

const given = join(directory.path, 'given.csv')
const made = join(directory.path, 'made.csv')

async function resolved(table: string | Buffer, ...flags: string[]) {
  writeFileSync(given, table)
  const { said, terminal } = recordingTerminal()
  await run(['resolve', given, '--home', home.path, ...flags], {}, terminal)
  return said
}

const COLUMNS = ['--columns', 'estado,municipio']

/** A workbook of one sheet. */
function workbook(rows: readonly (readonly string[])[]): Buffer {
  const cells = (row: readonly string[]) => row.map((value) => `<c t="inlineStr"><is><t>${value}</t></is></c>`).join('')
  const parts = {
    'xl/workbook.xml': '<workbook><sheets><sheet name="one" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<sheetData>${rows.map((row) => `<row>${cells(row)}</row>`).join('')}</sheetData>`,
  }
  return zipOf(Object.entries(parts).map(([name, text]) => ({ name, bytes: Buffer.from(text) })))
}

describe('a table', () => {
  test('keeps its columns and gets more', async () => {
    const { out } = await resolved(
      'id,estado,municipio\n1,Jal,"Guadalajra"\n2,NL,Monterrey\n3,,\n',
      ...COLUMNS,
      '--out',
      made,
    )
    expect(readFileSync(made, 'utf8')).toBe(
      'id,estado,municipio,idEstado,idMunicipio,cvegeo_estado,cvegeo_municipio,name,verdict,score,reason,alternatives\n' +
        '1,Jal,"Guadalajra",14,580,14,14039,Guadalajara,sure,0.9400,misspelt; by its code,\n' +
        '2,NL,Monterrey,19,999,19,19039,Monterrey,exact,1.0000,by its code,\n' +
        '3,,,,,,,,none,0.0000,nothing fits,\n',
    )
    expect(out).toMatch(
      /^3 rows in .*\n {2}exact +1 .*\n {2}sure +1 .*\n {2}likely +0 .*\n {2}ambiguous +0 .*\n {2}none +1 /,
    )
  })

  test('is read by the columns that are called as parts, where none are named', async () => {
    const { err } = await resolved('id,ESTADO,descMunicipio,municipio\n1,Jal,Guadalajara,x\n', '--out', made)
    expect(readFileSync(made, 'utf8')).toContain('\n1,Jal,Guadalajara,x,14,580,14,14039,Guadalajara,exact,')
    expect(err).toContain('Reads --columns ESTADO=estado,descMunicipio=municipio\n')
    const text = await resolved('id,Q\n1,"Guadalajara, Jal."\n', '--out', made)
    expect(readFileSync(made, 'utf8')).toContain(',14039,')
    expect(text.err).toContain('Reads --columns Q=q\n')
  })

  test('may be in Windows-1252, with semicolons, and with other names', async () => {
    const table = Buffer.from('Entidad;Mun\r\nNuevo León;"Monterrey"\r\n', 'latin1')
    await resolved(table, '--columns', 'Entidad=estado,Mun=municipio', '--out', made)
    expect(readFileSync(made, 'utf8')).toBe(
      '\ufeffEntidad;Mun;idEstado;idMunicipio;cvegeo_estado;cvegeo_municipio;name;verdict;score;reason;alternatives\nNuevo León;"Monterrey";19;999;19;19039;Monterrey;exact;1.0000;called so;\n',
    )
  })

  const OF_JALISCO =
    'estado;b;idEstado;cvegeo_estado;name;verdict;score;reason;alternatives\nJalisco;1;14;14;Jalisco;exact;1.0000;called so;\n'
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')
  test.each([
    ['UTF-16', utf16('\ufeffestado;b\r\nJalisco;1\r\n'), `\ufeff${OF_JALISCO}`],
    ['UTF-16 the other way round', utf16('\ufeffestado;b\r\nJalisco;1\r\n').swap16(), `\ufeff${OF_JALISCO}`],
    ['UTF-16 without a mark', utf16('estado;b\r\nJalisco;1\r\n'), `\ufeff${OF_JALISCO}`],
    ['CSV that names its separator for Excel', 'sep=;\r\nestado;b\r\nJalisco;1\r\n', OF_JALISCO],
    ['the same in quotes', '"sep=;"\r\nestado;b\r\nJalisco;1\r\n', OF_JALISCO],
    ['CSV of Excel for old Macs', 'estado;b\rJalisco;1\r', OF_JALISCO],
    ['CSV with bars', 'estado|b\r\nJalisco|1\r\n', OF_JALISCO.replaceAll(';', '|')],
    [
      'a workbook',
      workbook([['estado', 'b'], ['Jalisco', '1'], ['Nayarit']]),
      `\ufeff${OF_JALISCO.replaceAll(';', ',')}Nayarit,,18,18,Nayarit,exact,1.0000,called so,\n`,
    ],
  ])('may be %s', async (_, table, expected) => {
    await resolved(table, '--columns', 'estado', '--out', made)
    expect(readFileSync(made, 'utf8')).toBe(expected)
  })

  test('goes to standard output, and the summary elsewhere', async () => {
    const { out, err } = await resolved('q\n"Monterrey, N.L."\n', '--columns', 'q', '--json')
    expect(out.split('\n')[1]).toStartWith('"Monterrey, N.L.",')
    expect(JSON.parse(err)).toMatchObject({
      rows: 1,
      exact: 1,
      sure: 0,
      likely: 0,
      ambiguous: 0,
      none: 0,
      unresolved: [],
    })
  })

  test('may have line ends in quotes, and columns that are named like those added', async () => {
    await resolved('name,estado\n"a\nb",Jalisco\n', '--columns', 'estado', '--out', made)
    expect(readFileSync(made, 'utf8')).toBe(
      'name,estado,idEstado,cvegeo_estado,resolved_name,verdict,score,reason,alternatives\n"a\nb",Jalisco,14,14,Jalisco,exact,1.0000,called so,\n',
    )
  })

  test.each([
    ['formulas with a guard', '=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['other signs that begin one', "@SUM(A1)\t|+cmd|' /C calc'!A0", "'@SUM(A1)\t|'+cmd|' /C calc'!A0"],
    ['a formula that begins with a sign', '-cmd', "'-cmd"],
    ['a value with a guard as it is', "'=1", "'=1"],
    ['negative numbers as they are', '-99.13', '-99.13'],
    ['telephone numbers as they are', '+52 (55) 1234-5678', '+52 (55) 1234-5678'],
    ['a dash as it is', '-', '-'],
    ['mail addresses as they are', 'a@b.mx', 'a@b.mx'],
    ['what is quoted without need as it is', '"a"', '"a"'],
    ['text behind a closing quote as it is, and tells it', '"a"b', '"a"b'],
  ])('keeps %s', async (_what, value, written) => {
    const cell = value.includes('"') && !value.startsWith('"') ? `"${value.replaceAll('"', '""')}"` : value
    await resolved(`x;estado\n${cell};Jalisco\n`, '--columns', 'estado', '--out', made)
    expect(readFileSync(made, 'utf8').split('\n')[1]).toBe(`${written};Jalisco;14;14;Jalisco;exact;1.0000;called so;`)
  })

  test.each([
    ['gzip', Buffer.from(Bun.gzipSync(Buffer.from('estado;b\nJalisco;1\n'))), OF_JALISCO],
    ['a title above its header', 'Lista de oficinas\n\nestado;b\nJalisco;1\n', OF_JALISCO],
    ['every fault of its lines', 'estado,b\nJal\nJal,1\nNay,1,2\n', /:2, all: "one value".*\n.*:4, all: "3 values"/],
  ])('may have %s', async (_, table, expected) => {
    const done = resolved(table, '--columns', 'estado', '--out', made)
    if (typeof expected !== 'string') return void (await expect(done).rejects.toThrow(expected))
    await done
    expect(readFileSync(made, 'utf8')).toBe(expected)
  })

  test('whose header is a formula gets a guard there', async () => {
    const { out } = await resolved('=1+a,estado\n2,Jalisco\n', '--columns', 'estado')
    expect(out).toStartWith("'=1+a,estado,idEstado,cvegeo_estado,name,verdict,score,reason,alternatives\n2,Jalisco,")
  })

  test('of one column keeps its empty lines, and one of several loses them', async () => {
    const one = await resolved('estado\n\nJalisco\n', '--columns', 'estado')
    expect(one.out).toBe(
      'estado,idEstado,cvegeo_estado,name,verdict,score,reason,alternatives\n,,,,none,0.0000,nothing fits,\nJalisco,14,14,Jalisco,exact,1.0000,called so,\n',
    )
    const two = await resolved('estado,b\n\nJalisco,1\n', '--columns', 'estado')
    expect(two.out).toBe(
      'estado,b,idEstado,cvegeo_estado,name,verdict,score,reason,alternatives\nJalisco,1,14,14,Jalisco,exact,1.0000,called so,\n',
    )
  })

  test('may be separated by tabs, and begin with a byte order mark, which stays', async () => {
    const { out } = await resolved('\ufeffestado\tb, c\td\nJalisco\t"1\t2"\t\n', '--columns', 'ESTADO=estado')
    expect(out).toBe(
      '\ufeffestado\tb, c\td\tidEstado\tcvegeo_estado\tname\tverdict\tscore\treason\talternatives\nJalisco\t"1\t2"\t\t14\t14\tJalisco\texact\t1.0000\tcalled so\t\n',
    )
  })

  test('gets no identifier below the threshold', async () => {
    const { out } = await resolved('estado,municipio\nJal,Guadalajra\n', ...COLUMNS, '--threshold', '0.95')
    expect(out).toContain('\nJal,Guadalajra,14,,14,,,sure,0.9400,misspelt; by its code,14039 Guadalajara\n')
    const same = await resolved('estado,municipio\nJal,Guadalajra\n', ...COLUMNS, '--threshold', '0.94')
    expect(same.out).toContain('\nJal,Guadalajra,14,580,14,14039,Guadalajara,sure,0.9400,misspelt; by its code,\n')
  })

  test('gets no identifier where several records are meant, which the verdict says', async () => {
    const { out, err } = await resolved('estado,municipio\n,Benito Juárez\n', ...COLUMNS)
    expect(out).toMatch(/\n,Benito Juárez,,,,,,ambiguous,[0-9.]+,[^\n]*23005 Benito Juárez[^\n]*\n$/)
    expect(err).toEndWith(':\n         1  , Benito Juárez\n')
  })

  test('rows whose cells make the same text together are not confused', async () => {
    const { out } = await resolved('estado,municipio\nColima,\n,Colima\n', ...COLUMNS)
    const [, one, other] = out.split('\n')
    expect(one).toBe('Colima,,6,,06,,Colima,exact,1.0000,called so,')
    expect(other).toContain(',06002,Colima,exact,')
  })

  test('may be far longer than what is written at once', async () => {
    const row = `${'x'.repeat(100)},Jalisco\n`
    await resolved(`a,estado\n${row.repeat(2_000)}`, '--columns', 'estado', '--out', made)
    expect(readFileSync(made, 'utf8')).toBe(
      `a,estado,idEstado,cvegeo_estado,name,verdict,score,reason,alternatives\n${`${row.trimEnd()},14,14,Jalisco,exact,1.0000,called so,\n`.repeat(2_000)}`,
    )
  })

  test('ten of the values that are not resolved are printed', async () => {
    const words = Array.from({ length: 12 }, (_, at) => `Xyzzy${'q'.repeat(at + 1)}`)
    const { out } = await resolved(`estado\n${words.join('\n')}\n`, '--columns', 'estado', '--out', made)
    expect(out.split('\n').filter((line) => line.includes('Xyzzy'))).toHaveLength(10)
  })

  test('the most frequent values that are not resolved are printed', async () => {
    const { out } = await resolved('estado\nXyzzy\nXyzzy\nJalisco\nQwerty\n', '--columns', 'estado', '--out', made)
    expect(out).toEndWith(':\n         2  Xyzzy\n         1  Qwerty\n')
  })
})

describe('refused is', () => {
  test.each([
    ['no column', 'estado\nJal\n', ['--columns', 'edo'], /given\.csv:1 has no column "edo"; it has estado/],
    [
      'a column twice',
      'estado,estado\nJal,Oax\n',
      ['--columns', 'estado'],
      /given\.csv:1 has the column "estado" more than once/,
    ],
    ['no part', 'Mun\nx\n', ['--columns', 'Mun'], /no part for "Mun"; name one with Mun=PART/],
    ['a part twice', 'a,b\nx,y\n', ['--columns', 'a=estado,b=estado'], /names estado twice/],
    [
      'an open quote',
      'estado\n"Jal\n',
      ['--columns', 'estado'],
      /given\.csv:2, column 1: .*; expected a closing quote/,
    ],
    [
      'a short row',
      'estado,b\nJal,1\nJal\n',
      ['--columns', 'estado'],
      /given\.csv:3, all: "one value"; expected 2 values/,
    ],
    [
      'a value beyond the header',
      'a,b\nJal,1,2\n',
      ['--columns', 'a=estado'],
      /given\.csv:2, all: "3 values"; expected 2/,
    ],
    [
      'a quote never closed',
      `estado\n"${`${'x'.repeat(99)}\n`.repeat(1_200)}`,
      ['--columns', 'estado'],
      /given\.csv:2, column 1: /,
    ],
    ['free text beside a part', 'a,b\nx,y\n', ['--columns', 'a=q,b=estado'], /has q beside other parts/],
    ['a list that is none', 'a\nx\n', ['--columns', 'a=q=b'], /--columns was "a=q=b"; allowed is a list/],
    ['nothing', '', ['--columns', 'estado'], /given\.csv is empty/],
    ['half a workbook', 'PK\u0003\u0004', ['--columns', 'estado'], /cannot be read as a zip/],
    [
      'no column that is a part',
      'a,b\n',
      [],
      /no column of .*given\.csv has the name of a list; .*--columns a=q: it has a, b/,
    ],
    [
      'a threshold',
      'estado\n',
      ['--columns', 'estado', '--threshold', '2'],
      /--threshold was "2"; allowed is a number/,
    ],
    ['its own file', 'estado\n', ['--columns', 'estado', '--out', given], /is the file that is read/],
  ])('%s', async (_, table, flags, message) => {
    const out = flags.includes('--out') ? [] : ['--out', join(directory.path, 'never.csv')]
    await expect(resolved(table, ...flags, ...out)).rejects.toThrow(message)
    expect(existsSync(join(directory.path, 'never.csv'))).toBeFalse()
    expect(existsSync(join(directory.path, 'never.csv.unfinished'))).toBeFalse()
  })
})

test('the program starts again where the last tier of compiled code would be reached too early, and reads what it is given', async () => {
  const variable = 'BUN_JSC_thresholdForFTLOptimizeAfterWarmUp'
  await using child = Bun.spawn([...PROGRAM, 'resolve', '-', '--home', home.path], {
    env: { ...process.env, [variable]: undefined },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  await eventually('it starts again', () => environmentOf(child.pid).has(variable))
  child.stdin.write('estado\nJal.\n')
  child.stdin.end()
  expect(await child.stdout.text()).toContain('\nJal.,14,14,Jalisco,exact,')
  expect(await child.exited).toBe(0)
})
