// Addresses of records: whatever their keys are made of, an address leads back to them.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { entity } from '../../../../test/support/definitions.ts'
import type { Entity } from '../catalog/entity.ts'
import {
  addressOfPath,
  apiRecordPath,
  filterParameter,
  keySegments,
  recordAddress,
  segmentsOf,
  sortParameter,
} from './links.ts'

const any = { kind: 'code', description: 'any text', pattern: /^.+$/s, shape: 'any text' } as const
const list = (name: string, fields: Entity['fields'], key: readonly string[]): Entity =>
  entity({ name, plural: `${name}s`, title: name, fields, key, code: key })

const plain = list('plain', { 'a key': any }, ['a key'])
const pair = list('pair', { left: any, right: any }, ['left', 'right'])
const numbered = list('numbered', { id: { kind: 'id', description: 'number' } }, ['id'])
const owned = list(
  'owned',
  { owner: { kind: 'embed', entity: numbered, description: 'owner' }, id: { kind: 'id', description: 'number' } },
  ['owner', 'id'],
)
const deep = list('deep', { of: { kind: 'embed', entity: pair, description: 'pair' }, own: any }, ['of', 'own'])

const isDots = (text: string) => text === '.' || text === '..'
const lastOf = (address: string) => address.split('/').at(-1) as string

describe.each([
  [plain, 1],
  [pair, 2],
  [deep, 3],
])('a key of texts', (of, count) => {
  test('is read back from its address, with any sign in it', () => {
    const segments = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: count, maxLength: count })
    fc.assert(
      fc.property(segments, (parts) => {
        const sound = parts.map((part) => part.toWellFormed())
        fc.pre(!isDots(sound.join()))
        const address = recordAddress(of, sound)
        expect(address.split('/')).toHaveLength(4)
        expect(address).not.toMatch(/['"<>\s?#]/)
        expect(segmentsOf(of, lastOf(address))).toEqual(sound)
      }),
    )
  })
})

test.each<[what: string, of: Entity, text: string, segments: string[] | undefined]>([
  ['a number', numbered, '12', ['12']],
  ['two numbers', owned, '3-100', ['3', '100']],
  ['too few', owned, '3', undefined],
  ['too many', owned, '3-1-1', undefined],
  ['no number', numbered, 'x', undefined],
  ['a text that is cut in two', pair, 'a,b', ['a', 'b']],
  ['an encoded sign between', pair, 'a%2Cb', undefined],
  ['an empty part', pair, 'a,', undefined],
  ['what cannot be decoded', plain, '%ff', undefined],
])('the key in an address: %s', (_, of, text, segments) => expect(segmentsOf(of, text)).toEqual(segments as string[]))

test('the key of a record, with that of a record in it', () => {
  const record = { of: { left: 'a', right: 'b/c' }, own: "d'" }
  expect(keySegments(deep, record)).toEqual(['a', 'b/c', "d'"])
  expect(recordAddress(deep, keySegments(deep, record))).toBe('/explore/deeps/a,b%2Fc,d%27')
  expect(apiRecordPath(deep, keySegments(deep, record))).toBe('/api/v2/deeps/a,b%2Fc,d%27')
  expect(apiRecordPath(owned, ['3', '1'])).toBe('/api/v2/numbereds/3/owneds/1')
})

test.each(['.', '..'])('no address has %j in the place of a key: clients would remove it', (key) => {
  expect(recordAddress(plain, [key])).toBe('/explore/plains')
  expect(addressOfPath(plain, `/api/v2/plains/${key.replaceAll('.', '%2E')}`)).toBe('/explore/plains')
  expect(apiRecordPath(plain, [key])).toBe('/api/v2/plains')
  expect(recordAddress(pair, [key, key])).toBe(`/explore/pairs/${key},${key}`)
})

test('fields are named in queries by their slugs', () => {
  expect([sortParameter(plain, ['a key']), filterParameter(plain, ['a key'])]).toEqual(['a_key', 'a_key'])
  expect([sortParameter(deep, ['of', 'left']), filterParameter(deep, ['of', 'left'])]).toEqual(['of.left', 'of.left'])
})
