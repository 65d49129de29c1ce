// Records as the contract describes them, written down again so that the definitions are not compared with themselves.
import { Faults } from '../../packages/server/src/source/faults.ts'
import { Findings } from '../../packages/server/src/source/findings.ts'
import type { GivenRow, Source } from '../../packages/server/src/source/source.ts'

export type PublishedRecord = Readonly<Record<string, unknown>>

/** The collections of the contract, with the figures in it. */
export const lists = [
  { path: '/api/v1/localidades', entity: 'localidad', total: 300_137, pages: 30_014 },
  { path: '/api/v1/municipios', entity: 'municipio', total: 2_457, pages: 246 },
  { path: '/api/v1/paises', entity: 'pais', total: 247, pages: 25 },
  { path: '/api/v1/subdisciplinas-conocimiento', entity: 'subdisciplina', total: 3_617, pages: 362 },
  { path: '/api/v1/audiencias', entity: 'audiencia', total: 16, pages: 2 },
] as const
export type Listed = (typeof lists)[number]['entity']

/** The fields of each entity in the order of the contract's tables; a pair names the entity that a field embeds. */
const fields = {
  pais: ['cvePais', 'descPais', 'idPais'],
  estado: ['cveEstado', 'cveRenapo', 'descEstado', 'idEstado', ['idPais', 'pais']],
  municipio: ['cveMunicipio', 'descMunicipio', ['idEstado', 'estado'], 'idMunicipio'],
  localidad: ['cveLocalidad', 'descLocalidad', 'idLocalidad', ['idEstado', 'estado'], ['idMunicipio', 'municipio']],
  area: ['cveArea', 'descripcion', 'description', 'idArea'],
  campo: ['cveCampo', 'descripcion', 'description', 'idCampo', ['idArea', 'area']],
  disciplina: ['cveDisciplina', 'descripcion', 'description', 'idDisciplina', ['campoCono', 'campo']],
  subdisciplina: [
    'cveSubdisciplina',
    'descripcion',
    'description',
    'idSubdisciplina',
    ['disciplinaCono', 'disciplina'],
  ],
  audiencia: ['clave', 'descCorta', 'shortDesc', 'idAudiencia'],
} as const
type ContractEntity = keyof typeof fields
type ContractField = string | readonly [field: string, entity: ContractEntity]
const fieldsOf = (entity: ContractEntity): readonly ContractField[] => fields[entity]

export const contractEntities = Object.keys(fields) as readonly ContractEntity[]
export const contractFields = (entity: ContractEntity): string[] =>
  fieldsOf(entity).map((field) => (typeof field === 'string' ? field : field[0]))

/** The field that identifies a record and, except for localities, orders it. */
const identifiers: Readonly<Record<ContractEntity, string>> = {
  pais: 'idPais',
  estado: 'idEstado',
  municipio: 'idMunicipio',
  localidad: 'idLocalidad',
  area: 'idArea',
  campo: 'idCampo',
  disciplina: 'idDisciplina',
  subdisciplina: 'idSubdisciplina',
  audiencia: 'idAudiencia',
}

/** The records of a source whose rows refer to others by identifier, in the order in which they are to be served. */
export function recordsOf(source: Source, entity: ContractEntity): PublishedRecord[] {
  const parents = new Map(
    fieldsOf(entity).flatMap((field) =>
      typeof field === 'string' ? [] : [[field[1], byIdentifier(source, field[1])]],
    ),
  )
  const records = rowsOf(source, entity).map((row) => {
    const record: Record<string, unknown> = {}
    for (const field of fieldsOf(entity)) {
      if (field === 'description') record[field] = row.descripcion
      else if (typeof field === 'string') record[field] = row[field]
      else record[field[0]] = parents.get(field[1])?.get(row[field[0]])
    }
    return record
  })
  const identifier = identifiers[entity]
  return entity === 'localidad' ? records : records.sort((a, b) => Number(a[identifier]) - Number(b[identifier]))
}

function byIdentifier(source: Source, entity: ContractEntity): ReadonlyMap<unknown, PublishedRecord> {
  return new Map(recordsOf(source, entity).map((record) => [record[identifiers[entity]], record]))
}

function rowsOf(source: Source, entity: ContractEntity): GivenRow[] {
  const blocks = source.read(entity, { faults: new Faults(), findings: new Findings() })
  if (!(Symbol.iterator in blocks)) throw new Error('only sources that need no waiting are expected here')
  return Array.from(blocks).flatMap(({ rows }) => rows)
}

/** The key of a record in its collection: of a locality, its municipality and its number there. */
export function keyOf(entity: Listed, record: PublishedRecord): string {
  const own = record[identifiers[entity]]
  const { idMunicipio } = (entity === 'localidad' ? record.idMunicipio : {}) as { idMunicipio?: number }
  return idMunicipio === undefined ? `${own}` : `${idMunicipio}/${own}`
}

/** The body of a page, counted from 1. */
export const bodyOf = (records: readonly PublishedRecord[], page: number): string =>
  JSON.stringify(records.slice((page - 1) * 10, page * 10))
