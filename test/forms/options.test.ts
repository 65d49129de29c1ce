// Records as the options of a form and as the choices of an XLSForm, over a real socket.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { unzipSync } from 'fflate'
import { choicesAbove } from '../../packages/server/src/query/formats/choices.ts'
import { releaseOf } from '../support/releases.ts'
import { serverForAll } from '../support/server.ts'
import { placesOf, smallSource } from '../support/small-source.ts'

setDefaultTimeout(60_000)

const rows = placesOf({
  states: [
    ['JAL', 'JC', 'Jalisco', 14],
    ['AGS', 'AS', 'Aguascalientes', 1],
  ],
  municipalities: [
    ['120', 'Zapopan', 14],
    ['039', 'Guadalajara', 14],
    ['004', 'Ñuu Savi', 14],
    ['005', 'Nuevo & <León>', 14],
    ['001', 'Aguascalientes', 1],
  ],
  localities: Array.from(
    { length: 5_101 },
    (_, at) =>
      [String((at % 9_000) + 1).padStart(4, '0'), `Rancho ${String(at).padStart(4, '0')}`, at < 5_000 ? 1 : 2] as const,
  ),
})
const { pais = [] } = rows
const release = await releaseOf(
  smallSource({ ...rows, pais: [...pais, { cvePais: 'JPN', descPais: 'Japón', idPais: 392, nombreEn: 'Japan' }] }),
)
const { url } = serverForAll(() => release)
const get = (path: string) => fetch(`${url}/api/v2/${path}`)
type Option = { readonly value: string; readonly label: string }
const options = async (path: string) => (await (await get(path)).json()) as Option[]
const detail = async (path: string) => ((await (await get(path)).json()) as { readonly detail: string }).detail

describe('options', () => {
  const jalisco = [
    { value: '14039', label: 'Guadalajara' },
    { value: '14005', label: 'Nuevo & <León>' },
    { value: '14004', label: 'Ñuu Savi' },
    { value: '14120', label: 'Zapopan' },
  ]
  test.each([
    [
      'a list',
      'estados?format=options',
      [
        { value: '01', label: 'Aguascalientes' },
        { value: '14', label: 'Jalisco' },
      ],
    ],
    ['what is below a record', 'estados/14/municipios?format=options', jalisco],
    ['a filtered list', 'municipios?idEstado=14&format=options', jalisco],
    [
      'in another order',
      'municipios?idEstado=14&format=options&sort=cveMunicipio',
      jalisco.toSorted((a, b) => (a.value < b.value ? -1 : 1)),
    ],
    ['a page, where one is wanted', 'estados/14/municipios?format=options&per_page=2&page=2', jalisco.slice(2)],
    ['a search in a list, the best first', 'municipios?q=zapo&format=options', jalisco.slice(3)],
    ['a search in all lists', 'search?q=zapopan&in=municipios&format=options', jalisco.slice(3)],
    ['names in a language', 'paises?format=options&lang=en&cvePais=JPN', [{ value: 'JPN', label: 'Japan' }]],
    ['one record', 'municipios/2?format=options', jalisco.slice(0, 1)],
    ['nothing', 'estados?format=options&idEstado=99', []],
  ])('%s', async (_, path, expected) => expect(await options(path)).toEqual(expected))

  test('up to 5,000 are whole, and more are paged as all lists are', async () => {
    const whole = await get('municipios/1/localidades?format=options')
    expect([whole.headers.get('x-total'), whole.headers.get('link')]).toEqual(['5000', null])
    const labels = ((await whole.json()) as Option[]).map(({ label }) => label)
    expect(labels).toEqual(Array.from({ length: 5_000 }, (_, at) => `Rancho ${String(at).padStart(4, '0')}`))
    const paged = await get('localidades?format=options')
    expect([paged.headers.get('x-total'), paged.headers.get('x-total-pages')]).toEqual(['5101', '103'])
    expect(paged.headers.get('link')).toContain('rel="next"')
    expect(await paged.json()).toHaveLength(50)
  })

  test('their type is JSON, and any origin may read them', async () => {
    const { headers } = await get('estados?format=options')
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    const all = await get('estados/all?format=options')
    expect(all.headers.get('content-disposition')).toContain('.json')
    expect(await all.json()).toHaveLength(2)
  })
})

const SHEETS = ['survey', 'choices', 'Acerca de']

/** The rows of each sheet by its name, as programs read them. */
async function workbook(path: string) {
  const response = await get(path)
  expect([path, response.status]).toEqual([path, 200])
  const parts = unzipSync(new Uint8Array(await response.arrayBuffer()))
  const text = (part: string) => new TextDecoder().decode(parts[part])
  const names = [...text('xl/workbook.xml').matchAll(/<sheet name="([^"]*)"/g)].map(([, name]) => name)
  expect(names).toEqual(SHEETS)
  const plain = (xml: string) => xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  const sheet = (number: number) =>
    [...text(`xl/worksheets/sheet${number}.xml`).matchAll(/<row r="[0-9]+">(.*?)<\/row>/g)].map(([, cells = '']) => {
      const values: string[] = []
      for (const [, letter = '', value = ''] of cells.matchAll(/<c r="([A-Z])[0-9]+".*?<t [^>]*>(.*?)<\/t>/g))
        values[letter.charCodeAt(0) - 65] = plain(value)
      return Array.from(values, (value) => value ?? '')
    })
  return { survey: sheet(1), choices: sheet(2) }
}

