// The contract of API v1 as a table: its collections, and the fields of their records.

export const V1_PATH = '/api/v1'
export const PER_PAGE = 10
export const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']
export const MAX_ID = 2_147_483_647
export const MAX_NAME = 1_000

type Shape = { readonly pattern: RegExp; readonly shape: string }
type Code = Shape & {
  readonly kind: 'code'
  /** The shape that clients can rely on, where the contract is wider. */
  readonly narrow?: Shape
  /** The least digits of an official code that is numeric text. */
  readonly digits?: number
}
export type ValueField = Code | { readonly kind: 'id' | 'name' } | { readonly kind: 'copy'; readonly of: string }
type Field = ValueField | { readonly kind: 'embed'; readonly entity: Entity }

/** A kind of record. */
export type Entity = {
  readonly name: string
  readonly fields: Readonly<Record<string, Field>>
  /** The fields that identify a record; an embedded record stands for its own key. */
  readonly key: readonly [string, ...string[]]
  /** The fields that no two records have alike, besides the key. */
  readonly code: readonly string[]
}

export type Collection = { readonly name: string; readonly entity: Entity; readonly isOrdered: boolean }

export const pathOf = ({ name }: Collection): string => `${V1_PATH}/${name}`

const id = { kind: 'id' } as const
const name = { kind: 'name' } as const
const copy = { kind: 'copy', of: 'descripcion' } as const
const embed = (entity: Entity) => ({ kind: 'embed', entity }) as const
const code = (pattern: RegExp, shape: string): Code => ({ kind: 'code', pattern, shape })
const digits = (count: number) => code(new RegExp(`^[0-9]{${count}}$`), `${count} digits`)
const numeric = (least: number): Code => ({
  ...code(/^[0-9]+$/, 'numeric text'),
  narrow: { pattern: /^[0-9]{1,12}$/, shape: 'up to 12 digits' },
  digits: least,
})

const pais: Entity = {
  name: 'pais',
  fields: { cvePais: code(/^[A-Z]{3}$/, 'three upper-case letters'), descPais: name, idPais: id },
  key: ['idPais'],
  code: ['cvePais'],
}
const stateCode = {
  ...code(/^\p{Lu}+$/u, 'upper-case letters'),
  narrow: { pattern: /^[A-Z]{2,5}$/, shape: 'two to five upper-case letters' },
}
const renapo = code(/^[A-Z]{2}$/, 'two upper-case letters')
const estado: Entity = {
  name: 'estado',
  fields: { cveEstado: stateCode, cveRenapo: renapo, descEstado: name, idEstado: id, idPais: embed(pais) },
  key: ['idEstado'],
  code: ['cveEstado'],
}
const municipio: Entity = {
  name: 'municipio',
  fields: { cveMunicipio: numeric(3), descMunicipio: name, idEstado: embed(estado), idMunicipio: id },
  key: ['idMunicipio'],
  code: ['idEstado', 'cveMunicipio'],
}
const localidad: Entity = {
  name: 'localidad',
  fields: {
    ...{ cveLocalidad: numeric(4), descLocalidad: name, idLocalidad: id },
    ...{ idEstado: embed(estado), idMunicipio: embed(municipio) },
  },
  key: ['idMunicipio', 'idLocalidad'],
  code: ['idMunicipio', 'cveLocalidad'],
}
const knowledge = { descripcion: name, description: copy }
const area: Entity = {
  name: 'area',
  fields: { cveArea: numeric(1), ...knowledge, idArea: id },
  key: ['idArea'],
  code: ['cveArea'],
}
const campo: Entity = {
  name: 'campo',
  fields: { cveCampo: digits(2), ...knowledge, idCampo: id, idArea: embed(area) },
  key: ['idCampo'],
  code: ['cveCampo'],
}
const disciplina: Entity = {
  name: 'disciplina',
  fields: { cveDisciplina: digits(4), ...knowledge, idDisciplina: id, campoCono: embed(campo) },
  key: ['idDisciplina'],
  code: ['cveDisciplina'],
}
const subdisciplina: Entity = {
  name: 'subdisciplina',
  fields: { cveSubdisciplina: digits(6), ...knowledge, idSubdisciplina: id, disciplinaCono: embed(disciplina) },
  key: ['idSubdisciplina'],
  code: ['cveSubdisciplina'],
}
const audienceKey = {
  ...code(/^[\p{L}\p{N}]+$/u, 'camel-case text'),
  narrow: { pattern: /^[a-z][A-Za-z0-9]*$/, shape: 'camel-case letters and digits' },
}
const audiencia: Entity = {
  name: 'audiencia',
  fields: { clave: audienceKey, descCorta: name, shortDesc: name, idAudiencia: id },
  key: ['idAudiencia'],
  code: ['clave'],
}

/** The collections in the order of the contract. */
export const collections: readonly Collection[] = [
  { name: 'localidades', entity: localidad, isOrdered: false },
  { name: 'municipios', entity: municipio, isOrdered: true },
  { name: 'paises', entity: pais, isOrdered: true },
  { name: 'subdisciplinas-conocimiento', entity: subdisciplina, isOrdered: true },
  { name: 'audiencias', entity: audiencia, isOrdered: true },
]
