// Sheets of .xlsx files are read as their cells are shown.
import { expect, test } from 'bun:test'
import { zipOf } from '../../../../../../test/support/inegi-file.ts'
import { PackageDirectory, readPackage } from '../../../../../../test/support/package-directory.ts'
import { refusal } from '../../../../../../test/support/releases.ts'
import { sheetsIn } from './workbook.ts'

const SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'

/** The parts of a workbook of these sheets, each given as its rows of cells in XML. */
function partsOf(sheets: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  const names = Object.keys(sheets)
  const parts: Record<string, string> = {
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${names
      .map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${names
      .map((_, index) => `<Relationship Id="rId${index + 1}" Type="t" Target="worksheets/sheet${index + 1}.xml"/>`)
      .join('')}</Relationships>`,
    'xl/sharedStrings.xml':
      '<sst><si><t>code</t></si><si><t>name</t></si><si><r><t>Ñu &amp; </t></r><r><t xml:space="preserve">Co.</t></r><rPh><t>x</t></rPh></si><si/></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="0.0&quot;days&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>',
  }
  for (const [index, name] of names.entries())
    parts[`xl/worksheets/sheet${index + 1}.xml`] =
      `${SHEET}${(sheets[name] ?? []).map((cells, row) => `<row r="${row + 1}">${cells}</row>`).join('')}</sheetData></worksheet>`
  return parts
}

/** A workbook with other parts in place of its own. */
function workbook(
  sheets: Readonly<Record<string, readonly string[]>>,
  others: Readonly<Record<string, string>> = {},
): Buffer {
  const parts = Object.entries({ ...partsOf(sheets), ...others })
  return zipOf(parts.map(([name, text]) => ({ name, bytes: Buffer.from(text) })))
}

const HEADER = '<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>'
const text = (cell: string, value: string) => `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`

test('texts, numbers, booleans and dates are as people see them', async () => {
  const header = `${HEADER}${text('C1', 'since')}${text('D1', 'share')}${text('E1', 'active')}${text('F1', 'days')}`
  const one = `${text('A2', '007')}<c r="B2" t="s"><v>2</v></c><c r="C2" s="1"><v>36526</v></c><c r="D2"><v>0.30000000000000004</v></c><c r="E2" t="b"><v>1</v></c><c r="F2" s="2"><v>5</v></c>`
  const two = `${text('A3', '008')}<c r="B3" t="str"><f>A1</f><v>Two</v></c><c r="E3" t="b"><v>0</v></c><c r="F3" t="e"><v>#N/A</v></c>`
  using directory = new PackageDirectory().put('units.xlsx', workbook({ Units: [header, one, '', two] }))
  const { rows, lines } = await readPackage(`${directory.path}/units.xlsx`)
  expect(rows.units).toEqual([
    { code: '007', name: 'Ñu & Co.', since: '2000-01-01', share: '0.3', active: 'true', days: '5' },
    { code: '008', name: 'Two', active: 'false' },
  ])
  expect(lines.units).toEqual([2, 4])
})

test('each sheet that holds anything is a table', async () => {
  const row = (code: string) => `${text('A2', code)}${text('B2', `Name of ${code}`)}`
  using directory = new PackageDirectory().put(
    'all.xlsx',
    workbook({ Offices: [HEADER, row('A')], Empty: [], Regions: [HEADER, row('B')] }),
  )
  const { rows } = await directory.read()
  expect(rows).toEqual({
    offices: [{ code: 'A', name: 'Name of A' }],
    regions: [{ code: 'B', name: 'Name of B' }],
  })
})

test.each([
  ['a file that is no zip', Buffer.from('not a zip'), 'cannot be read as a zip'],
  ['a zip that is no spreadsheet', zipOf([{ name: 'a.txt', bytes: Buffer.from('x') }]), 'is not a spreadsheet'],
])('%s is refused', async (_, bytes, expected) => {
  using directory = new PackageDirectory().describe({ name: 'units', path: 'units.xlsx' }).put('units.xlsx', bytes)
  expect(await directory.refusal()).toContain(expected)
})

test('a sheet that is not there is named beside those that are', async () => {
  using directory = new PackageDirectory()
    .describe({ name: 'units', path: 'units.xlsx', dialect: { sheetName: 'Unitss' } })
    .put('units.xlsx', workbook({ Units: [HEADER] }))
  expect(await directory.refusal()).toContain('one of its sheets: Units')
})

test.each([
  ['a cell that is not closed', [HEADER, '<c r="A2"><v>1'.repeat(5_000)], 'in more than 100 others'],
  ['a tag that is not closed', [HEADER, '<c '.repeat(5_000)], 'a tag is not closed'],
  ['a text of many megabytes', [HEADER, text('A2', 'x'.repeat(9 << 20))], 'rows of at most 8388608 characters'],
])('%s is refused', async (_, rows, expected) => {
  using directory = new PackageDirectory()
    .describe({ name: 'units', path: 'units.xlsx' })
    .put('units.xlsx', workbook({ Units: rows }))
  expect(await directory.refusal()).toContain(expected)
})

test.each([
  ['texts', 'xl/sharedStrings.xml', `<sst>${'<si/>'.repeat((1 << 22) + 1)}</sst>`],
  ['styles', 'xl/styles.xml', `<styleSheet><cellXfs>${'<xf/>'.repeat((1 << 16) + 1)}</cellXfs></styleSheet>`],
])('a workbook with more %s than any is refused', async (what, part, xml) => {
  using directory = new PackageDirectory()
    .describe({ name: 'units', path: 'units.xlsx' })
    .put('units.xlsx', workbook({ Units: [HEADER] }, { [part]: xml }))
  expect(await directory.refusal()).toMatch(new RegExp(`it has more than \\d+ ${what}`))
})

const UNITS = [HEADER, `${text('A2', 'a')}${text('B2', 'b')}`]

test('a format of thousands of brackets costs no more than another', async () => {
  const format = `<numFmts><numFmt numFmtId="164" formatCode="${'['.repeat(60_000)}"/></numFmts>`
  const styles = `<styleSheet>${format}<cellXfs>${'<xf numFmtId="164"/>'.repeat(4)}</cellXfs></styleSheet>`
  using directory = new PackageDirectory().put('units.xlsx', workbook({ Units: UNITS }, { 'xl/styles.xml': styles }))
  expect((await directory.read()).rows).toEqual({ units: [{ code: 'a', name: 'b' }] })
})

test('a sheet that is named many times is read once', async () => {
  const named = Array.from({ length: 900 }, (_, at) => `<sheet name="S${at}" r:id="rId1"/>`).join('')
  const book = { 'xl/workbook.xml': `<workbook><sheets>${named}</sheets></workbook>` }
  using directory = new PackageDirectory().put('units.xlsx', workbook({ Units: UNITS }, book))
  expect(Object.keys((await directory.read()).rows)).toHaveLength(1)
})

test.each([
  ['a workbook whose list of sheets takes more than 10 seconds', 10_000_001, 1],
  ['a workbook whose rows take more than is left of 10 seconds', 2_000_001, 5],
])('%s is refused', async (_, microsecondsOfEachPart, partsRead) => {
  let read = 0
  const parts = Object.entries(partsOf({ Units: UNITS })).map(([name, text]) => ({
    name,
    open: async function* () {
      read++
      yield Buffer.from(text)
    },
  }))
  let spent = 0
  const cpuTime = () => (spent += microsecondsOfEachPart)
  const rowsOf = async () => {
    const sheets = await sheetsIn(parts, { path: 'units.xlsx', name: 'units.xlsx', size: 0 }, cpuTime)
    for (const { rows } of sheets) await Array.fromAsync(rows())
  }
  expect((await refusal(rowsOf())).message).toContain('takes too long to read for its size')
  expect(read).toBe(partsRead)
})
