// Keys and signatures as minisign itself wrote them are read, and what is written here is what minisign reads.
import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { ran } from '../../../../../test/support/command.ts'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import {
  generateKeys,
  type PublicKey,
  parsePublicKey,
  parseSecretKey,
  publicKeyFile,
  signMessage,
  verifySignature,
} from './minisign.ts'

/** Written by minisign 0.11: `minisign -G -W`, then `minisign -S`, the second time with `-l`, of the bytes of MESSAGE. */
const PUBLIC_FILE = `untrusted comment: minisign public key 31088F7A33F44D14
RWQUTfQzeo8IMZRZ41S56XyqDg8lWW2fXWWTmNrO/y6IBwWkeAuJybNc
`
const SECRET_FILE = `untrusted comment: minisign encrypted secret key
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAFE30M3qPCDEQ190Wqbd5knHmeJrYKO0nwX76WzaXD/DlEBTiMsbhupRZ41S56XyqDg8lWW2fXWWTmNrO/y6IBwWkeAuJybNcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
`
const SIGNATURE = `untrusted comment: signature from minisign secret key
RUQUTfQzeo8IMclnA69BDgb5vM1Y+cD7yxC+7WSmlQQn8i9PSsso9LMGSIgv2uwXsfATuQ0nkQJUWR4lmceIQUcga0z6MgtBvwY=
trusted comment: trusted words
tQkQRHPg2WfKHwQKwTyb9vY3Frd7OJsgyveheS3sZ+IEFa0SnXeb2L89yaLkF7gdSC3jVjSKVdsHEEXJtBpgCQ==
`
const LEGACY = `untrusted comment: signature from minisign secret key
RWQUTfQzeo8IMQYn3xPEUprhUlNTEjX1agxar8/LYNDrfLuG+JTo3FHZFAlTTu40sp18hv2bacHz6R9qKN7JVZTZr/ezKLeFgQo=
trusted comment: old
WBDMJTyqp+F+SVkMp4NFyHVwBl2VD6M+whZhZ3dWOQgs8xuqGT/MrAGIzeKAxotnVERX6U4sdipNngEqfUquBw==
`
const MESSAGE = Buffer.from('hello\n')
const theirs = parsePublicKey(PUBLIC_FILE) as PublicKey

describe('what minisign wrote', () => {
  test('a public key is read from its file, and from its line', () => {
    const [, line = ''] = PUBLIC_FILE.split('\n')
    expect([theirs.id, theirs.text, publicKeyFile(theirs)]).toEqual(['31088F7A33F44D14', line, PUBLIC_FILE])
    expect(parsePublicKey(line)).toEqual(theirs)
  })

  test.each([
    ['a signature', SIGNATURE, 'trusted words'],
    ['a signature of an old version', LEGACY, 'old'],
    ['a signature with the line ends of Windows', SIGNATURE.replaceAll('\n', '\r\n'), 'trusted words'],
  ])('%s is verified', (_, signature, trustedComment) => {
    expect(verifySignature(theirs, MESSAGE, signature)).toEqual({ trustedComment })
  })

  test('a secret key signs so that its public key verifies it', () => {
    const secret = parseSecretKey(SECRET_FILE, undefined)
    expect(secret.publicKey).toEqual(theirs)
    expect(verifySignature(theirs, MESSAGE, signMessage(secret, MESSAGE, 'ours'))).toEqual({ trustedComment: 'ours' })
  })
})

