// The two lists that the postal service's file makes, and the package that they are.
import { type Catalog, type EntityData, entityData, orderedCatalog } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { PackageInfo } from '../package/package-info.ts'

export const SEPOMEX = 'sepomex'
export const CODES = 'codigos-postales'
export const SETTLEMENTS = 'asentamientos'
export const LISTS = [CODES, SETTLEMENTS] as const

/** The first line of the file, for copies that lack it. */
const USUAL_NOTICE =
  'El Catálogo Nacional de Códigos Postales, es elaborado por Correos de México y se proporciona en forma gratuita para uso ' +
  'particular, no estando permitida su comercialización, total o parcial, ni su distribución a terceros bajo ningún concepto.'

export const packageWith = (notice: string | undefined): PackageInfo => ({
  name: SEPOMEX,
  title: 'Catálogo Nacional de Códigos Postales',
  description: 'Postal codes of Mexico and the settlements (colonias) that have them.',
  licenses: [{ title: notice ?? USUAL_NOTICE }],
  sources: [{ title: 'Correos de México' }],
  keywords: [],
  contributors: [],
  lists: [...LISTS],
  restricted: true,
})

const digits = (description: string, length: number, shape: string) =>
  ({ kind: 'code', description, pattern: `^[0-9]{${length}}$`, shape }) as const
const text = (description: string) => ({ kind: 'value', type: 'text', description, optional: true }) as const
const place = (description: string, { name }: Entity) =>
  ({ kind: 'embed', description, entity: name, optional: true }) as const
const common = { package: SEPOMEX, order: 'as given', expects: [] } as const

/** The definitions of both lists beside those of a home, whose states and municipalities they embed. */
export function postalCatalog(home: Catalog, state: Entity, municipality: Entity): Catalog {
  const codes: EntityData = {
    ...{ name: CODES, plural: CODES, title: 'Postal codes', titles: { es: 'Códigos postales' }, ...common },
    columns: ['cp', 'c.p.', 'codigo_postal', 'código postal', 'd_codigo'],
    fields: {
      codigo: digits('postal code', 5, 'five digits'),
      municipio: place('municipality of most of its settlements, where it is known', municipality),
      estado: place('state', state),
      ciudad: text('city, as the postal service names it'),
      totalAsentamientos: { kind: 'value', type: 'integer', description: 'number of settlements that have the code' },
    },
    key: ['codigo'],
    code: ['codigo'],
  }
  const settlements: EntityData = {
    ...{ name: SETTLEMENTS, plural: SETTLEMENTS, title: 'Settlements', titles: { es: 'Asentamientos' }, ...common },
    columns: ['asentamiento', 'colonia', 'col', 'd_asenta'],
    fields: {
      clave: digits('code of its state and municipality, and its number there', 9, 'nine digits'),
      nombre: { kind: 'name', language: 'es', description: 'name of the settlement' },
      tipo: text('kind of settlement, such as Colonia, Fraccionamiento, Ejido'),
      zona: text('Urbano, Semiurbano or Rural'),
      codigoPostal: { kind: 'embed', entity: CODES, description: 'postal code' },
      municipio: place('municipality, where it is known', municipality),
      localidad: text("code of the only locality of its municipality that has its name, in INEGI's catalog"),
      localidadVeredicto: text('how sure the locality is, as in resolving rows'),
      localidadPuntaje: {
        kind: 'value',
        type: 'number',
        description: 'score of the locality, up to 1',
        optional: true,
      },
    },
    key: ['clave'],
    code: ['clave'],
  }
  const others = [...home.entities.values()].filter(({ package: own }) => own !== SEPOMEX)
  return orderedCatalog([...others.map(entityData), codes, settlements])
}
