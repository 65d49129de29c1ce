// What a signature proves of a release: by which of several keys, when, and whether of its definitions too.
import { describe, expect, test } from 'bun:test'
import type { EntityData } from '../../catalog/catalog.ts'
import type { Release } from '../release.ts'
import { generateKeys, parseSecretKey, signMessage } from './minisign.ts'
import { proofOf, signedBytes, signRelease } from './release-signature.ts'

const [ours, theirs, others] = [1, 2, 3].map(() => parseSecretKey(generateKeys().secretFile, undefined)) as [
  ReturnType<typeof parseSecretKey>,
  ReturnType<typeof parseSecretKey>,
  ReturnType<typeof parseSecretKey>,
]
const content = { count: 1, records: 'a'.repeat(64), facts: 'b'.repeat(64) }
const checksums = { entities: { planet: content } }
const signable = { checksums, definitions: [] }
const signed = (comment: string, secret = ours) => signMessage(secret, signedBytes(checksums), comment)

describe('a signature', () => {
  test.each<[string, string, string | undefined]>([
    ['the time that it was made', 'timestamp:1700000000\trelease:x', '2023-11-14T22:13:20.000Z'],
    ['a time among other words', 'release:x\ttimestamp:1700000000', '2023-11-14T22:13:20.000Z'],
    ['no time', 'release:x', undefined],
    ['a time that is none', 'timestamp:soon', undefined],
    ['a time before all signatures', 'timestamp:0', undefined],
    ['a time that no calendar has', 'timestamp:99999999999999', undefined],
    ['the end of another word', 'nontimestamp:1700000000', undefined],
  ])('says %s', (_, comment, time) => {
    expect(proofOf(signable, signed(comment), [ours.publicKey])).toEqual({
      ...{ key: ours.publicKey, trustedComment: comment, signed: time, coversDefinitions: false },
    })
  })

  test('is by any of several keys, and where it is by none, the first says why', () => {
    const keys = [theirs.publicKey, ours.publicKey]
    expect(proofOf(signable, signed('x'), keys)).toMatchObject({ key: ours.publicKey })
    const { id } = theirs.publicKey
    expect(proofOf(signable, signed('x', others), keys)).toEqual({
      wrong: `it is signed by key ${others.publicKey.id}, not by ${id}`,
    })
    expect(proofOf(signable, signed('x'), [])).toEqual({ wrong: 'no key is trusted' })
    expect(proofOf(signable, undefined, keys)).toEqual({ wrong: 'it is not signed' })
  })

  test.each<[string, object]>([
    ['another number of records', { ...content, count: 2 }],
    ['other records', { ...content, records: 'c'.repeat(64) }],
    ['other facts', { ...content, facts: 'c'.repeat(64) }],
    ['no facts', { count: 1, records: content.records }],
  ])('does not hold for %s', (_, other) => {
    const changed = { ...signable, checksums: { entities: { planet: other as typeof content } } }
    expect(proofOf(changed, signed('x'), [ours.publicKey])).toEqual({ wrong: expect.stringContaining('does not hold') })
  })

  test('does not hold for other aliases', () => {
    const aliases = [{ entity: 'planet', code: 'MA', alias: 'red', reason: 'colour' }]
    const changed = { ...signable, checksums: { ...checksums, aliases } }
    expect(proofOf(changed, signed('x'), [ours.publicKey])).toEqual({ wrong: expect.stringContaining('does not hold') })
  })
})

test('a signature holds for the definitions that were signed, in which the order of the fields counts and no other', () => {
  const definition = { name: 'planet', fields: { sign: { kind: 'code' }, title: { kind: 'name' } } }
  const release = {
    digest: 'f'.repeat(64),
    manifest: checksums,
    entity: () => ({ stored: { manifest: { definition } } }),
  } as unknown as Release
  const signature = signRelease(ours, release)
  const proofWith = (other: object) =>
    proofOf({ checksums, definitions: [other as EntityData] }, signature, [ours.publicKey])
  const { name, fields } = definition
  expect(proofWith({ fields, name })).toMatchObject({ key: ours.publicKey, coversDefinitions: true })
  const wrong = 'its definitions are not those that were signed'
  expect(proofWith({ name, fields: { title: fields.title, sign: fields.sign } })).toEqual({ wrong })
  expect(proofWith({ name: 'moon', fields })).toEqual({ wrong })
})