/** What is published of the form: every choice filter and every list of a question is there, and no choice is twice in its list. */
function expectRules({ survey, choices }: Awaited<ReturnType<typeof workbook>>) {
  const [questionHead = [], ...questions] = survey
  const [head = [], ...rows] = choices
  expect(questionHead).toEqual(['type', 'name', 'label::Español (es)', 'label::English (en)', 'choice_filter'])
  expect(head.slice(0, 4)).toEqual(['list_name', 'name', 'label::Español (es)', 'label::English (en)'])
  for (const [type = '', name = '', , , filter = ''] of questions) {
    expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_.-]*$/)
    expect(rows.some(([list]) => type === `select_one ${list}`)).toBe(true)
    if (filter === '') continue
    const [, column = '', asked] = /^(\S+)=\$\{(\S+)\}$/.exec(filter) ?? []
    expect(head).toContain(column)
    expect(questions.some(([, other]) => other === asked)).toBe(true)
    const place = head.indexOf(column)
    const above = new Set(rows.flatMap(([list, value]) => (list === asked ? [value] : [])))
    const own = rows.filter(([list]) => type === `select_one ${list}`)
    expect(own.filter((row) => row[place] && !above.has(row[place]))).toEqual([])
  }
  expect(rows.filter((row) => row.slice(0, 4).includes(''))).toEqual([])
  expect(new Set(rows.map(([list, value]) => `${list} ${value}`)).size).toBe(rows.length)
}

describe('xlsform', () => {
  test('has the list and those above it, filtered, with the columns of the cascade', async () => {
    const book = await workbook('municipios?idEstado=14&format=xlsform')
    expectRules(book)
    expect(book.choices).toEqual([
      ['list_name', 'name', 'label::Español (es)', 'label::English (en)', 'pais', 'estado'],
      ['pais', 'MEX', 'México', 'México'],
      ['estado', '14', 'Jalisco', 'Jalisco', 'MEX'],
      ['municipio', '14039', 'Guadalajara', 'Guadalajara', 'MEX', '14'],
      ['municipio', '14005', 'Nuevo & <León>', 'Nuevo & <León>', 'MEX', '14'],
      ['municipio', '14004', 'Ñuu Savi', 'Ñuu Savi', 'MEX', '14'],
      ['municipio', '14120', 'Zapopan', 'Zapopan', 'MEX', '14'],
    ])
    expect(book.survey.slice(1).map(([type, name, , , filter]) => [type, name, filter])).toEqual([
      ['select_one pais', 'pais', undefined],
      ['select_one estado', 'estado', `pais=${'$'}{pais}`],
      ['select_one municipio', 'municipio', `estado=${'$'}{estado}`],
    ])
  })

  test('is whole, though it would be pages, and has the names in both languages', async () => {
    const book = await workbook('localidades?format=xlsform')
    expectRules(book)
    expect(book.choices.filter(([list]) => list === 'localidad')).toHaveLength(5_101)
    const countries = await workbook('paises?format=xlsform')
    expectRules(countries)
    expect(countries.choices).toContainEqual(['pais', 'JPN', 'Japón', 'Japan'])
    expect((await workbook('estados/all?format=xlsform')).choices).toHaveLength(4)
  })
})

test('what records are in is read once for all that are in it', () => {
  const above = choicesAbove(release, release.entity('localidad'), ['es', 'en'])
  expect(above(1)).toBe(above(0))
  expect([0, 5_100].map((position) => above(position).map(({ value }) => value))).toEqual([
    ['14120', '14', 'MEX'],
    ['14039', '14', 'MEX'],
  ])
})

test('more than a form holds is refused, and what to filter by is told', async () => {
  const { recordFormats } = await import('../../packages/server/src/query/formats/formats.ts')
  const format = recordFormats.xlsform as { maxRecords: number }
  const { maxRecords } = format
  expect(maxRecords).toBe(50_000)
  format.maxRecords = 5_050
  try {
    for (const path of ['localidades?format=xlsform', 'localidades/all?format=xlsform']) {
      expect((await get(path)).status).toBe(400)
      expect(await detail(path)).toContain(
        'filters, as below one of municipios or estados or paises: xlsform holds 5050',
      )
    }
    expect((await get('municipios/1/localidades?format=xlsform')).status).toBe(200)
  } finally {
    format.maxRecords = maxRecords
  }
})
