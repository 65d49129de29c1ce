// What the digest of a release is made of, findings put together by kind, and the numbering of what does not tell it.
import { describe, expect, test } from 'bun:test'
import { checksumsText, findingsByKind, type Manifest, numberingOf, releaseDigest } from './manifest.ts'

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
const content = {
  pais: { count: 2, records: 'a'.repeat(64) },
  estado: { count: 1, records: 'b'.repeat(64), facts: 'c'.repeat(64) },
}
const alias = { entity: 'pais', code: 'MEX', alias: 'Méjico', reason: 'older' }

test('the checksums are those of records, facts and aliases, and their digest is that of the release', () => {
  const lines = `nomenclator release 1\npais 2 ${'a'.repeat(64)}\nestado 1 ${'b'.repeat(64)} ${'c'.repeat(64)}\n`
  expect(checksumsText(content)).toBe(lines)
  const aliases = `aliases ${sha256('["pais","MEX","Méjico","older"]')}\n`
  expect(checksumsText(content, [alias])).toBe(`${lines}${aliases}`)
  expect(releaseDigest(content, [alias])).toBe(sha256(`${lines}${aliases}`))
})

test.each<[string, object]>([
  ['entity', { entity: 'estado' }],
  ['code', { code: 'FRA' }],
  ['alias', { alias: 'Mexico' }],
  ['reason', { reason: 'newer' }],
])('another %s of an alias is another release', (_, change) => {
  expect(releaseDigest(content, [{ ...alias, ...change }])).not.toBe(releaseDigest(content, [alias]))
})

test('findings of one kind are counted together, with as many examples as one of them has', () => {
  const finding = (kind: string, count: number, ...examples: string[]) => ({ kind, description: kind, count, examples })
  const findings = [finding('odd', 2, 'a', 'b'), finding('stray', 1, 'c'), finding('odd', 9, 'd', 'e', 'f')]
  expect(findingsByKind({ findings } as unknown as Manifest)).toEqual([
    finding('odd', 11, 'a', 'b', 'd'),
    finding('stray', 1, 'c'),
  ])
})

describe('the numbering of an entity', () => {
  const geonames = { to: 'GeoNames (https://www.geonames.org/), CC BY 4.0', of: ['municipio', 'localidad'] }
  test.each<[string, object, string, string]>([
    ['of the bundled localities', { kind: 'bundled', credits: [] }, 'localidad', 'stand-in'],
    ['of the bundled municipalities', { kind: 'bundled', credits: [geonames] }, 'municipio', 'official'],
    [
      'of bundled localities that complete another source',
      { kind: 'inegi', credits: [geonames] },
      'localidad',
      'stand-in',
    ],
    [
      'of localities of INEGI',
      { kind: 'inegi', credits: [{ to: 'INEGI', of: ['localidad'] }] },
      'localidad',
      'official',
    ],
    ['of invented records', { kind: 'synthetic', synthetic: true, credits: [] }, 'pais', 'synthetic'],
    ['of credits in one text', { kind: 'inegi', credits: ['GeoNames'] }, 'localidad', 'official'],
  ])('%s is known of releases that do not tell it', (_, source, name, numbering) => {
    const manifest = { source: { synthetic: false, ...source }, entities: { [name]: {} } } as unknown as Manifest
    expect(numberingOf(manifest, name)).toBe(numbering as never)
    const told = { ...manifest, entities: { [name]: { numbering: 'official' } } } as unknown as Manifest
    expect(numberingOf(told, name)).toBe('official')
  })
})
