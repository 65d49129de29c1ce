// A small catalog in two releases to explore: enough for several pages, with facts, namesakes and names that attack a page.

import { MAX_TEXT } from '../../packages/server/src/catalog/check.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import type { GivenRow } from '../../packages/server/src/source/source.ts'
import { type Rows, sourceOf, TestHome, tiny } from './releases.ts'
import { serverOf, type TestServer } from './server.ts'

/** Names that would do harm, or turn a page around, if they were not shown as text. */
export const HOSTILE_NAMES = [
  '<script>window.attacked = true</script>',
  '"><img src=x onerror="window.attacked = true">',
  "' onfocus='window.attacked = true' autofocus='",
  '</title><script>window.attacked = true</script>',
  '{{constructor.constructor("window.attacked = true")()}}',
  'Derecha \u202e a izquierda',
  'שלום עולם \u200f!',
  // No import takes a name that is longer than a thousand letters.
  `Largo ${'ñ'.repeat(MAX_TEXT - 'Largo '.length)}`,
] as const
/** A text that no import limits, unlike names. */
const LONG_CREDIT = `${HOSTILE_NAMES[1]}${'ñ'.repeat(10_000)}`

const MUNICIPALITY = 3
const PLACES = 120

const place = (number: number, name: string): GivenRow => ({
  cveLocalidad: String(number).padStart(4, '0'),
  descLocalidad: name,
  idLocalidad: number,
  idEstado: 2,
  idMunicipio: MUNICIPALITY,
  latitud: 31 + (number % 12) / 10,
  longitud: -116 + Math.floor(number / 12) / 10,
  poblacion: number * 37,
  ambito: number % 3 === 0 ? 'U' : 'R',
})

const places: readonly GivenRow[] = [
  ...tiny.localidad.map((row) => (row.descLocalidad === 'Aguascalientes' ? { ...row, poblacion: 30_000 } : row)),
  ...Array.from({ length: PLACES }, (_, at) => place(at + 100, `Rancho ${at + 1}`)),
  ...HOSTILE_NAMES.map((name, at) => place(at + 400, name)),
  // A namesake of a locality in another municipality, of which neither is so much larger that it is meant.
  { ...place(900, 'Aguascalientes') },
]

const rows: Rows = {
  ...tiny,
  pais: [...tiny.pais, { cvePais: 'XXA', descPais: HOSTILE_NAMES[1], idPais: 999 }],
  localidad: places,
}
/** The release before: one locality had another name, and one was missing. */
const earlier: Rows = {
  ...rows,
  localidad: places
    .slice(0, -1)
    .map((row) => (row.descLocalidad === 'Rancho 1' ? { ...row, descLocalidad: 'Rancho Uno' } : row)),
}

export type Explored = {
  readonly server: TestServer
  /** The digests of the release before and of the current one. */
  readonly digests: readonly [before: string, current: string]
  readonly close: () => Promise<void>
}

export async function explored(): Promise<Explored> {
  const home = new TestHome()
  const origin = { title: HOSTILE_NAMES[0], credits: [{ to: LONG_CREDIT, of: ['pais'] }] }
  const before = await home.import(sourceOf(earlier, origin, builtInCatalog))
  const current = await home.import(sourceOf(rows, origin, builtInCatalog))
  const release = home.current()
  const server = serverOf(() => release, {}, home.store)
  return {
    server,
    digests: [before.digest, current.digest],
    close: async () => {
      await server.close()
      home[Symbol.dispose]()
    },
  }
}

/** An address of every kind of page, by what it is. */
export const PAGES: Readonly<Record<string, string>> = {
  home: '/',
  collections: '/explore',
  search: '/explore?q=aguascalientes',
  'search without results': '/explore?q=wkwkwk',
  table: '/explore/localidades?per_page=25',
  'table, filtered and sorted': '/explore/localidades?idEstado=2&ambito=U&sort=-poblacion&per_page=25&page=2',
  'table without rows': '/explore/localidades?q=wkwkwk',
  'table of a root': '/explore/paises',
  'record with coordinates': '/explore/localidades/3-100',
  'record with children': '/explore/municipios/3',
  'record of a hierarchy': '/explore/subdisciplinas-conocimiento/110101',
  'record with a hostile name': '/explore/localidades/3-401',
  tree: '/explore/tree?open=municipios:3',
  map: '/map',
  'map, searched and filtered': '/map/localidades?q=rancho&idEstado=2',
  'map of nothing found': '/map?q=zzzzzzzzzz',
  picker: '/picker',
  resolver: '/resolve',
  'picker, submitted': '/picker?lugar=3-1&lugar.estado=2',
  releases: '/releases',
  docs: '/docs',
  'resource of the docs': '/docs/list-localidades',
}
