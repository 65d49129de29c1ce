// Programs that the compiler must accept, and others that it must refuse: each refusal is expected on the line after.
import {
  BadRequest,
  type BuiltIn,
  type Change,
  connect,
  connectV1,
  type Estado,
  type Localidad,
  type Municipio,
  offline,
  type Pais,
  type Store,
  sync,
} from 'nomenclator-client'
import { fileStore } from 'nomenclator-client/file'
import type { Collections, Localidad as PrintedLocalidad, Municipio as PrintedMunicipio } from './catalogs.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** Compiles only if the type of the value is exactly the one that is named. */
const exactly = <B>() => ({ is: <A>(_value: A, ..._same: Same<A, B> extends true ? [] : [never]) => {} })
type Simple<T> = T extends object ? { [N in keyof T]: Simple<T[N]> } : T
const simple = <T>(value: T) => value as Simple<T>

const catalogs = connect('http://127.0.0.1')

// Records, with those that they embed.
const municipio = {} as Municipio
exactly<string>().is(municipio.idEstado.idPais.cvePais)
exactly<number>().is({} as Localidad['idMunicipio']['idMunicipio'])
exactly<{ cvePais: string; descPais: string; idPais: number }>().is(
  simple({} as { -readonly [N in keyof Pais]: Pais[N] }),
)
// @ts-expect-error there is no such field
municipio.poblacion
// @ts-expect-error records are not changed
municipio.descMunicipio = 'x'

type WithCode<R> = R & { readonly cvegeo: string | null }

