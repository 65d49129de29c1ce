// Tables on the page that puts codes to a list: their encoding, separator and columns, rows that are alike, the table out.
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { csvCell, extendedLine, parseCsvLine } from '../source/csv.ts'
import { columnLetters, extendedRows, LevelNames, unnamedLevels } from './browser/resolver/added-columns.ts'
import {
  type CandidateRecord,
  type Fetch,
  RequestFailure,
  type ResolvedRow,
  resolveRows,
} from './browser/resolver/api.ts'
import {
  type Columns,
  columnsByHeader,
  columnsByValues,
  hasHeader,
  type ListPart,
  orFreeText,
  samplesOf,
  seenColumns,
} from './browser/resolver/inferred-columns.ts'
import { Resolving, ROWS_PER_REQUEST, recordOf, stateOf } from './browser/resolver/resolving.ts'
import {
  belowTitle,
  type Separator,
  type TableRow,
  tableOf,
  tablesIn,
  typedFile,
  writtenCsv,
} from './browser/resolver/table.ts'
import { unzip } from './browser/resolver/xlsx.ts'
import { words } from './words/words.ts'

const part = (name: string, names: readonly string[], codes: readonly string[]): ListPart => ({
  name,
  collection: `${name}s`,
  label: name,
  names: [name, ...names],
  codes,
})
const PARTS = [
  part('estado', ['entidad', 'edo', 'descEstado'], ['cveEstado']),
  part('municipio', ['mpio', 'descMunicipio'], ['cveMunicipio']),
  part('localidad', ['descLocalidad'], ['cveLocalidad']),
  part('area', ['descripcion'], []),
  part('campo', ['descripcion'], []),
]

/** What is read of a file with these bytes, by its name if it has one. */
const read = (
  content: string | Uint8Array,
  { name = '', separator }: { name?: string; separator?: Separator } = {},
) => {
  const given = typeof content === 'string' ? typedFile(content) : undefined
  const open = async function* () {
    yield content as Uint8Array
  }
  return tablesIn({ file: name, open: given?.open ?? open }, unzip, separator)
}
const rowsOf = async (...given: Parameters<typeof read>) => (await read(...given)).tables[0]?.rows

