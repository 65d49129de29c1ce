// Lists with all that a list may have: keys of any text and of several fields, values of every type, references that may be
// missing, names in several languages, and a tree that someone has put cycles into.
import { catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import type { Field, ValueType } from '../../packages/server/src/catalog/entity.ts'
import { code, embeds, entity } from './definitions.ts'

const anything = code('key', /^[\s\S]+$/, 'anything')
const optional = (type: ValueType): Field => ({ kind: 'value', type, description: `a ${type}`, optional: true })
const named = (language: string): Field => ({ kind: 'name', language, description: 'name', optional: true })

export const country = entity({
  name: 'country',
  plural: 'countries',
  title: 'Countries',
  package: 'world',
  fields: {
    'ISO code': anything,
    name_en: named('en'),
    name_es: named('es'),
    name_fr: named('fr'),
    'Población (2020)': optional('integer'),
    'a.b': optional('text'),
    format: optional('text'),
    temp: optional('number'),
    temp_min: optional('number'),
    open: optional('boolean'),
    since: optional('date'),
    year: optional('year'),
    tags: optional('list'),
  },
  key: ['ISO code'],
  code: ['ISO code'],
  order: 'as given',
})
const region = entity({
  name: 'region',
  plural: 'regions',
  title: 'Regions',
  package: 'world',
  fields: {
    country: embeds(country, 'its country'),
    code: anything,
    name: { kind: 'name', description: 'name', optional: true },
  },
  key: ['country', 'code'],
  code: ['country', 'code'],
  order: 'as given',
})
const job = entity({
  name: 'job',
  plural: 'jobs',
  title: 'Jobs',
  package: 'work',
  fields: {
    code: anything,
    title: { kind: 'name', description: 'name', language: 'en' },
    parent: { kind: 'broader', description: 'the job above', optional: true },
    region: { ...embeds(region, 'where it is found'), optional: true },
  },
  key: ['code'],
  code: ['code'],
  order: 'as given',
})
export const world = catalogOf([country, region, job])

export const worldRows = {
  country: [
    {
      'ISO code': 'MX',
      name_en: 'Mexico',
      name_es: 'México',
      name_fr: 'Mexique',
      'Población (2020)': '126014024',
      'a.b': 'one\ntwo, "three"',
      format: 'x',
      temp: '21.50',
      temp_min: '-1.0',
      open: 'true',
      since: '1821-09-27',
      year: '1821',
      tags: '["north","big",1.50]',
    },
    { 'ISO code': 'a/b', name_en: 'Slash', 'Población (2020)': '99999999999999999999', temp: '1e30', tags: '["a;b"]' },
    { 'ISO code': 'ñ é,%2F', name_es: 'Eñe', open: 'false', since: '1999-01', year: '1999', tags: '["big"]' },
    { 'ISO code': 'all', name_fr: 'Tout', temp: '-3' },
    { 'ISO code': 'ZZ' },
  ],
  region: [
    { country: 'MX', code: '09', name: 'Ciudad de México' },
    { country: 'MX', code: 'a,b', name: 'Comma' },
    { country: 'a/b', code: '09' },
  ],
  job: [
    { code: '1', title: 'Managers' },
    { code: '11', title: 'Chief executives', parent: '1', region: 'MX\x0009' },
    { code: '111', title: 'Legislators', parent: '11' },
    { code: '1111', title: 'Senators', parent: '111', region: 'MX\0a,b' },
    { code: '2', title: 'Professionals' },
    { code: '21', title: 'Engineers', parent: '2', region: 'a/b\x0009' },
    { code: 'self', title: 'Own parent', parent: 'self' },
    { code: 'x', title: 'Cycle one', parent: 'y' },
    { code: 'y', title: 'Cycle two', parent: 'x' },
  ],
}
