// Which keys are trusted after rotations: only what those before have signed counts, and nothing is taken back.
import { expect, test } from 'bun:test'
import { goesOn, rotatedTrust, withRotation } from './key-rotation.ts'
import { generateKeys, parseSecretKey, signMessage } from './minisign.ts'
import { trustIn } from './release-signature.ts'

const [a, b, c, d] = [1, 2, 3, 4].map(() => parseSecretKey(generateKeys().secretFile, undefined)) as [
  ReturnType<typeof parseSecretKey>,
  ReturnType<typeof parseSecretKey>,
  ReturnType<typeof parseSecretKey>,
  ReturnType<typeof parseSecretKey>,
]
const to = (...secrets: (typeof a)[]) => secrets.map(({ publicKey }) => publicKey)
const ids = (text: string | undefined, ...from: (typeof a)[]) =>
  rotatedTrust(trustIn(from.map(({ publicKey }) => publicKey)), text).keys.map(({ id }) => id)

/** A rotation of any text that the first key has signed. */
function rotationOf(statement: string): string {
  const signature = signMessage(a, new TextEncoder().encode(statement), 'x')
  return JSON.stringify([{ statement, signature }])
}

const first = withRotation(undefined, to(b), a)
const second = withRotation(first, to(c, d), b)

test.each<[string, string | undefined, string[]]>([
  ['without a rotation, the first key', undefined, [a.publicKey.id]],
  ['after one, the second', first, [b.publicKey.id]],
  ['after two, those of the last', second, [c.publicKey.id, d.publicKey.id]],
  ['one by a stranger does not count', withRotation(undefined, to(d), c), [a.publicKey.id]],
  ['nor one by a key that was rotated away', withRotation(first, to(d), a), [b.publicKey.id]],
  ['nor one whose words were changed', first.replace(b.publicKey.text, d.publicKey.text), [a.publicKey.id]],
  ['nor what is no rotation', '{"x":1}', [a.publicKey.id]],
  ['nor what is no JSON', 'x', [a.publicKey.id]],
  ['nor what is no statement', rotationOf('nomenclator keys 1\nkey x\n'), [a.publicKey.id]],
  ['nor a statement without keys', rotationOf('nomenclator keys 1\n'), [a.publicKey.id]],
])('%s is trusted', (_, text, expected) => {
  expect(ids(text, a)).toEqual(expected)
})

test('whoever is given the new key needs no rotation to it', () => {
  expect(ids(second, b)).toEqual([c.publicKey.id, d.publicKey.id])
  expect(ids(second, c)).toEqual([c.publicKey.id])
})

test('any of the old keys signs, and the rest of the trust stays', () => {
  const trust = trustIn([a.publicKey, b.publicKey], { refusesExpired: true })
  const rotated = rotatedTrust(trust, withRotation(undefined, to(c, d), b))
  expect(rotated).toEqual({ ...trust, keys: [c.publicKey, d.publicKey] })
})

test('nothing that was said is taken back', () => {
  expect([goesOn(second, first), goesOn(first, undefined), goesOn(first, second), goesOn(first, first)]).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(goesOn(withRotation(withRotation(undefined, to(d), a), to(c), d), first)).toBe(false)
})
