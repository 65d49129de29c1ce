// Opens packages as people write them: what is declared is obeyed, what is odd is told, what cannot be published is refused.
import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { zipOf } from '../../../../../test/support/inegi-file.ts'
import { PackageDirectory, readPackage, table } from '../../../../../test/support/package-directory.ts'
import { entityData, entityIn } from '../../catalog/catalog.ts'
import { shippedLists } from './known-lists.ts'

const CODE = { name: 'code', type: 'string' }
const NAME = { name: 'name', type: 'string' }
const KEY = { primaryKey: 'code' }

/** A package of one list `units` with these columns after code and name. */
function units(csv: string | Uint8Array, fields: readonly { readonly name: string }[] = [], resource = {}) {
  return new PackageDirectory().describe(table('units', [CODE, NAME, ...fields], KEY, resource)).put('units.csv', csv)
}

describe('values', () => {
  test('keep their digits, are null where they are missing, and have the line on which they begin', async () => {
    using directory = units('code,name,size,founded,tags\r\nA,"One\n(first)",1.50,2001-02-03,x;y\r\n\r\nB,Two,,,\r\n', [
      { name: 'size', type: 'number' },
      { name: 'founded', type: 'date' },
      { name: 'tags', type: 'list', delimiter: ';' },
    ] as never)
    const { rows, lines, kinds } = await directory.read()
    expect(rows.units).toEqual([
      { code: 'A', name: 'One\n(first)', size: '1.50', founded: '2001-02-03', tags: '["x","y"]' },
      { code: 'B', name: 'Two' },
    ])
    expect(lines.units).toEqual([2, 5])
    expect(kinds).toEqual({})
  })

  test('that declared missing values stand for are missing, and others are not', async () => {
    using directory = new PackageDirectory()
      .describe(table('units', [CODE, NAME, { name: 'size', type: 'integer' }], { ...KEY, missingValues: ['', '-99'] }))
      .put('units.csv', 'code,name,size\nNA,One,-99\nB,Two,7\n')
    const { rows, kinds } = await directory.read()
    expect(rows.units).toEqual([
      { code: 'NA', name: 'One' },
      { code: 'B', name: 'Two', size: '7' },
    ])
    expect(kinds).toEqual({})
  })

  test('that look missing are published and told', async () => {
    using directory = units('code,name\nNA,North America\nB,Two\n')
    const { rows, kinds, examples } = await directory.read()
    expect(rows.units?.[0]).toEqual({ code: 'NA', name: 'North America' })
    expect(kinds).toEqual({ 'looks-missing': 1 })
    expect(examples).toEqual(['units.csv:2, code: NA'])
  })

  test('a few that are not of the type are left out, with their places', async () => {
    const rows = Array.from({ length: 400 }, (_, index) => `C${index},Name ${index},${index === 7 ? 'many' : index}`)
    using directory = units(`code,name,size\n${rows.join('\n')}\n`, [{ name: 'size', type: 'integer' }] as never)
    const { rows: read, kinds, examples } = await directory.read()
    expect(read.units?.[7]).toEqual({ code: 'C7', name: 'Name 7' })
    expect(kinds).toEqual({ 'value-left-out': 1 })
    expect(examples).toEqual(['units.csv:9, size: "many"; expected integer'])
  })

  test('more than a few make the field a text', async () => {
    using directory = units(
      'code,name,since\nA,One,2001-01-02\nB,Two,January 2001\nC,Three,01/02/2001\nD,Four,2001\n',
      [{ name: 'since', type: 'date' }] as never,
    )
    const { rows, kinds, source } = await directory.read()
    expect(rows.units?.map(({ since }) => since)).toEqual(['2001-01-02', 'January 2001', '01/02/2001', '2001'])
    expect(source.catalog.entities.get('units')?.fields.since).toMatchObject({ kind: 'value', type: 'text' })
    expect(kinds).toEqual({ 'not-of-type': 3 })
  })

  test('that break a constraint are published and told', async () => {
    using directory = units('code,name,kind\nA,One,x\nB,Two,z\nC,Three,\n', [
      { name: 'kind', constraints: { required: true, enum: ['x', 'y'] } },
    ] as never)
    const { rows, examples } = await directory.read()
    expect(rows.units).toHaveLength(3)
    expect(examples).toEqual([
      'units.csv:3, kind: "z"; expected one of x, y',
      'units.csv:4, kind: ""; expected a value, because it is required',
    ])
  })

  test('that are declared as names have one line', async () => {
    using directory = units('code,label\nA,"One\n(first)"\n', [{ name: 'label', 'nomenclator:role': 'name' }] as never)
    const { rows, kinds } = await directory.read()
    expect(rows.units).toEqual([{ code: 'A', label: 'One (first)' }])
    expect(kinds).toMatchObject({ 'line-break-in-name': 1 })
  })

  test.each([
    ['a carriage return inside', 'A,"On\re"\nB,Two\n', { 'stray-line-end': 1 }],
    ['too many letters for a name', `A,${'x'.repeat(10_000)}\nB,Two\n`, {}],
  ])('with %s are published, and that they are no names is told', async (_, csv, expected) => {
    using directory = units(`code,name\n${csv}`)
    const { rows, kinds, source } = await directory.read()
    expect([rows.units?.length, kinds]).toEqual([2, expected])
    expect(source.notes.filter(({ kind }) => kind === 'doubt').map(({ what }) => what)).toEqual([
      expect.stringContaining('"name" is not the name'),
    ])
  })

  test('lose carriage returns at their end, and get the letters that control characters stand for', async () => {
    using directory = units('code,name\nA,"One\r"\nB,Women\u0092s\n')
    const { rows, kinds } = await directory.read()
    expect(rows.units?.map(({ name }) => name)).toEqual(['One', 'Women’s'])
    expect(kinds).toEqual({ 'stray-line-end': 1, 'control-character': 1 })
  })
})

