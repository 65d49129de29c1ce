// The proof of a release by its signatures: which of several keys signed, when, and what they cover.
import { describe, expect, test } from 'bun:test'
import type { Release } from '../release.ts'
import { generateKeys, parseSecretKey, signMessage } from './minisign.ts'
import {
  proofOf,
  type Signable,
  signableRelease,
  signedBytes,
  signRelease,
  trustIn,
  withSignature,
} from './release-signature.ts'

const [ours, theirs, others] = [1, 2, 3].map(() => parseSecretKey(generateKeys().secretFile, undefined)) as [
  ReturnType<typeof parseSecretKey>,
  ReturnType<typeof parseSecretKey>,
  ReturnType<typeof parseSecretKey>,
]
const content = { count: 1, records: 'a'.repeat(64), facts: 'b'.repeat(64) }
const checksums = { entities: { planet: content } }
const signable: Signable = { checksums, origin: 'o', definitions: 'd', files: { digest: 'f', format: 4 } }
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
    expect(proofOf(signable, signed(comment), trustIn([ours.publicKey]))).toEqual({
      ...{ key: ours.publicKey, trustedComment: comment, signed: time, covers: ['records'] },
      ...{ sequence: undefined, expires: undefined, identifiers: undefined },
    })
  })

  test('is by any of several keys, and where it is by none, the first says why', () => {
    const keys = [theirs.publicKey, ours.publicKey]
    expect(proofOf(signable, signed('x'), trustIn(keys))).toMatchObject({ key: ours.publicKey })
    const { id } = theirs.publicKey
    expect(proofOf(signable, signed('x', others), trustIn(keys))).toEqual({
      wrong: `it is signed by key ${others.publicKey.id}, not by ${id}`,
    })
    expect(proofOf(signable, signed('x'), trustIn([]))).toEqual({ wrong: 'no key is trusted' })
    expect(proofOf(signable, undefined, trustIn(keys))).toEqual({ wrong: 'it is not signed' })
  })

  test.each<[string, object]>([
    ['another number of records', { ...content, count: 2 }],
    ['other records', { ...content, records: 'c'.repeat(64) }],
    ['other facts', { ...content, facts: 'c'.repeat(64) }],
    ['no facts', { count: 1, records: content.records }],
  ])('does not hold for %s', (_, other) => {
    const changed = { ...signable, checksums: { entities: { planet: other as typeof content } } }
    expect(proofOf(changed, signed('x'), trustIn([ours.publicKey]))).toEqual({
      wrong: expect.stringContaining('does not hold'),
    })
  })

  test('does not hold for other aliases', () => {
    const aliases = [{ entity: 'planet', code: 'MA', alias: 'red', reason: 'colour' }]
    const changed = { ...signable, checksums: { ...checksums, aliases } }
    expect(proofOf(changed, signed('x'), trustIn([ours.publicKey]))).toEqual({
      wrong: expect.stringContaining('does not hold'),
    })
  })
})

describe('what a signature states', () => {
  const all = 'definitions:d\torigin:o\tfiles:f\tformat:4'
  test.each<[string, string, Partial<Signable>, object]>([
    ['everything', all, {}, { covers: ['records', 'definitions', 'origin', 'files'] }],
    [
      'its sequence and its end',
      'sequence:7\texpires:1700000000',
      {},
      { sequence: 7, expires: '2023-11-14T22:13:20.000Z' },
    ],
    ['other definitions', all, { definitions: 'x' }, { wrong: expect.stringContaining('definitions are not those') }],
    ['another origin', all, { origin: 'x' }, { wrong: expect.stringContaining('credits are not those') }],
    ['other files', all, { files: { digest: 'x', format: 4 } }, { wrong: expect.stringContaining('manifest.json') }],
    [
      'files of another format',
      all,
      { files: { digest: 'x', format: 5 } },
      { covers: ['records', 'definitions', 'origin'] },
    ],
  ])('%s', (_, comment, changed, expected) => {
    expect(proofOf({ ...signable, ...changed }, signed(comment), trustIn([ours.publicKey]))).toMatchObject(expected)
  })
})

describe('where several keys are trusted', () => {
  const [first, second] = [signed('sequence:5\texpires:1800000000'), signed('sequence:4\texpires:1700000000', theirs)]
  const trust = trustIn([ours.publicKey, theirs.publicKey])
  test.each<[string, string, object]>([
    ['any of them will do', second, { key: theirs.publicKey, sequence: 4, expires: '2023-11-14T22:13:20.000Z' }],
    ['of two signatures the last one counts', second + first, { key: ours.publicKey, sequence: 5 }],
    ['one by a stranger does not', signed('sequence:9', others) + second, { key: theirs.publicKey, sequence: 4 }],
    ['nor one that does not hold', first.replace('sequence:5', 'sequence:9') + second, { key: theirs.publicKey }],
  ])('%s', (_, text, expected) => {
    expect(proofOf(signable, text, trust)).toMatchObject(expected)
  })

  test('a key that signs again replaces its own signature and no other', () => {
    const again = signed('sequence:6')
    expect(withSignature(first + second, again)).toBe(second + again)
  })
})

test('a signature is of the definitions, in which the order of the fields counts and no other, and of the source', () => {
  const definition = { name: 'planet', fields: { sign: { kind: 'code' }, title: { kind: 'name' } } }
  const source = { kind: 'test', title: 't', synthetic: false, credits: [{ to: 'us', of: ['planet'] }], options: {} }
  const releaseWith = (manifest: object, other: object = definition) =>
    ({
      digest: 'f'.repeat(64),
      manifest: {
        entities: { planet: { ...content, format: 4 } },
        built: '2020',
        source,
        versions: {},
        findings: [],
        ...manifest,
      },
      entity: () => ({ stored: { manifest: { definition: other } } }),
    }) as unknown as Release
  const signature = signRelease(ours, releaseWith({}))
  const proofWith = (manifest: object, other?: object) =>
    proofOf(signableRelease(releaseWith(manifest, other)), signature, trustIn([ours.publicKey]))
  const { name, fields } = definition
  expect(proofWith({}, { fields, name })).toMatchObject({ covers: ['records', 'definitions', 'origin', 'files'] })
  const wrong = 'its definitions are not those that were signed'
  expect(proofWith({}, { name, fields: { title: fields.title, sign: fields.sign } })).toEqual({ wrong })
  expect(proofWith({}, { name: 'moon', fields })).toEqual({ wrong })
  const changes = { since: 'e'.repeat(64), collections: {} }
  for (const other of [{ built: '2031' }, { source: { ...source, credits: [] } }, { findings: [{}] }, { changes }])
    expect(proofWith(other)).toHaveProperty('wrong')
})