describe('the encoding', () => {
  const text = 'Año;Michoacán\r\n2020;"Zitácuaro €"'
  const utf16 = (isLittle: boolean, hasMark: boolean) => {
    const bytes = Buffer.from(`${hasMark ? '\ufeff' : ''}${text}`, 'utf16le')
    return isLittle ? bytes : bytes.swap16()
  }
  const windows1252 = Uint8Array.from(text, (letter) => (letter === '€' ? 0x80 : letter.charCodeAt(0)))
  test.each([
    ['UTF-8', 'UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', 'UTF-8', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 of Windows', 'UTF-16', utf16(true, true)],
    ['UTF-16 the other way round', 'UTF-16', utf16(false, true)],
    ['UTF-16 without a mark', 'UTF-16', utf16(true, false)],
    ['UTF-16 without a mark, the other way round', 'UTF-16', utf16(false, false)],
    ['Windows-1252', 'Windows-1252', windows1252],
  ])('%s', async (_, encoding, bytes) => {
    const given = await read(new Uint8Array(bytes))
    expect(given).toMatchObject({ encoding, separator: ';' })
    expect(given.tables[0]?.rows.map((row) => row.join(';')).join('\r\n')).toBe(text.replaceAll('"', ''))
  })
})

describe('a file', () => {
  const rows = [
    ['estado', 'n'],
    ['Nayarit', '1'],
  ]
  const NDJSON = '{"estado":"Nayarit","n":1}\n'
  test.each([
    ['a list of objects', 'x.json', Buffer.from(`[${NDJSON}]`)],
    ['an object on each line', 'x.ndjson', Buffer.from(NDJSON)],
    ['the same packed', 'x.ndjson.gz', Buffer.from(Bun.gzipSync(Buffer.from(NDJSON)))],
    ['packed CSV', 'x.csv.gz', Buffer.from(Bun.gzipSync(Buffer.from('estado;n\nNayarit;1\n')))],
    ['CSV in a zip', 'x.zip', Buffer.from(zipSync({ 'a.csv': strToU8('estado;n\nNayarit;1\n') }))],
    ['a name that says nothing', 'x.lista', Buffer.from('estado\tn\nNayarit\t1\n')],
  ])('of %s is read', async (_, name, bytes) => {
    expect(await rowsOf(bytes, { name })).toEqual(rows)
  })

  test('with a title above its header begins with the header', async () => {
    const isHeader = (row: TableRow) => row.includes('estado')
    const [table] = (await read('Oficinas 2024;;\n;;\nestado;n;x\nNayarit;1;a\nJalisco;2;b\n')).tables
    expect(belowTitle(table ?? tableOf('', []), isHeader).rows[0]).toEqual(['estado', 'n', 'x'])
    expect(belowTitle(table ?? tableOf('', []), () => false).rows).toHaveLength(4)
  })

  test('with a quote that is not closed has it as a letter', async () => {
    expect(await rowsOf('a;b\n"x;1\ny;2', { separator: ';' })).toEqual([
      ['a', 'b'],
      ['"x', '1'],
      ['y', '2'],
    ])
  })
})

describe('the separator', () => {
  test.each([
    ['tabs of a spreadsheet, with commas in its cells', 'a\tb, c\nd\te, f', '\t'],
    ['commas', 'estado,municipio\nNay,Tepic\nJal,"Tala, Jal"', ','],
    ['semicolons beside decimal commas', 'a;b\n1,5;2,5', ';'],
    ['bars', 'a|b\nc|d', '|'],
    ['addresses', 'Monterrey, N.L.\nTala, Jalisco\nTepic', ''],
    ['a column of names', 'Monterrey\nTala', ''],
  ] as const)('%s', async (_, text, separator) => {
    expect((await read(text)).separator).toBe(separator)
  })

  test('values keep quotes, separators and lines; rows are of one width; empty ones are left out', async () => {
    expect(await rowsOf('a,"b ""c"", d"\r\n,\r\n\r\n"e\nf"', { separator: ',' })).toEqual([
      ['a', 'b "c", d'],
      ['e\nf', ''],
    ])
    expect(await rowsOf('Tala, Jal\n\nTepic', { separator: '' })).toEqual([['Tala, Jal'], ['Tepic']])
  })

  test('CSV is written for spreadsheets, and reads back', async () => {
    const rows = [
      ['=1+1', '-5', '+52 443 123', 'a,b'],
      ['@x', 'ñ "q"', '007', 8],
    ]
    const written = writtenCsv(rows)
    expect(written).toStartWith('\ufeff')
    expect(await rowsOf(written, { separator: ',' })).toEqual([
      ["'=1+1", '-5', '+52 443 123', 'a,b'],
      ["'@x", 'ñ "q"', '007', '8'],
    ])
  })
})

test.each([
  ...['x;=HYPERLINK(0);y', '\uff1d1', '\u200b=1', '\t=1', '\u3164@a', 'a\r+1', 'x;"=1;y', 'x; =1', '=1'],
  ...["'=1", '-5', '+52 443 123', '-', 'a=b', 'a, -b', 'x;-1'],
])('a formula is guarded as in the CSV of the server: %j', async (text) => {
  const [[value] = []] = (await rowsOf(writtenCsv([[text, 'y']]), { separator: ',' })) ?? []
  expect([value]).toEqual(parseCsvLine(extendedLine(csvCell(text), [text], '', ',')) as string[])
})

describe('what the columns are', () => {
  test.each<[string, TableRow, Columns]>([
    ['the names of parts', ['Estado', 'Municipio', 'LOCALIDAD'], ['estado', 'municipio', 'localidad']],
    ['of INEGI', ['NOM_ENT', 'NOM_MUN', 'NOM_LOC'], ['estado', 'municipio', 'localidad']],
    ['of the fields', ['descEstado', 'cveMunicipio'], ['estado', 'municipio']],
    ['among words', ['Municipio de residencia', 'Edo. de origen'], ['municipio', 'estado']],
    ['names before codes', ['CVE_MUN', 'NOM_MUN'], [undefined, 'municipio']],
    ['the more telling before the first', ['mun. 2', 'municipio'], [undefined, 'municipio']],
    ['in other languages', ['Country', 'State', 'Municipality'], [undefined, 'estado', 'municipio']],
    ['what several parts are called says nothing', ['descripcion', 'folio', ''], [undefined, undefined, undefined]],
  ])('by header: %s', (_, header, columns) => {
    expect(columnsByHeader(seenColumns(header, []), PARTS)).toEqual(columns)
  })

  test('by values: the part that fits best, the outermost of equals, and never short numbers or decimals', () => {
    const rows: TableRow[] = [
      ['x', 'Jalisco', 'Tala', '14'],
      ['y', 'Nayarit', 'Tepic', '18'],
    ]
    const none: Columns = [undefined, undefined, undefined, undefined]
    const seen = (...given: readonly TableRow[]) =>
      seenColumns(
        (given[0] ?? []).map(() => ''),
        given,
      )
    const samples = samplesOf(seen(...rows), none, PARTS)
    expect(samples.some(({ column }) => column === 3)).toBe(false)
    for (const values of [
      ['12.5', '13.25'],
      ['-99,13', '-98,2'],
      ['2024-01-31', '2024-02-01'],
    ])
      expect(samplesOf(seen(...values.map((value) => [value])), [undefined], PARTS)).toEqual([])
    const telephones = seenColumns(['Teléfono'], [['3312345678'], ['8112345678']])
    expect(samplesOf(telephones, [undefined], PARTS)).toEqual([])
    const known: Record<string, string[]> = {
      Jalisco: ['estado', 'localidad'],
      Nayarit: ['estado'],
      Tala: ['municipio', 'localidad'],
      Tepic: ['municipio', 'localidad'],
    }
    const scores = samples.map(({ value, part }) => (known[value]?.includes(part) ? 1 : 0.5))
    expect(columnsByValues(none, samples, scores)).toEqual([undefined, 'estado', 'municipio', undefined])
  })

  test('a header that its values refute does not count', () => {
    const rows: TableRow[] = [
      ['casado', 'Tala'],
      ['soltera', 'Tepik'],
    ]
    const columns = seenColumns(['Estado civil', 'Municipio'], rows)
    const known = columnsByHeader(columns, PARTS)
    expect(known).toEqual(['estado', 'municipio'])
    const samples = samplesOf(columns, known, PARTS)
    const scores = samples.map(({ value }) => (value === 'Tala' ? 0.8 : 0.2))
    expect(columnsByValues(known, samples, scores)).toEqual([undefined, 'municipio'])
  })

  test('a table of which nothing is known is free text', () => {
    const columns = seenColumns(['', ''], [['12345678', 'Tala, Jal']])
    expect(orFreeText([undefined, undefined], columns)).toEqual([undefined, 'q'])
    expect(orFreeText(['estado', undefined], columns)).toEqual(['estado', undefined])
  })

  test.each<[string, TableRow[], boolean]>([
    ['names of parts', [['Estado'], ['Jalisco']], true],
    [
      'words above numbers',
      [
        ['Nombre', 'Edad'],
        ['Ana', '30'],
      ],
      true,
    ],
    ['values alone', [['Tala, Jalisco'], ['Tepic, Nayarit']], false],
    ['a header alone', [['Estado']], false],
  ])('a header is distinguished from a row: %s', (_, rows, isHeader) => {
    expect(hasHeader(rows, PARTS)).toBe(isHeader)
  })
})

const record = (code: string, name: string): CandidateRecord => ({
  collection: 'municipios',
  key: { idMunicipio: Number(code) },
  code,
  url: `http://x/api/v2/municipios/${code}`,
  name,
  breadcrumb: ['Jalisco', 'México'],
  parents: [
    { collection: 'estados', key: { idEstado: 14 }, code: '14' },
    { collection: 'paises', key: { idPais: 484 } },
  ],
  score: 1,
})
const TALA = record('14083', 'Tala')
const NONE = {
  ...{ verdict: 'none', collection: null, key: null, url: null, name: null, breadcrumb: [], parents: [], score: 0 },
  alternatives: [],
  levels: [],
} as unknown as ResolvedRow
const sure: ResolvedRow = { ...TALA, verdict: 'sure', alternatives: [], levels: [] }
const ambiguous: ResolvedRow = { ...NONE, verdict: 'ambiguous', alternatives: [TALA, record('1', 'Talpa')] }

describe('rows', () => {
  const rows: TableRow[] = [
    ['1', 'Tala'],
    ['2', 'talpa'],
    ['3', 'Tala'],
    ['4', ''],
  ]

  test('that say the same are sent once, and decided together', () => {
    const resolving = new Resolving(rows, [undefined, 'municipio'])
    const [first, second, third] = [...resolving.unresolved()].flat()
    expect([first?.sent, second?.sent, third?.sent]).toEqual([
      { municipio: 'Tala' },
      { municipio: 'talpa' },
      { municipio: '' },
    ])
    if (first === undefined || second === undefined || third === undefined) throw new Error('too few')
    resolving.resolve(first, ambiguous)
    resolving.resolve(second, sure)
    resolving.resolve(third, NONE)
    expect(resolving.counts).toEqual({ pending: 0, sure: 1, review: 2, none: 1, chosen: 0 })
    expect(recordOf(first)).toBeUndefined()
    resolving.choose(first, TALA)
    expect(resolving.counts).toEqual({ pending: 0, sure: 1, review: 0, none: 1, chosen: 2 })
    expect(recordOf(resolving.entryAt(2))).toBe(TALA)
    resolving.choose(first, 'none')
    expect([stateOf(first), recordOf(first)]).toEqual(['chosen', undefined])
  })

  test('go some at a time, and what was resolved is not sent again', () => {
    const many = Array.from({ length: 2 * ROWS_PER_REQUEST + 1 }, (_, at): TableRow => [`Rancho ${at}`])
    const resolving = new Resolving(many, ['q'])
    const sizes: number[] = []
    for (const entries of resolving.unresolved()) {
      sizes.push(entries.length)
      for (const entry of entries.slice(sizes.length === 1 ? 1 : 0)) resolving.resolve(entry, sure)
    }
    expect(sizes).toEqual([ROWS_PER_REQUEST, ROWS_PER_REQUEST, 1])
    expect([...resolving.unresolved()].flat().map(({ sent }) => sent)).toEqual(['Rancho 0'])
  })

  test('come out with codes and names of every level, and columns of the same name stay apart', () => {
    const resolving = new Resolving(rows, [undefined, 'municipio'])
    for (const entries of resolving.unresolved()) for (const entry of entries) resolving.resolve(entry, sure)
    const added = (collection: string, isConstant: boolean) => ({
      ...{ collection, isConstant, codeHeader: `Clave de ${collection}`, nameHeader: `Nombre de ${collection}` },
    })
    const columns = {
      names: new LevelNames(resolving),
      parts: [added('paises', true), added('estados', false), added('municipios', false), added('areas', false)],
      verdictHeader: 'Seguridad',
      verdictOf: stateOf,
    }
    expect(extendedRows(['Folio', 'Seguridad'], rows, resolving, columns).slice(0, 2)).toEqual([
      [
        'Folio',
        'Seguridad',
        ...['Clave de estados', 'Nombre de estados'],
        ...['Clave de municipios', 'Nombre de municipios'],
        'Seguridad 2',
      ],
      ['1', 'Tala', '14', 'Jalisco', '14083', 'Tala', 'sure'],
    ])
    expect(extendedRows(undefined, rows, resolving, columns)[0]?.slice(0, 2)).toEqual(['A', 'B'])
  })

  test('without a record come out with the levels that are certain and have a name', () => {
    const levels = [
      { collection: 'estados', code: '14', verdict: 'sure' },
      { collection: 'municipios', code: '14039', verdict: 'exact' },
      { collection: 'localidades', code: null, verdict: 'none' },
    ] as const
    const none = { ...NONE, levels } as ResolvedRow
    const resolving = new Resolving([['Tala'], ['xkqzw']], ['municipio'])
    for (const [at, entry] of resolving.entries.entries()) resolving.resolve(entry, at === 0 ? sure : none)
    const names = new LevelNames(resolving)
    // Jalisco is the state of the other row.
    expect([...unnamedLevels(resolving, names)]).toEqual([['municipios', new Set(['14039'])]])
    const partOf = (collection: string) => ({ collection, isConstant: false, codeHeader: 'code', nameHeader: 'name' })
    const columns = { parts: ['estados', 'municipios'].map(partOf), verdictHeader: 'verdict', verdictOf: stateOf }
    const last = () => extendedRows(undefined, [['Tala'], ['xkqzw']], resolving, { ...columns, names }).at(-1)
    expect(last()).toEqual(['xkqzw', '14', 'Jalisco', '', '', 'none'])
    names.add({ ...TALA, code: '14039', name: 'Guadalajara' })
    expect(unnamedLevels(resolving, names).size).toBe(0)
    expect(last()).toEqual(['xkqzw', '14', 'Jalisco', '14039', 'Guadalajara', 'none'])
  })

  test('keep what was chosen for rows that say the same, where the list is looked up again', () => {
    const before = new Resolving([['tala'], ['otra']], ['municipio'])
    before.choose(before.entryAt(0), TALA)
    const again = new Resolving([['nueva'], ['tala']], ['municipio'], before)
    expect(again.counts).toEqual({ pending: 1, sure: 0, review: 0, none: 0, chosen: 1 })
    expect([recordOf(again.entryAt(1)), again.choices]).toEqual([TALA, 1])
  })

  test('columns without a name are called as in a spreadsheet', () => {
    expect([0, 25, 26, 701, 702].map(columnLetters)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA'])
  })

  test('a busy server gets a request again when it says so, and other problems are errors', async () => {
    const api = { resolve: '/api/v2/resolve', search: '/api/v2/search', release: 'abc' }
    const requested: string[] = []
    const responding =
      (...responses: Response[]): Fetch =>
      (address) => {
        requested.push(address)
        return Promise.resolve(responses.shift() as Response)
      }
    const busy = () => new Response('', { status: 429, headers: { 'Retry-After': '0' } })
    const found = await resolveRows(api, ['x'], {
      within: 'estados',
      request: responding(busy(), busy(), Response.json([sure])),
    })
    expect(found).toEqual([sure])
    expect(requested).toEqual(Array<string>(3).fill('/api/v2/resolve?in=estados&release=abc'))
    const refused = resolveRows(api, ['x'], {
      request: responding(Response.json({ detail: 'row 1 is bad' }, { status: 400 })),
    })
    expect(refused).rejects.toEqual(new RequestFailure('row 1 is bad'))
    const always: Fetch = () => Promise.resolve(busy())
    expect(resolveRows(api, ['x'], { request: always })).rejects.toEqual(new RequestFailure('HTTP 429'))
  })

  test('of a table are of one width', () => {
    expect(tableOf('x', [['a'], ['', ' '], ['b', 2]])).toEqual({
      name: 'x',
      width: 2,
      rows: [
        ['a', ''],
        ['b', 2],
      ],
    })
  })
})

test('every word that the script says is there in both languages', () => {
  const directory = join(import.meta.dir, 'browser', 'resolver')
  const sources = readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8'))
  const used = sources.flatMap((source) => [...source.matchAll(/word\('(\w+)'\)/g)].map(([, name]) => name as string))
  expect(used.length).toBeGreaterThan(30)
  for (const { resolvers } of Object.values(words))
    expect(used.filter((name) => name !== 'example' && !Object.hasOwn(resolvers.script, name))).toEqual([])
})