describe('keys', () => {
  test('two rows with the same are refused with both lines', async () => {
    using directory = units('code,name\nA,One\nB,Two\nA,Three\n')
    expect(await directory.refusal()).toContain(
      'units.csv:4, code: "A"; expected a key that no row before it has, and line 2 has it',
    )
  })

  test('rows that are the same all over are one', async () => {
    using directory = units('code,name\nA,One\nB,Two\nA,One\n')
    const { rows, kinds, examples } = await directory.read()
    expect(rows.units?.map(({ code }) => code)).toEqual(['A', 'B'])
    expect(kinds).toEqual({ 'repeated-row': 1 })
    expect(examples).toEqual(['units.csv:4: A, as in line 2'])
  })

  test('a blank one is refused', async () => {
    using directory = units('code,name\nA,One\n,Two\n')
    expect(await directory.refusal()).toContain(
      'units.csv:3, code: nothing; expected a value, because it is part of the key',
    )
  })

  test('one that is declared and no column is refused', async () => {
    using directory = units('kode_x,name\nA,One\n')
    expect(await directory.refusal()).toContain('units.csv:1, code: nothing; expected a column of this name')
  })

  test('where none is declared, a column that is not unique after the sample is not taken for one', async () => {
    const csv = ['code,region,name']
    for (let index = 0; index < 210; index++) csv.push(`${index % 205},${index < 205 ? 'x' : 'y'},Name ${index}`)
    using directory = new PackageDirectory().put('places.csv', csv.join('\n'))
    const { rows, source } = await directory.read({ sampledRows: 200 })
    expect(rows.places).toHaveLength(210)
    expect(source.catalog.entities.get('places')?.key).toEqual(['code', 'region'])
  })
})

test('rows that a guessed key does not tell apart are left out, each with its line', async () => {
  const csv = Array.from({ length: 100 }, (_, index) => `${index},Name ${index % 9}\n`).join('')
  using directory = new PackageDirectory().put('units.csv', `code,name\n${csv}7,Name 3\n,Name 1\nlast,Name 1\n`)
  const { rows, examples } = await directory.read()
  expect(rows.units).toHaveLength(101)
  expect(examples).toEqual(['units.csv:103: no code', 'units.csv:102: 7, as in line 9'])
})

