// Exports of a module without types of its own: the compiler has to be able to name the types of the client.
import { connect, connectV1, NotFound, offline, sync } from 'nomenclator-client'
import { fileStore } from 'nomenclator-client/file'

export const catalogs = connect('http://127.0.0.1')
export const country = await catalogs.paises.get(484)
export const state = (await catalogs.municipios.byCode('x')).idEstado
export const page = await catalogs.estados.page()
export const narrow = await catalogs.localidades.page({ fields: ['descLocalidad', 'idEstado.descEstado', 'poblacion'] })
export const withFacts = await catalogs.localidades.get({ idMunicipio: 1, idLocalidad: 2 }, { facts: true })
export const byId = await catalogs.localidades.byCode(['1', '2'], { embed: 'id' })
export const walk = catalogs.municipios.all({ idEstado: 9 })
export const near = await catalogs.localidades.near({ latitud: 1, longitud: 2 }).toArray()
export const children = catalogs.estados.children(9)
export const municipalities = children.municipios
export const collection = catalogs.paises
export const either = (name: 'paises' | 'estados') => catalogs[name].get(1)
export const request = catalogs.paises.page
export const found = await catalogs.search('x')
export const rows = await catalogs.resolve(['x'])
export const changes = await catalogs.changes('x', { embed: 'id' })
export const releases = await catalogs.releases()
export const v1 = connectV1('http://127.0.0.1')
export const v1Page = await v1.paises.page()
export const v1Walk = v1.localidades.all()
export const copy = offline(new Map())
export const report = await sync(catalogs, new Map())
export const store = fileStore('x')
export class Missing extends NotFound {}
