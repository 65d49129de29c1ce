// Lists as institutions have them, of three to twenty rows: what any person sees at a glance is inferred.
import { expect, test } from 'bun:test'
import type { Descriptor, Resource } from '../descriptor.ts'
import { shippedLists } from '../known-lists.ts'
import { infer } from './infer.ts'
import { TableProfiler } from './table-profile.ts'

function inferred(tables: Readonly<Record<string, string>>) {
  const profiles = new Map(
    Object.entries(tables).map(([name, table]) => {
      const [header = [], ...rows] = table
        .trim()
        .split('\n')
        .map((line) => line.split('|').map((cell) => cell.trim()))
      const profiler = new TableProfiler(header)
      profiler.add(rows)
      return [name, profiler.profile()] as const
    }),
  )
  const descriptor: Descriptor = {
    name: 'institution',
    licenses: [],
    sources: [],
    keywords: [],
    contributors: [],
    own: new Map(),
    resources: Object.keys(tables).map((name) => ({ name, paths: [`${name}.csv`], own: new Map() })),
  }
  return infer(descriptor, profiles, shippedLists().known())
}

/** What a resource says of its columns, each in a few words. */
function shown({ schema, own }: Resource): Readonly<Record<string, string>> {
  const columns = (schema?.fields ?? []).map((field) => {
    const { reference } = schema?.foreignKeys?.find(({ fields }) => fields.at(-1) === field.name) ?? {}
    const role =
      reference === undefined ? field.own.get('role') : reference.resource === '' ? 'parent' : `→ ${reference.resource}`
    const said = schema?.primaryKey?.includes(field.name) ? 'key' : role === 'fact' ? field.type : role
    const language = field.own.get('language')
    return [field.name, `${said}${language === undefined ? '' : ` ${language}`}`]
  })
  return Object.fromEntries([...columns, ['tree', typeof own.get('broader') === 'object' ? 'by codes' : 'none']])
}

