// The encryptions that are tried with a host, as sslmode of libpq defines them.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { parseShelfAddress, type ShelfAddress } from './address.ts'
import { encryptionsOf } from './dial.ts'

const directory = new TestDirectory()
const { HOME: home } = process.env
afterAll(() => {
  process.env.HOME = home
  directory[Symbol.dispose]()
})

const [root, cert, key] = ['root.crt', 'client.crt', 'client.key'].map((name) => {
  const path = join(directory.path, name)
  writeFileSync(path, `what is in ${name}`)
  return path
})

function tried(query: string, host = 'db.example.org') {
  const address = parseShelfAddress(`postgres://u@${encodeURIComponent(host)}/d?${query}`) as ShelfAddress
  return encryptionsOf(address, address.hosts[0] as ShelfAddress['hosts'][number])
}

/** Without the root certificate that libpq takes from the home of the user. */
const withoutUsualRoot = (query: string, host?: string) => {
  process.env.HOME = directory.path
  return tried(query, host)
}

test.each([
  ['disable', ['plain']],
  ['allow', ['plain', 'tls']],
  ['prefer', ['tls', 'plain']],
  ['require', ['tls']],
  ['verify-ca', ['tls']],
  ['verify-full', ['tls']],
])('%s tries %p', (mode, kinds) => {
  const encryptions = withoutUsualRoot(`sslmode=${mode}`)
  expect<string[]>(encryptions.map((encryption) => (encryption === false ? 'plain' : 'tls'))).toEqual(kinds)
})

test('no TLS is tried on a socket file', () => {
  expect(tried('sslmode=verify-full', '/run/postgresql')).toEqual([false])
})

describe('the certificate of the server', () => {
  const checks = (query: string) => {
    const [tls] = withoutUsualRoot(query).filter((encryption) => encryption !== false)
    return [tls?.rejectUnauthorized, tls?.ca, tls?.checkServerIdentity === undefined]
  }

  test.each<[string, boolean, string | undefined, boolean]>([
    ['sslmode=allow', false, undefined, false],
    ['sslmode=prefer', false, undefined, false],
    ['sslmode=require', false, undefined, false],
    [`sslmode=require&sslrootcert=${root}`, true, 'what is in root.crt', false],
    ['sslmode=verify-ca', true, undefined, false],
    [`sslmode=verify-ca&sslrootcert=${root}`, true, 'what is in root.crt', false],
    ['sslmode=verify-full', true, undefined, true],
    ['sslmode=verify-full&sslrootcert=system', true, undefined, true],
    [`sslmode=verify-full&sslrootcert=${root}`, true, 'what is in root.crt', true],
  ])('with %s: whether it is checked, by which root, and whether its name is', (query, isChecked, ca, isNamed) => {
    expect(checks(query)).toEqual([isChecked, ca, isNamed])
  })

  test('is checked by the root certificate of the user, where there is one', () => {
    const user = join(directory.path, 'user')
    mkdirSync(join(user, '.postgresql'), { recursive: true })
    writeFileSync(join(user, '.postgresql', 'root.crt'), 'of the user')
    process.env.HOME = user
    expect(tried('sslmode=verify-full')).toMatchObject([{ ca: 'of the user' }])
    expect(tried(`sslmode=verify-full&sslrootcert=${root}`)).toMatchObject([{ ca: 'what is in root.crt' }])
  })

  test('that cannot be read is refused', () => {
    expect(() => tried('sslmode=verify-full&sslrootcert=/nowhere/root.crt')).toThrow(
      'the certificate or key /nowhere/root.crt cannot be read (ENOENT)',
    )
  })
})

test('the certificate and the key of the client are those in their files', () => {
  expect(withoutUsualRoot(`sslmode=require&sslcert=${cert}&sslkey=${key}`)).toMatchObject([
    { cert: 'what is in client.crt', key: 'what is in client.key' },
  ])
})

test.each([
  ['db.example.org', { servername: 'db.example.org' }],
  ['192.0.2.7', { host: '192.0.2.7' }],
])('%s is requested as %p', (host, name) => {
  const [tls] = withoutUsualRoot('sslmode=require', host)
  expect(tls).toMatchObject(name)
  expect<string[]>(Object.keys(tls as object).filter((member) => member === 'servername' || member === 'host')).toEqual(
    Object.keys(name),
  )
})
