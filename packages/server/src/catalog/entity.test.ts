// The language of definitions: what it fills in, what it refuses, and the types that follow from it.
import { expect, test } from 'bun:test'
import { type campo, type Entities, estado, localidad, municipio, pais, type subdisciplina } from './entities.ts'
import { embedsOf, entity, id, identifierOf, name, type RecordOf, type Row } from './entity.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** Shows a mapped type as the plain object that it is, so that two of them can be compared. */
type Plain<T> = T extends object ? { readonly [K in keyof T]: Plain<T[K]> } : T

type Pais = { readonly cvePais: string; readonly descPais: string; readonly idPais: number }
type Estado = {
  readonly cveEstado: string
  readonly cveRenapo: string
  readonly descEstado: string
  readonly idEstado: number
  readonly idPais: Pais
}
type Municipio = {
  readonly cveMunicipio: string
  readonly descMunicipio: string
  readonly idEstado: Estado
  readonly idMunicipio: number
}
type Localidad = {
  readonly cveLocalidad: string
  readonly descLocalidad: string
  readonly idLocalidad: number
  readonly idEstado: Estado
  readonly idMunicipio: Municipio
}
type Subdisciplina = {
  readonly cveSubdisciplina: string
  readonly descripcion: string
  readonly description: string
  readonly idSubdisciplina: number
  readonly disciplinaCono: RecordOf<Entities['disciplina']>
}
type CampoRow = {
  readonly cveCampo: string
  readonly descripcion: string
  readonly idCampo: number
  readonly idArea: number
}

// tsc refuses each of these lines when the type on its left does not hold.
const types = [
  true satisfies Same<Plain<RecordOf<typeof pais>>, Pais>,
  true satisfies Same<Plain<RecordOf<typeof localidad>>, Plain<Localidad>>,
  true satisfies Same<Plain<RecordOf<typeof subdisciplina>>, Plain<Subdisciplina>>,
  true satisfies Same<RecordOf<typeof subdisciplina>['disciplinaCono']['campoCono']['idArea']['description'], string>,
  true satisfies Same<Plain<Row<typeof campo>>, CampoRow>,
  true satisfies Same<Row<typeof localidad>['idMunicipio'], number>,
  // @ts-expect-error: an embedded record is not its identifier.
  true satisfies Same<RecordOf<typeof localidad>['idMunicipio'], number>,
]

test('the types of records and rows follow from the definitions', () => {
  expect(types).toEqual(types.map(() => true))
})

test('a definition that says nothing of order and expectations has the usual ones', () => {
  expect(pais.order).toBe('by key')
  expect(pais.expects).toEqual([])
  expect(localidad.order).toBe('as given')
  expect(localidad.expects).toHaveLength(1)
})

test('an entity is referred to by the one field of its key', () => {
  expect(identifierOf(municipio)).toBe('idMunicipio')
})

test('an entity whose key is not one field has no identifier', () => {
  expect(() => identifierOf(localidad)).toThrow('the key of localidad is not one field')
  const keyless = entity({
    name: 'keyless',
    plural: 'keyless',
    fields: { idKeyless: id('x'), desc: name('x') },
    key: [],
    code: [],
  })
  expect(() => identifierOf(keyless)).toThrow('the key of keyless is not one field')
})

test('embedsOf gives the embedded entities by field, in order', () => {
  expect(embedsOf(localidad)).toEqual([
    ['idEstado', estado],
    ['idMunicipio', municipio],
  ])
  expect(embedsOf(pais)).toEqual([])
})