describe('references', () => {
  const regions = table('regions', [CODE, NAME], KEY)
  const foreignKeys = [{ fields: 'region', reference: { resource: 'regions', fields: 'code' } }]

  test('embed the record, and are missing and told where there is none', async () => {
    using directory = new PackageDirectory()
      .describe(table('units', [CODE, NAME, { name: 'region' }], { ...KEY, foreignKeys }), regions)
      .put('units.csv', 'code,name,region\nA,One,01\nB,Two,1.0\nC,Three,\n')
      .put('regions.csv', 'code,name\n01,North\n')
    const { rows, source, kinds, examples } = await directory.read()
    expect(source.provides).toEqual(['regions', 'units'])
    expect(rows.units).toEqual([
      { code: 'A', name: 'One', region: '01' },
      { code: 'B', name: 'Two' },
      { code: 'C', name: 'Three' },
    ])
    expect(source.catalog.entities.get('units')?.fields.region).toMatchObject({ kind: 'embed', optional: true })
    expect(kinds).toEqual({ 'reference-not-found': 1 })
    expect(examples).toEqual(['units.csv:3, region: "1.0"'])
  })

  test('may mean a field that is not the key', async () => {
    const byName = [{ fields: 'region', reference: { resource: 'regions', fields: 'name' } }]
    using directory = new PackageDirectory()
      .describe(table('units', [CODE, NAME, { name: 'region' }], { ...KEY, foreignKeys: byName }), regions)
      .put('units.csv', 'code,name,region\nA,One,North\n')
      .put('regions.csv', 'code,name\n01,North\n')
    expect((await directory.read()).rows.units).toEqual([{ code: 'A', name: 'One', region: '01' }])
  })

  test('may lead to a list of another package, whose records may be known', async () => {
    using states = new PackageDirectory()
      .put('datapackage.json', JSON.stringify({ name: 'states', resources: [regions] }))
      .put('regions.csv', 'code,name\n01,North\n')
    const definitions = [...(await states.read()).source.catalog.entities.values()].map(entityData)
    const elsewhere = [{ fields: 'region', reference: { package: 'states', resource: 'regions', fields: 'code' } }]
    using directory = new PackageDirectory()
      .describe(table('units', [CODE, NAME, { name: 'region' }], { ...KEY, foreignKeys: elsewhere }))
      .put('units.csv', 'code,name,region\nA,One,01\nB,Two,02\n')
    const outside = { ...shippedLists(), definitions, hasHome: true, known: () => [], recordsOf: () => undefined }
    const unchecked = await directory.read({ outside: () => outside })
    expect(unchecked.rows.units?.map(({ region }) => region)).toEqual(['01', '02'])
    const known = { has: (identity: unknown) => identity === '01', byFields: () => undefined }
    const checked = await directory.read({ outside: () => ({ ...outside, recordsOf: () => known }) })
    expect(checked.rows.units?.map(({ region }) => region)).toEqual(['01', undefined])
    expect(checked.kinds).toEqual({ 'reference-not-found': 1 })
    expect([...checked.source.catalog.entities.keys()]).toEqual(['regions', 'units'])
  })

  test('a table that cannot be read is left out, and the rest is published without it', async () => {
    using directory = new PackageDirectory()
      .describe(table('units', [CODE, NAME, { name: 'region' }], { ...KEY, foreignKeys }), regions)
      .put('units.csv', 'code,name,region\nA,One,01\n')
      .put('regions.csv', 'code,name\n01,North,too many\n')
    const { rows, leftOut, kinds } = await directory.read()
    expect(rows).toEqual({ units: [{ code: 'A', name: 'One', region: '01' }] })
    expect(leftOut.regions).toContain('regions.csv:2, column 3: "3 values, one of them too many"; expected 2 values')
    expect(kinds).toEqual({ 'list-left-out': 1 })
    expect(await directory.refusal({ strict: true })).toContain('regions.csv:2')
  })
})

describe('trees', () => {
  const tree = (rows: string) =>
    new PackageDirectory()
      .describe(table('units', [CODE, NAME, { name: 'parent' }], KEY, { 'nomenclator:broader': 'parent' }))
      .put('units.csv', `code,name,parent\n${rows}`)

  test.each([
    ['a root that is its own parent', 'T,All,T\nA,One,T\n', 'own-parent', [undefined, 'T']],
    ['a parent that is not there', 'T,All,\nA,One,X\n', 'parent-not-found', [undefined, undefined]],
    ['a parent that is named, and is its own', 'A,One,All\nT,All,All\n', 'own-parent', ['T', undefined]],
    ['a circle of names', 'A,One,Two\nB,Two,One\nC,Three,One\n', 'parents-in-a-circle', [undefined, 'A', 'A']],
    ['a circle', 'A,One,B\nB,Two,C\nC,Three,A\nD,Four,C\n', 'parents-in-a-circle', [undefined, 'C', 'A', 'C']],
  ])('%s is told and cut', async (_, csv, kind, parents) => {
    using directory = tree(csv)
    const { rows, kinds } = await directory.read()
    expect(rows.units?.map(({ parent }) => parent)).toEqual(parents)
    expect(kinds).toEqual({ [kind]: 1 })
  })

  test('may go down ten thousand levels', async () => {
    using directory = tree(Array.from({ length: 10_000 }, (_, index) => `${index},Name,${index - 1}\n`).join(''))
    const { rows } = await directory.read()
    expect(rows.units?.at(-1)?.parent).toBe('9998')
  })
})