const cases: readonly (readonly [
  what: string,
  tables: Readonly<Record<string, string>>,
  columns: Readonly<Record<string, string>>,
])[] = [
  [
    'departments with a tree, two languages, their states and places',
    {
      departamentos:
        'clave|nombre|name_en|depende_de|clave_estado|lat|lon\n' +
        'D1|Dirección general|Head office||09|19.43|-99.13\nD2|Finanzas|Finance|D1|14|20.67|-103.35\nD3|Compras|Purchasing|D2|19|25.67|-100.31',
    },
    {
      clave: 'key',
      nombre: 'name',
      name_en: 'name en',
      depende_de: 'parent',
      clave_estado: '→ estados',
      lat: 'latitude',
      lon: 'longitude',
    },
  ],
  [
    'offices in municipalities and countries that the program has',
    {
      oficinas:
        'oficina|nombre|municipio|pais\nO1|Norte|19039|MEX\nO2|Occidente|14039|MEX\nO3|Centro|09015|MEX\nO4|Exterior||ESP',
    },
    { oficina: 'key', nombre: 'name', municipio: '→ municipios', pais: '→ paises' },
  ],
  [
    'one name in two languages',
    { temas: 'clave|nombre|name\nT1|Agua|Water\nT2|Aire|Air\nT3|Suelo|Soil' },
    { clave: 'key', nombre: 'name es', name: 'name en' },
  ],
  [
    'a title in two languages',
    {
      libros:
        'isbn|título|title\n9780140449136|La Odisea|The Odyssey\n9780199535569|Orgullo y prejuicio|Pride and Prejudice\n9780141439600|Dos ciudades|Two Cities',
    },
    { isbn: 'key', título: 'name es', title: 'name en' },
  ],
  [
    'a column that another list has the values of, called so in another language',
    {
      departments:
        'department_id|department_name\nFIN|Finance\nHR|Human Resources\nIT|Technology\nLEG|Legal\nOPS|Operations\nMKT|Marketing',
      employees:
        'employee_no|full_name|departamento\n1001|Ana Ruiz|FIN\n1002|Luis Paz|HR\n1003|Eva Sol|IT\n1004|Juan Mar|LEG\n1005|Rosa Luz|OPS\n1006|Hugo Rey|MKT',
    },
    { employee_no: 'key', full_name: 'name', departamento: '→ departments' },
  ],
  [
    'one name in three languages',
    { colours: 'code|nom|nome|name\nA|Bleu|Azul|Blue\nB|Vert|Verde|Green\nC|Rouge|Vermelho|Red' },
    { code: 'key', nom: 'name fr', nome: 'name pt', name: 'name en' },
  ],
  [
    'names in two languages, one of which says what the list is about',
    { branches: 'branch_code|branch_name|nombre\nB1|North|Norte\nB2|West|Oeste\nB3|South|Sur' },
    { branch_code: 'key', branch_name: 'name en', nombre: 'name es' },
  ],
  [
    'areas that people work in, and that are none of land',
    {
      areas: 'clave|area\nA1|Ventas\nA2|Compras\nA3|Sistemas',
      personal:
        'rfc|nombre|area\nRUPA800101AB1|Ana|A1\nGILE790202CD2|Eva|A2\nSOLJ810303EF3|Juan|A1\nREYL820404GH4|Leo|A3',
    },
    { rfc: 'key', nombre: 'name', area: '→ areas' },
  ],
  [
    'synonyms, which are what the list is about',
    {
      'city-synonyms':
        'synonym|state|label_name\nAugusto Severo|RN|campo.grande\nDona Euzébia|MG|dona.eusebia\nItabaiana|PB|itabaiana',
    },
    { synonym: 'key' },
  ],
  [
    'a column that has the values of another list in most rows, and many others besides',
    {
      levels: 'level|description\n1A|One\n1B|Two\n2A|Three\n2B|Four\n3A|Five\n3B|Six',
      units: `unit|name|level\n${Array.from({ length: 100 }, (_, at) => `U${at}|Unit ${at}|${at < 95 ? `${1 + (at % 3)}${'AB'[at % 2]}` : `${at},3A`}`).join('\n')}`,
    },
    { unit: 'key', name: 'name', level: 'string' },
  ],
  [
    'postal codes and telephones',
    {
      sucursales:
        'sucursal|nombre|cp|telefono\n1|Juárez|06600|3312345678\n2|Centro|44100|5512345678\n3|Obispado|64060|8112345678',
    },
    { sucursal: 'key', nombre: 'name', cp: 'string', telefono: 'string' },
  ],
  [
    'items that are below others by a column that no word calls so',
    {
      partidas:
        'partida|concepto|capitulo\n1000|Servicios personales|1000\n1100|Remuneraciones|1000\n1200|Honorarios|1000\n2000|Materiales|2000\n2100|Papelería|2000\n2200|Alimentos|2000\n3000|Servicios|3000\n3100|Luz|3000',
    },
    { partida: 'key', concepto: 'name', capitulo: 'parent' },
  ],
  [
    'items that are below others by their codes',
    {
      partidas:
        'partida|concepto\n1000|Servicios personales\n1100|Remuneraciones\n1110|Dietas\n1120|Haberes\n1200|Honorarios\n1210|Asimilados\n2000|Materiales\n2100|Papelería',
    },
    { partida: 'key', concepto: 'name', tree: 'by codes' },
  ],
  [
    'functions with points in their codes',
    {
      funciones: 'codigo|funcion\n01|Gobierno\n01.1|Legislación\n01.11|Congreso\n02|Desarrollo\n02.1|Salud'.replace(
        '01.11',
        '01.1.1',
      ),
    },
    { codigo: 'key', funcion: 'name', tree: 'by codes' },
  ],
  [
    'places with decimal commas',
    {
      museos:
        'clave|museo|latitud|longitud\nM1|Antropología|19,426|-99,186\nM2|Bellas Artes|19,435|-99,141\nM3|Papalote|19,412|-99,195',
    },
    { clave: 'key', museo: 'name', latitud: 'latitude', longitud: 'longitude' },
  ],
  [
    'a status that offices refer to, which is no parent',
    {
      estatus: 'estatus|descripcion\nA|Activa\nS|Suspendida',
      oficinas: 'clave|nombre|estatus\n01|Oficina Centro|A\n02|Oficina Norte|S\n03|Oficina Sur|A',
    },
    { clave: 'key', nombre: 'name', estatus: '→ estatus', tree: 'none' },
  ],
  [
    'states whose codes have lost their zeros',
    { unidades: 'unidad|nombre|entidad\nU-1|Norte|19\nU-2|Bajío|11\nU-3|Sur|7\nU-4|Centro|9' },
    { unidad: 'key', nombre: 'name', entidad: '→ estados' },
  ],
]

test.each(cases)('%s', (_, tables, columns) => {
  const { descriptor } = inferred(tables)
  expect(shown(descriptor.resources.at(-1) as Resource)).toMatchObject(columns)
})

test('near misses and doubts are told, each with the one change that says otherwise', () => {
  const offices = ['MX', 'US', 'CA', 'ES', 'UK'].map((country, at) => `O${at}|Oficina ${'abcde'[at]}|${country}`)
  const { notes } = inferred({ oficinas: ['clave|nombre|pais_id', ...offices].join('\n') })
  expect(notes.filter(({ kind }) => kind === 'doubt')).toEqual([
    {
      resource: 'oficinas',
      field: 'pais_id',
      what: '80 % of "pais_id" are "alpha2" of "paises" of package "nomenclator"; "UK" is not.',
      otherwise:
        '"foreignKeys": [{"fields": ["pais_id"], "reference": {"package": "nomenclator", "resource": "paises", "fields": ["alpha2"]}}] in its schema',
      kind: 'doubt',
    },
  ])
})

test.each([
  ['from zero', 0, 1],
  ['from one', 1, 1],
  ['with gaps', 1, 4 / 3],
])('numbers that were counted up and filled with zeros are no tree of codes: %s', (_, first, step) => {
  const rows = Array.from(
    { length: 300 },
    (_, at) => `${String(first + Math.floor(at * step)).padStart(4, '0')}|Oficina ${at}`,
  )
  const { descriptor } = inferred({ oficinas: `clave|nombre\n${rows.join('\n')}` })
  expect(descriptor.resources.map(shown)).toEqual([{ clave: 'key', nombre: 'name', tree: 'none' }])
})