describe('is refused', () => {
  const other = generateKeys().publicKey
  const lines = SIGNATURE.split('\n')
  const changed = (at: number, line: string) => lines.with(at, line).join('\n')
  test.each<[string, PublicKey, Uint8Array, string, string]>([
    ['another message', theirs, Buffer.from('hello'), SIGNATURE, 'does not hold'],
    ['another key', other, MESSAGE, SIGNATURE, `by key ${theirs.id}, not by ${other.id}`],
    ['another trusted comment', theirs, MESSAGE, changed(2, 'trusted comment: trusted word'), 'was changed'],
    ['no trusted comment', theirs, MESSAGE, lines.slice(0, 2).join('\n'), 'not in the format'],
    ['more lines', theirs, MESSAGE, `${SIGNATURE}more\n`, 'not in the format'],
    ['what is not base64', theirs, MESSAGE, changed(1, `${lines[1]}!`), 'not in the format'],
    ['nothing', theirs, MESSAGE, '', 'not in the format'],
    ['another word for the comment', theirs, MESSAGE, changed(0, 'comment: x'), 'not in the format'],
    [
      'another word for the trusted comment',
      theirs,
      MESSAGE,
      changed(2, 'comment: trusted words'),
      'not in the format',
    ],
    ['another algorithm', theirs, MESSAGE, changed(1, `RXQ${lines[1]?.slice(3)}`), 'not in the format'],
    ['a signature that is too short', theirs, MESSAGE, changed(1, `${lines[1]?.slice(0, -4)}`), 'not in the format'],
    ['a signature of all that is too short', theirs, MESSAGE, changed(3, `${lines[3]?.slice(4)}`), 'not in the format'],
  ])('%s', (_, key, message, signature, wrong) => {
    expect(verifySignature(key, message, signature)).toEqual({ wrong: expect.stringContaining(wrong) })
  })

  test.each(['', 'RWQ', `${theirs.text}A`, SIGNATURE, 'untrusted comment: x'])('the public key %j', (text) => {
    expect(parsePublicKey(text)).toBeUndefined()
  })

  test('a secret key that is damaged, of another kind, or encrypted with another password', () => {
    const [comment, line = ''] = SECRET_FILE.split('\n')
    const bytes = Buffer.from(line, 'base64')
    bytes[70] = (bytes[70] ?? 0) ^ 1
    expect(() => parseSecretKey(`${comment}\n${bytes.toString('base64')}\n`, undefined)).toThrow('is damaged')
    expect(() => parseSecretKey(PUBLIC_FILE, undefined)).toThrow('is not a secret key')
    const { secretFile } = generateKeys('right', WEAK)
    expect(() => parseSecretKey(secretFile, 'wrong')).toThrow('password of the secret key is wrong')
    expect(() => parseSecretKey(secretFile, undefined)).toThrow('--password-file')
  })

  test('a trusted comment that is longer than minisign reads', () => {
    const secret = parseSecretKey(SECRET_FILE, undefined)
    const longest = 'x'.repeat(8_192 - 'trusted comment: '.length)
    expect(verifySignature(theirs, MESSAGE, signMessage(secret, MESSAGE, longest))).toEqual({ trustedComment: longest })
    expect(verifySignature(theirs, MESSAGE, signMessage(secret, MESSAGE, `${longest}x`))).toEqual({
      wrong: 'the signature is not in the format of minisign',
    })
  })

  test('every single changed byte of a signature', () => {
    const bytes = fc.integer({ min: 0, max: lines.slice(1).join('\n').length - 2 })
    const start = (lines[0]?.length ?? 0) + 1
    fc.assert(
      fc.property(bytes, (at) => {
        const text = Buffer.from(SIGNATURE)
        text[start + at] = (text[start + at] ?? 0) ^ 2
        expect(verifySignature(theirs, MESSAGE, text.toString('latin1'))).toHaveProperty('wrong')
      }),
    )
  })
})

/** Far less than a key is encrypted with in earnest, which takes a gigabyte and some seconds. */
const WEAK = { operations: 524_288n, memory: 16_777_216n }

test.each<[string, bigint, bigint]>([
  ['more memory than minisign writes', 1n, (1n << 32n) + 1n],
  ['more operations than minisign writes', (1n << 32n) + 1n, 1n],
  ['no operations', 0n, 1n],
])('a key that says that it was encrypted with %s is refused before any work', (_, operations, memory) => {
  const [comment, line = ''] = generateKeys('right', WEAK).secretFile.split('\n')
  const bytes = Buffer.from(line, 'base64')
  bytes.writeBigUInt64LE(operations, 38)
  bytes.writeBigUInt64LE(memory, 46)
  expect(() => parseSecretKey(`${comment}\n${bytes.toString('base64')}\n`, 'right')).toThrow(
    'with limits that minisign',
  )
})

test('an encrypted key is read with its password', () => {
  const { publicKey, secretFile } = generateKeys('geheim', WEAK)
  expect(secretFile).toContain('encrypted secret key')
  expect(parseSecretKey(secretFile, 'geheim').publicKey).toEqual(publicKey)
})

describe('minisign itself', () => {
  const directory = new TestDirectory()
  afterAll(() => directory[Symbol.dispose]())
  const at = (name: string) => join(directory.path, name)
  const minisign = (input: string, ...flags: string[]) => ran(['minisign', ...flags], { input })
  test.skipIf(Bun.which('minisign') === null).each([
    ['not encrypted', undefined],
    ['encrypted', 'geheim'],
  ])('verifies what is signed here, and signs with a key that was made here and is %s', async (_, password) => {
    const { publicKey, secretFile } = generateKeys(password, WEAK)
    writeFileSync(at('message'), MESSAGE)
    writeFileSync(at('key.pub'), publicKeyFile(publicKey))
    writeFileSync(at('key.key'), secretFile)
    writeFileSync(at('ours'), signMessage(parseSecretKey(secretFile, password), MESSAGE, 'ours'))
    expect(await minisign('', '-Vm', at('message'), '-x', at('ours'), '-p', at('key.pub'))).toMatchObject({ code: 0 })
    expect(
      await minisign(`${password ?? ''}\n`, '-Sm', at('message'), '-x', at('theirs'), '-s', at('key.key')),
    ).toMatchObject({ code: 0 })
    expect(await minisign('', '-Vm', at('message'), '-x', at('theirs'), '-p', at('key.pub'))).toMatchObject({ code: 0 })
  })
})