describe('files as they are found', () => {
  const CSV = 'code,name\nA,Ñandú\nB,Über\n'
  const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16()

  test.each([
    ['UTF-8 with a mark', Buffer.from(`\ufeff${CSV}`), {}],
    ['UTF-16', Buffer.from(`\ufeff${CSV}`, 'utf16le'), {}],
    ['UTF-16 the other way round', swapped(Buffer.from(`\ufeff${CSV}`, 'utf16le')), {}],
    ['UTF-16 without a mark', Buffer.from(CSV, 'utf16le'), {}],
    ['Latin-1 that is declared', Buffer.from(CSV, 'latin1'), { encoding: 'iso-8859-1' }],
    ['Latin-1 that is not', Buffer.from(CSV, 'latin1'), {}],
    ['UTF-8 that is declared as Latin-1', Buffer.from(CSV), { encoding: 'latin1' }],
    ['an encoding that is not known', Buffer.from(CSV), { encoding: 'klingon' }],
    ['gzip', gzipSync(CSV), {}],
    ['UTF-16 that is declared', Buffer.from(`\ufeff${CSV}`, 'utf16le'), { encoding: 'utf-16le' }],
    ['carriage returns alone', Buffer.from(CSV.replaceAll('\n', '\r')), {}],
    ['semicolons', Buffer.from(CSV.replaceAll(',', ';')), {}],
    ['tabs', Buffer.from(CSV.replaceAll(',', '\t')), { dialect: { delimiter: '\t' } }],
    ['bars', Buffer.from(CSV.replaceAll(',', '|')), {}],
    ['apostrophes as quotes', Buffer.from(CSV.replace('Über', "'Über'")), { dialect: { quoteChar: "'" } }],
    ['no header', Buffer.from(CSV.replace('code,name\n', '')), { dialect: { header: false } }],
    ['comments', Buffer.from(`# a table\n${CSV}`), { dialect: { commentChar: '#' } }],
  ])('%s', async (_, bytes, resource) => {
    using directory = units(bytes, [], resource)
    const { rows } = await directory.read()
    expect(rows.units).toEqual([
      { code: 'A', name: 'Ñandú' },
      { code: 'B', name: 'Über' },
    ])
  })

  test.each([
    [{}, ['units.csv: utf-16le, not utf-8']],
    [{ encoding: 'utf-16le' }, []],
  ])('UTF-16 is told unless it is declared: %j', async (resource, told) => {
    using directory = units(Buffer.from(`\ufeff${CSV}`, 'utf16le'), [], resource)
    expect((await directory.read()).examples).toEqual(told)
  })

  test.each([
    ['a byte of Windows-1252', 'code,name\nA,Ñandú\nB,Ñu Caf\xe9\n', 3, 9, '0xE9'],
    ['a character that is cut off at the end', 'code,name\nA,Ñandú\nB,Ñ\xc3', 3, 4, '0xC3'],
    ['after a chunk', `code,name\n${'A,Ñ\n'.repeat(40_000)}B,\x80\n`, 40_002, 3, '0x80'],
  ])('UTF-8 with %s is refused at its line and column', async (_, text, line, column, byte) => {
    const csv = Buffer.concat([...text].map((one) => Buffer.from(one, 'Ñú'.includes(one) ? 'utf8' : 'latin1')))
    for (const bytes of [csv, gzipSync(csv)]) {
      using directory = units(bytes)
      expect(await directory.refusal()).toStartWith(
        `units.csv:${line}, column ${column}: "byte ${byte}"; expected UTF-8`,
      )
    }
  })

  test('a header and a schema that differ are matched by name', async () => {
    using directory = units('Name,more,CODE\nOne,x,A\n', [{ name: 'lost' }])
    const { rows, kinds, examples } = await directory.read()
    expect(rows.units).toEqual([{ Name: 'One', more: 'x', CODE: 'A' }])
    expect(kinds).toEqual({ 'header-differs': 2, 'column-missing': 1, 'column-not-declared': 1 })
    expect(examples).toContain('units.csv:1: lost')
  })

  test('a file that only differs in case is named', async () => {
    using directory = new PackageDirectory()
      .describe(table('units', [CODE, NAME], KEY, { path: 'data/Units.csv' }))
      .put('data/units.csv', CSV)
    expect(await directory.refusal()).toContain('"data/Units.csv"; expected a file that is there; data/units.csv is')
  })

  test.each([
    ['climbs', '../secret.csv', 'a path without ..'],
    ['is absolute', '/etc/passwd', 'a path relative to the descriptor'],
    ['has a drive', 'C:\\data.csv', 'a path relative to the descriptor'],
    ['has another scheme', 'file:///etc/passwd', 'a path relative to the descriptor'],
    ['is a link that leads out', 'link.csv', 'a link that leads out'],
  ])('a path that %s is refused', async (_, path, expected) => {
    using directory = new PackageDirectory()
      .describe(table('units', [CODE, NAME], KEY, { path }))
      .link('link.csv', '/etc/passwd')
    expect(await directory.refusal()).toContain(expected)
  })

  test('several files are one table, with or without their own headers', async () => {
    using directory = new PackageDirectory()
      .describe(table('units', [CODE, NAME], KEY, { path: ['1.csv', '2.csv', '3.csv'] }))
      .put('1.csv', 'code,name\nA,One\n')
      .put('2.csv', 'code,name\nB,Two\n')
      .put('3.csv', 'C,Three\nA,One\n')
    const { rows, kinds } = await directory.read()
    expect(rows.units?.map(({ code }) => code)).toEqual(['A', 'B', 'C'])
    expect(kinds).toEqual({ 'repeated-row': 1 })
  })

  test('rows may stand in the descriptor', async () => {
    const data = [
      { code: 'A', name: 'One', size: 1.5 },
      { code: 'B', name: 'Two', size: null },
    ]
    using directory = new PackageDirectory().describe({ name: 'units', data, schema: { fields: [CODE], ...KEY } })
    const { rows } = await directory.read()
    expect(rows.units).toEqual([
      { code: 'A', name: 'One', size: '1.5' },
      { code: 'B', name: 'Two' },
    ])
  })

  test('a zip may have the package in a folder', async () => {
    using directory = new PackageDirectory().put(
      'a.zip',
      zipOf([
        {
          name: 'units-main/datapackage.json',
          bytes: Buffer.from(JSON.stringify({ name: 'u', resources: [table('units', [CODE], KEY)] })),
        },
        { name: 'units-main/units.csv', bytes: Buffer.from(CSV) },
      ]),
    )
    const { rows } = await readPackage(`${directory.path}/a.zip`)
    expect(rows.units).toHaveLength(2)
  })

  test('tables without a descriptor are a package of the name of their directory', async () => {
    using directory = new PackageDirectory()
      .put('offices/units.csv', CSV)
      .put('offices/more/regions.tsv', CSV.replaceAll(',', '\t'))
    const { rows, source } = await readPackage(`${directory.path}/offices`)
    expect(source.package.name).toBe('offices')
    expect(Object.keys(rows)).toEqual(['regions', 'units'])
  })
})

