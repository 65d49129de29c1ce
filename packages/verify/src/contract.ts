// The contract of API v1 as a table: its collections, and the fields of their records.

export const V1_PATH = '/api/v1'
export const PER_PAGE = 10
export const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']
export const MAX_ID = 2_147_483_647
export const MAX_NAME = 1_000

type Code = {
  readonly kind: 'code'
  readonly pattern: RegExp
  /** A description of the pattern. */
  readonly shape: string
  /** The least digits of an official code that is numeric text. */
  readonly digits?: number
}
export type ContractField = Code | { readonly kind: 'id' | 'name' } | { readonly kind: 'copy'; readonly of: string }
type Fields = Readonly<Record<string, ContractField | { readonly kind: 'embed'; readonly entity: ContractEntity }>>

/** A kind of record. */
export type ContractEntity = {
  readonly name: string
  readonly fields: Fields
  /** The fields that identify a record; an embedded record stands for its own key. */
  readonly key: readonly [string, ...string[]]
  /** The fields that no two records have alike, besides the key. */
  readonly code: readonly string[]
}

export type ContractCollection = { readonly name: string; readonly entity: ContractEntity; readonly isOrdered: boolean }

export const pathOf = ({ name }: ContractCollection): string => `${V1_PATH}/${name}`

const id = { kind: 'id' } as const
const name = { kind: 'name' } as const
const names = { descripcion: name, description: { kind: 'copy', of: 'descripcion' } } as const
const code = (pattern: RegExp, shape: string): Code => ({ kind: 'code', pattern, shape })
const digits = (count: number) => code(new RegExp(`^[0-9]{${count}}$`), `${count} digits`)
const numeric = (least: number): Code => ({ ...code(/^[0-9]+$/, 'numeric text'), digits: least })
const embed = (entity: ContractEntity) => ({ kind: 'embed', entity }) as const
const entity = (name: string, key: ContractEntity['key'], code: readonly string[], fields: Fields): ContractEntity => {
  return { name, key, code, fields }
}

const cvePais = code(/^[A-Z]{3}$/, 'three upper-case letters')
const pais = entity('pais', ['idPais'], ['cvePais'], { cvePais, descPais: name, idPais: id })
const estado = entity('estado', ['idEstado'], ['cveEstado'], {
  cveEstado: code(/^\p{Lu}+$/u, 'upper-case letters'),
  cveRenapo: code(/^[A-Z]{2}$/, 'two upper-case letters'),
  ...{ descEstado: name, idEstado: id, idPais: embed(pais) },
})
const municipio = entity('municipio', ['idMunicipio'], ['idEstado', 'cveMunicipio'], {
  cveMunicipio: numeric(3),
  descMunicipio: name,
  idEstado: embed(estado),
  idMunicipio: id,
})
const localidad = entity('localidad', ['idMunicipio', 'idLocalidad'], ['idMunicipio', 'cveLocalidad'], {
  ...{ cveLocalidad: numeric(4), descLocalidad: name, idLocalidad: id },
  ...{ idEstado: embed(estado), idMunicipio: embed(municipio) },
})
const area = entity('area', ['idArea'], ['cveArea'], { cveArea: numeric(1), ...names, idArea: id })
const campo = entity('campo', ['idCampo'], ['cveCampo'], {
  cveCampo: digits(2),
  ...names,
  idCampo: id,
  idArea: embed(area),
})
const disciplina = entity('disciplina', ['idDisciplina'], ['cveDisciplina'], {
  cveDisciplina: digits(4),
  ...names,
  idDisciplina: id,
  campoCono: embed(campo),
})
const subdisciplina = entity('subdisciplina', ['idSubdisciplina'], ['cveSubdisciplina'], {
  cveSubdisciplina: digits(6),
  ...names,
  idSubdisciplina: id,
  disciplinaCono: embed(disciplina),
})
const audiencia = entity('audiencia', ['idAudiencia'], ['clave'], {
  clave: code(/^[\p{L}\p{N}]+$/u, 'camel-case text'),
  ...{ descCorta: name, shortDesc: name, idAudiencia: id },
})

/** The collections in the order of the contract. */
export const collections: readonly ContractCollection[] = [
  { name: 'localidades', entity: localidad, isOrdered: false },
  { name: 'municipios', entity: municipio, isOrdered: true },
  { name: 'paises', entity: pais, isOrdered: true },
  { name: 'subdisciplinas-conocimiento', entity: subdisciplina, isOrdered: true },
  { name: 'audiencias', entity: audiencia, isOrdered: true },
]
