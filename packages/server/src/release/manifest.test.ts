// The parts of the digest of a release, and findings put together by kind.
import { describe, expect, test } from 'bun:test'
import { checksumsText, findingsByKind, type Manifest, releaseDigest } from './manifest.ts'

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
const content = {
  pais: { count: 2, records: 'a'.repeat(64) },
  estado: { count: 1, records: 'b'.repeat(64), facts: 'c'.repeat(64) },
}
const alias = { entity: 'pais', code: 'MEX', alias: 'Méjico', reason: 'older' }

test('the checksums are those of records, facts and aliases, and their digest is that of the release', () => {
  const lines = `nomenclator release 1\npais 2 ${'a'.repeat(64)}\nestado 1 ${'b'.repeat(64)} ${'c'.repeat(64)}\n`
  expect(checksumsText({ entities: content })).toBe(lines)
  const aliases = `aliases ${sha256('["pais","MEX","Méjico","older"]')}\n`
  expect(checksumsText({ entities: content, aliases: [alias] })).toBe(`${lines}${aliases}`)
  expect(releaseDigest({ entities: content, aliases: [alias] })).toBe(sha256(`${lines}${aliases}`))
})

test.each<[string, object]>([
  ['entity', { entity: 'estado' }],
  ['code', { code: 'FRA' }],
  ['alias', { alias: 'Mexico' }],
  ['reason', { reason: 'newer' }],
])('another %s of an alias is another release', (_, change) => {
  expect(releaseDigest({ entities: content, aliases: [{ ...alias, ...change }] })).not.toBe(
    releaseDigest({ entities: content, aliases: [alias] }),
  )
})

describe('packages are part of a release', () => {
  const info = { licenses: [], sources: [], keywords: [], contributors: [], lists: ['pais'] }
  const one = { ...info, name: 'places', definitions: 'd'.repeat(64) }
  const digestOf = (...packages: (typeof one)[]) => releaseDigest({ entities: content, packages })

  test('as one line, where there are any', () => {
    const without = checksumsText({ entities: content })
    expect(checksumsText({ entities: content, packages: [] })).toBe(without)
    expect(checksumsText({ entities: content, packages: [one] })).toMatch(
      new RegExp(`^${without}packages [0-9a-f]{64}\n$`),
    )
  })

  test.each<[string, object]>([
    ['name', { name: 'other' }],
    ['version', { version: '2' }],
    ['licence', { licenses: [{ name: 'PDDL-1.0' }] }],
    ['declaration of the lists', { definitions: 'e'.repeat(64) }],
  ])('another %s is another release', (_, change) => {
    expect(digestOf({ ...one, ...change })).not.toBe(digestOf(one))
  })

  test('and the order in which a package says things is not', () => {
    expect(digestOf(Object.fromEntries(Object.entries(one).reverse()) as typeof one)).toBe(digestOf(one))
  })
})

test('findings of one kind are counted together, with as many examples as one of them has', () => {
  const finding = (kind: string, count: number, ...examples: string[]) => ({ kind, description: kind, count, examples })
  const findings = [finding('odd', 2, 'a', 'b'), finding('stray', 1, 'c'), finding('odd', 9, 'd', 'e', 'f')]
  expect(findingsByKind({ findings } as unknown as Manifest)).toEqual([
    finding('odd', 11, 'a', 'b', 'd'),
    finding('stray', 1, 'c'),
  ])
})