describe('hostile packages', () => {
  test('names that every object has are no fields', async () => {
    using directory = new PackageDirectory()
      .put(
        'datapackage.json',
        '{"name":"x","__proto__":{"polluted":1},"resources":[{"name":"constructor","path":"a.csv"}]}',
      )
      .put('a.csv', 'code,__proto__,constructor,name\nA,x,y,One\nB,x,y,Two\n')
    const { rows } = await directory.read()
    expect(Object.values(rows)).toEqual([
      [
        { code: 'A', name: 'One' },
        { code: 'B', name: 'Two' },
      ],
    ])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('a thousand fields are too many for none but the table', async () => {
    const header = Array.from({ length: 1_200 }, (_, index) => `f${index}`).join(',')
    using directory = units('code,name\nA,One\n')
      .put('wide.csv', `${header}\n${header}\n`)
      .describe(table('units', [CODE, NAME], KEY), { name: 'wide', path: 'wide.csv' })
    const { rows, leftOut } = await directory.read()
    expect(Object.keys(rows)).toEqual(['units'])
    expect(Object.keys(leftOut)).toEqual(['wide'])
  })

  test('a value that is too long is refused with its place', async () => {
    using directory = units(`code,name\nA,${'x'.repeat(20_001)}\n`)
    expect(await directory.refusal()).toMatch(/^units\.csv:2, name: "x+; expected a text .*, of 1 to 20000 characters/)
  })

  test.each([
    ['a line without an end', `code,name\nA,${'x'.repeat(5 << 20)}`, 'units.csv:2, all'],
    ['a quote that is never closed', `code,name\nA,"${'x\n'.repeat(1_000)}`, 'units.csv:2, column 2'],
    ['a gzip bomb', gzipSync(`code,name\n${`A,${'x'.repeat(900)}\n`.repeat(100_000)}`), 'out of'],
    ['damaged gzip', gzipSync('code,name\nA,One\n'.repeat(1_000)).subarray(0, 60), 'sound gzip'],
    ['an empty file', '', 'an empty file'],
  ])('%s is refused with its place', async (_, bytes, expected) => {
    using directory = units(bytes)
    expect(await directory.refusal()).toContain(expected)
  })

  test('a pattern that goes back and forth is told, and not tried', async () => {
    using directory = units(`code,name\nA,${'a'.repeat(900)}!\n`, []).describe(
      table('units', [CODE, { ...NAME, constraints: { pattern: '(a+)+(?=b)' } }], KEY),
    )
    expect((await directory.read()).kinds).toEqual({ 'pattern-not-checked': 1 })
  })
})

describe('what is told of a package', () => {
  test('version 0 as well as version 2', async () => {
    using directory = units('code,name\nA,One\n').put(
      'datapackage.json',
      JSON.stringify({
        name: 'units',
        title: 'Units',
        version: 17,
        license: { type: 'ODC-PDDL', url: 'https://example.org/pddl' },
        sources: [{ name: 'UNECE', web: 'https://unece.org' }],
        maintainer: 'Ana <ana@example.org>',
        licensces: [],
        resources: [{ name: 'units', path: 'units.csv', schema: { fields: [{ id: 'code' }], primaryKey: 'code' } }],
      }),
    )
    const { source, examples } = await directory.read()
    const { described: _, ...info } = source.package
    expect(info).toEqual({
      name: 'units',
      title: 'Units',
      version: '17',
      licenses: [{ name: 'ODC-PDDL', path: 'https://example.org/pddl' }],
      sources: [{ title: 'UNECE', path: 'https://unece.org' }],
      keywords: [],
      contributors: [{ title: 'Ana', email: 'ana@example.org', roles: ['maintainer'] }],
      lists: ['units'],
    })
    expect(source.origin.credits).toEqual([{ to: 'Units; from UNECE; by Ana; under ODC-PDDL', of: ['units'] }])
    expect(examples).toContainEqual(
      expect.stringMatching(/^datapackage.json:1, column \d+: the package: licensces, perhaps licenses/),
    )
  })

  test('what is odd is refused where all must be in order', async () => {
    using directory = units('code,name\nNA,One\n')
    expect(await directory.refusal({ strict: true })).toContain(
      'DIR is refused: 0 faults, 1 findings; nothing was changed',
    )
  })

  test('fewer records than are expected are refused', async () => {
    using directory = units('code,name\nA,One\n', [], { 'nomenclator:expects': 10 })
    expect(await directory.refusal()).toContain('"1 records"; expected at least 10')
  })
})

test('a schema without a list of fields is told, since its keys are not obeyed', async () => {
  using directory = new PackageDirectory()
    .describe({ name: 'units', path: 'units.csv', schema: { foreignKeys: [] } } as never)
    .put('units.csv', 'code,name\nA,One\nB,Two\n')
  const { kinds } = await directory.read()
  expect(kinds).toEqual({ 'schema-not-read': 1 })
})

describe('what is wrong in a descriptor is told at its line and column', () => {
  const YAML = `name: test-package
resources:
  - name: units
    path: units.csv
    schema:
      primaryKey: code
      fields:
        - {name: code, type: string, nomenclator:rol: code}
        - {name: name, type: txet}
      foreignKeys:
        - fields: name
  - name: lost
    path: [lost.csv]
`
  const JSON_LINES = `{"name": "test-package", "nomenclator:titel": "x", "resources": [
  {"name": "units", "path": "units.csv", "nomenclator:order": "random",
   "schema": {"primaryKey": "code", "nomenclator:code": ["code"], "foreignKeys": [{"fields": "name"}],
    "fields": [{"name": "code", "type": "string",
      "nomenclator:rol": "code"}, {"name": "name"}]}},
  {"name": "lost",
   "path": "lost.csv"}]}
`
  test.each([
    [
      'datapackage.yaml',
      YAML,
      [
        'datapackage.yaml:8, column 55: units.code: nomenclator:rol is "code"; expected nomenclator:role',
        'datapackage.yaml:9, column 30: units.name: txet',
        'datapackage.yaml:11, column 11: units: {"fields":"name"}',
      ],
      'datapackage.yaml:13, column 12: "lost.csv"; expected a file that is there',
    ],
    [
      'datapackage.json',
      JSON_LINES,
      [
        'datapackage.json:1, column 47: the package: nomenclator:titel is "x"; expected nomenclator:title, at a resource',
        'datapackage.json:2, column 63: resource units: nomenclator:order is "random"; expected one of as given, by key',
        'datapackage.json:3, column 57: the schema of units: nomenclator:code is ["code"]; expected nomenclator:code, at a resource',
        'datapackage.json:5, column 26: units.code: nomenclator:rol is "code"; expected nomenclator:role',
        'datapackage.json:3, column 83: units: {"fields":"name"}',
      ],
      'datapackage.json:7, column 12: "lost.csv"; expected a file that is there',
    ],
  ])('%s', async (file, text, findings, missing) => {
    using directory = new PackageDirectory().put(file, text).put('units.csv', 'code,name\nA,One\nB,Two\n')
    const { examples, leftOut } = await directory.read()
    for (const finding of findings) expect(examples).toContain(finding)
    expect(leftOut.lost).toStartWith(missing)
  })
})

test('an official code with a name is composed of fields, and of the codes of records that it refers to', async () => {
  const STATE = { name: 'state', type: 'string' }
  const parts = ['state', { field: 'code', width: 3 }]
  using directory = new PackageDirectory()
    .describe(
      table('states', [CODE, NAME], KEY),
      table(
        'towns',
        [{ name: 'id', type: 'integer' }, STATE, CODE, NAME],
        {
          primaryKey: 'id',
          foreignKeys: [{ fields: ['state'], reference: { resource: 'states', fields: ['code'] } }],
        },
        { 'nomenclator:code': { name: 'geo', title: 'GEO', parts } },
      ),
    )
    .put('states.csv', 'code,name\n16,Michoacán\n')
    .put('towns.csv', 'id,state,code,name\n1,16,112,Zitácuaro\n2,16,1,Acuitzio\n')
  const { source } = await directory.read()
  const towns = entityData(entityIn(source.catalog, 'towns'))
  expect(towns.code).toEqual(['state', 'code'])
  expect(towns.codes).toEqual([
    { name: 'geo', title: 'GEO', description: 'GEO', parts: [{ field: 'state' }, { field: 'code', width: 3 }] },
  ])
})

test('the package keeps the complete resource of lists of which its descriptor left something open, and of no others', async () => {
  const fields = [
    { name: 'code', type: 'string' },
    { name: 'name', type: 'string', 'nomenclator:role': 'name' },
  ]
  const said = table('said', fields, { primaryKey: ['code'], foreignKeys: [] }, { 'nomenclator:broader': false })
  using directory = new PackageDirectory()
    .describe(said, { name: 'open', path: 'open.csv' })
    .put('said.csv', 'code,name\nA,One\nB,Two\n')
    .put('open.csv', 'code,name\nA,One\nB,Two\n')
  const { source } = await directory.read()
  expect(source.package.described?.map(({ list }) => list)).toEqual(['open'])
  const resource = JSON.parse(source.package.described?.[0]?.resource ?? '')
  expect(resource).toMatchObject({ name: 'open', path: 'open.csv', schema: { primaryKey: ['code'] } })
})