export async function checked(): Promise<void> {
  exactly<WithCode<Municipio>>().is(await catalogs.municipios.get(1))
  for await (const one of catalogs.municipios.all({ idEstado: 9 })) exactly<WithCode<Municipio>>().is(one)
  exactly<number>().is((await catalogs.municipios.page()).total)
  exactly<string>().is((await catalogs.municipios.all().toArray()).release)

  // Filters.
  catalogs.localidades.all({ 'idMunicipio.idEstado.cveEstado': ['JAL', 'NL'], cveLocalidad_prefix: '00' })
  catalogs.localidades.all({ poblacion_min: 10, ambito: 'U', latitud: 1.5, idMunicipio: [1, 2] })
  // @ts-expect-error a misspelt filter
  catalogs.municipios.all({ idEstdo: 9 })
  // @ts-expect-error a misspelt filter beside a right one
  catalogs.municipios.all({ idEstado: 9, descMunicpio: 'x' })
  // @ts-expect-error an identifier is a number
  catalogs.municipios.all({ idEstado: '9' })
  // @ts-expect-error a code is a text
  catalogs.municipios.all({ cveMunicipio: 39 })
  // @ts-expect-error a name has no prefix
  catalogs.municipios.all({ descMunicipio_prefix: 'a' })
  // @ts-expect-error facts of an embedded record are no filters
  catalogs.localidades.all({ 'idMunicipio.poblacion_min': 1 })
  // @ts-expect-error a text has no minimum
  catalogs.localidades.all({ ambito_min: 1 })

  // Orders.
  catalogs.municipios.page({ sort: ['-idEstado.descEstado', 'descMunicipio', 'poblacion'] })
  // @ts-expect-error a misspelt order
  catalogs.municipios.page({ sort: '-descMunicpio' })
  // @ts-expect-error a misspelt order among others
  catalogs.municipios.page({ sort: ['idEstado', 'descMunicpio'] })

  // Fields narrow the type.
  const [some] = await catalogs.localidades.page({
    fields: ['descLocalidad', 'idEstado.descEstado', 'idMunicipio', 'poblacion'],
  })
  if (some === undefined) return
  exactly<string>().is(some.descLocalidad)
  exactly<string>().is(some.idEstado.descEstado)
  exactly<Localidad['idMunicipio']>().is(some.idMunicipio)
  exactly<number | null>().is(some.poblacion)
  // @ts-expect-error it was not selected
  some.cveLocalidad
  // @ts-expect-error nor was this, inside
  some.idEstado.cveEstado
  // @ts-expect-error a misspelt field
  catalogs.localidades.page({ fields: ['descLocalidad', 'idEstado.descEstdo'] })
  const narrow = await catalogs.paises.get(484, { fields: ['descPais'] })
  exactly<{ readonly descPais: string }>().is(simple(narrow))

  // Facts and embedded records.
  const full = await catalogs.localidades.get({ idMunicipio: 1, idLocalidad: 1 }, { facts: true })
  exactly<number | null>().is(full.latitud)
  exactly<string | null>().is(full.ambito)
  const short = await catalogs.localidades.byCode(['JAL-039', '1'], { embed: 'id' })
  exactly<number>().is(short.idMunicipio)
  // @ts-expect-error facts were not wanted
  short.poblacion
  // @ts-expect-error the key of a locality has two numbers
  catalogs.localidades.get(1)
  const whole = await catalogs.localidades.byCode('161120001')
  exactly<string | null>().is(whole.cvegeo)
  catalogs.municipios.page({ cvegeo: ['16112', '15002'], cvegeo_prefix: '16', sort: '-cvegeo', fields: ['cvegeo'] })
  // @ts-expect-error an embedded record has no code of its own
  whole.idMunicipio.cvegeo
  // @ts-expect-error that of a country has one
  catalogs.paises.byCode(['1', '2'])

  // Children and places near a point.
  const child = await catalogs.estados.children(14).municipios.page({ fields: ['cveMunicipio'] })
  exactly<string>().is(child[0]?.cveMunicipio ?? '')
  catalogs.estados.children(await catalogs.estados.get(1))
  // @ts-expect-error countries are no descendants of states
  catalogs.estados.children(14).paises
  for await (const place of catalogs.localidades.near({ latitud: 1, longitud: 2 }, { withinKm: 1 }))
    exactly<number>().is(place.distancia)
  // @ts-expect-error municipalities have no coordinates
  catalogs.municipios.near({ latitud: 1, longitud: 2 })
  catalogs.localidades.near({ latitud: 1, longitud: 2 }, { sort: '-poblacion' })
  // @ts-expect-error there is no such field to sort by
  catalogs.localidades.near({ latitud: 1, longitud: 2 }, { sort: 'habitantes' })

  // One of several collections, by its name.
  for (const name of ['paises', 'estados'] as const) {
    exactly<number>().is((await catalogs[name].page({ page: 2, perPage: 3, q: 'x' })).total)
    for await (const one of catalogs[name].all()) exactly<number>().is(one.idPais === undefined ? 0 : 1)
    exactly<Pais | Estado>().is(await catalogs[name].get(1))
    exactly<Pais | Estado>().is(await catalogs[name].byCode('x', { release: 'y' }))
    // @ts-expect-error not all of them take such a filter
    catalogs[name].page({ descEstado: 'x' })
  }
  const anyName = 'paises' as keyof BuiltIn
  exactly<string>().is((await catalogs[anyName].page()).release)
  // @ts-expect-error not all of them have an identifier of their own
  catalogs[anyName].get(1)
  const v1Name = 'paises' as 'paises' | 'localidades'
  exactly<number>().is((await connectV1('http://127.0.0.1')[v1Name].page()).total)
  const wrongFilter = { perPage: 3, idEstado: '9' }
  // @ts-expect-error an identifier is a number, also where it is named before
  catalogs.municipios.page(wrongFilter)

  // Other collections, and none that is not there.
  catalogs['subdisciplinas-conocimiento'].all({ 'disciplinaCono.campoCono.idArea': 1 })
  // @ts-expect-error there is no such collection
  catalogs.ciudades

  // Suggestions, rows and changes have their collection.
  const [found] = await catalogs.search('x', { in: ['municipios'], within: 'estados:9', limit: 3 })
  if (found?.collection === 'localidades') exactly<number>().is(found.key.idLocalidad)
  // @ts-expect-error there is no such collection to search
  catalogs.search('x', { in: ['ciudades'] })
  const [row] = await catalogs.resolve(['x', { estado: 'y' }])
  if (row?.verdict === 'exact') exactly<string>().is(row.name)
  for (const change of await catalogs.changes('x'))
    if (change.collection === 'municipios' && change.change === 'changed') {
      exactly<string>().is(change.new.descMunicipio)
      exactly<number>().is(change.key.idMunicipio)
    } else if (change.change === 'removed') {
      // @ts-expect-error what was removed is not there any more
      change.new
    }
  const ids = await catalogs.changes('x', { embed: 'id' })
  const [first] = ids
  if (first?.collection === 'municipios' && first.change === 'added') exactly<number>().is(first.new.idEstado)
  exactly<string>().is(ids.to)

  // Copies, API v1 and errors.
  const store: Store = fileStore('x')
  exactly<string>().is((await sync(catalogs, store, { signal: AbortSignal.timeout(1) })).release)
  type WithIsoCodes = { readonly alpha2: string | null; readonly numeric: string | null }
  exactly<Pais & WithIsoCodes>().is(await offline(new Map()).paises.get(1))
  const v1 = connectV1('http://127.0.0.1')
  exactly<Municipio | undefined>().is((await v1.municipios.page({ page: 3 }))[0])
  // @ts-expect-error API v1 has no states
  v1.estados
  // @ts-expect-error and no filters
  v1.municipios.all({ idEstado: 9 })
  const error: unknown = undefined
  if (error instanceof BadRequest) exactly<readonly string[]>().is(error.allowed)
  connect('http://127.0.0.1', { cache: new Map(), retries: 1, timeout: 1, concurrency: 1, release: 'x' })
  // @ts-expect-error a misspelt option
  connect('http://127.0.0.1', { retry: 1 })
}

// The types that the command prints are those of the client.
export const printed: [Localidad, Municipio] = [{} as PrintedLocalidad, {} as PrintedMunicipio]
export const derived: [PrintedLocalidad, PrintedMunicipio] = printed
export const shapes: BuiltIn = {} as Collections
export const printedShapes: Collections = {} as BuiltIn
const own = connect<Collections>('http://127.0.0.1')
own.municipios.all({ 'idEstado.idPais.cvePais_prefix': 'M', sort: '-poblacion' })
// @ts-expect-error a misspelt filter of a catalog of one's own
own.municipios.all({ idEstdo: 9 })
export const change: Change<Collections> = {} as Change<BuiltIn>
