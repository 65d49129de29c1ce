// Addresses of shelves and their passwords, as libpq reads them.
import { describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { describeAddress, parseShelfAddress, passwordOf, type ShelfAddress, withoutPassword } from './address.ts'

const parsed = (text: string): ShelfAddress => {
  const address = parseShelfAddress(text)
  if ('allowed' in address) throw new Error(address.allowed)
  return address
}

describe('an address', () => {
  test.each([
    ['postgres://a@h/d', 'postgres://a@h:5432/d'],
    ['postgresql://a:p@h:1/d', 'postgres://a@h:1/d'],
    ['postgres://a@h', 'postgres://a@h:5432/a'],
    ['postgres://a@[::1]:7/d', 'postgres://a@[::1]:7/d'],
    ['postgres://a@one:1,two:2/d', 'postgres://a@one:1,two:2/d'],
    ['postgres://a@one,two/d?port=9', 'postgres://a@one:9,two:9/d'],
    ['postgres://a@one,two/d?port=9,8', 'postgres://a@one:9,two:8/d'],
    ['postgres://a@one:7,two/d?port=9,8', 'postgres://a@one:7,two:8/d'],
    ['postgres://a@/d', 'postgres://a@localhost:5432/d'],
    ['postgres://a@h:65535/d', 'postgres://a@h:65535/d'],
    ['postgres://a@/d?host=/run/postgresql', 'postgres://a@/run/postgresql:5432/d'],
    ['postgres://%C3%A1@h/d%20e', 'postgres://%C3%A1@h:5432/d%20e'],
    ['postgres://h/d?user=b', 'postgres://b@h:5432/d'],
  ])('%s is %s', (text, described) => {
    expect(describeAddress(parsed(text))).toBe(described)
  })

  test.each([
    ['http://a@h/d', 'an address such as'],
    ['h/d', 'an address such as'],
    ['postgres://a@h:0/d', 'hosts and ports'],
    ['postgres://a@h:65536/d', 'hosts and ports'],
    ['postgres://a@h:b/d', 'hosts and ports'],
    ['postgres://a@h,i:b/d', 'hosts and ports'],
    ['postgres://a@h:99999/d', 'hosts and ports'],
    ['postgres://a@h/d?sslmode=maybe', 'sslmode is disable'],
    ['postgres://a@h/d?options=-c', 'no other parameters'],
    ['postgres://a@h/d?connect_timeout=soon', 'connect_timeout'],
    ['postgres://a@h/d?connect_timeout=0', 'connect_timeout'],
    ['postgres://%@h/d', 'every %'],
  ])('%s is refused', (text, reason) => {
    expect(parseShelfAddress(text)).toEqual({ allowed: expect.stringContaining(reason) })
  })

  test('has TLS as libpq has it if nothing is said', () => {
    expect(parsed('postgres://a@h/d').ssl).toEqual({ mode: 'prefer' })
    expect(parsed('postgres://a@h/d?sslmode=verify-ca&sslrootcert=/r&sslcert=/c&sslkey=/k').ssl).toEqual({
      mode: 'verify-ca',
      rootCert: '/r',
      cert: '/c',
      key: '/k',
    })
  })
})

test.each([
  ['postgres://a:secret@h/d', 'postgres://a:***@h/d'],
  ['postgres://a:se@cret:x@h/d', 'postgres://a:***@h/d'],
  ['postgres://:secret@h/d', 'postgres://:***@h/d'],
  ['postgres://a@h/d?password=secret&sslmode=x', 'postgres://a@h/d?password=***&sslmode=x'],
  ['postgres://a@h/d', 'postgres://a@h/d'],
])('of %s no more than %s is shown', (text, shown) => {
  expect(withoutPassword(text)).toBe(shown)
})

describe('a password', () => {
  test('is taken from its own file, the address, the environment or a password file, in this order', () => {
    using other = new TestDirectory()
    const path = join(other.path, 'own')
    writeFileSync(path, 'of a file\n')
    const passfile = join(other.path, 'passfile')
    writeFileSync(passfile, '# hosts\nelse:*:*:*:no\nh:5432:d:a:of a pass\\:file\n*:*:*:*:any\n')
    chmodSync(passfile, 0o600)
    const withPassword = parsed('postgres://a:of%20the%20address@h/d')
    const without = parsed('postgres://a@h/d')
    const env = { PGPASSWORD: 'of the environment', PGPASSFILE: passfile }
    expect(passwordOf(withPassword, path, env)).toBe('of a file')
    expect(passwordOf(withPassword, undefined, env)).toBe('of the address')
    expect(passwordOf(without, undefined, env)).toBe('of the environment')
    expect(passwordOf(without, undefined, { PGPASSFILE: passfile })).toBe('of a pass:file')
    expect(passwordOf(parsed('postgres://b@h/d'), undefined, { PGPASSFILE: passfile })).toBe('any')
    expect(passwordOf(without, undefined, { HOME: other.path })).toBeUndefined()
  })

  test.each([0o644, 0o640, 0o604, 0o620])('is not read from a password file with the mode %o', (mode) => {
    using other = new TestDirectory()
    const path = join(other.path, 'open')
    writeFileSync(path, '*:*:*:*:secret\n')
    chmodSync(path, mode)
    const read = () => passwordOf(parsed('postgres://a@h/d'), undefined, { PGPASSFILE: path })
    expect(read).toThrow(/can be read by others/)
    expect(read).not.toThrow(/secret/)
  })

  test.each([
    ['postgres://a@h/d', 'of h:5432'],
    ['postgres://a@h:1/d', 'of h'],
    ['postgres://a@/d?host=/run/postgresql', 'of a socket'],
    ['postgres://a@localhost/d', 'of a socket'],
    ['postgres://b@h/d', undefined],
    ['postgres://a@h/e', undefined],
    ['postgres://a@i/d', undefined],
    ['postgres://a@i,h:1/d', 'of h'],
  ])('of %s in a password file is %s', (text, password) => {
    using other = new TestDirectory()
    const path = join(other.path, 'passwords')
    writeFileSync(path, 'h:5432:d:a:of h\\:5432\nh:5432:d:a\nh:*:d:a:of h\r\nlocalhost:5432:d:a:of a socket\n')
    chmodSync(path, 0o600)
    expect(passwordOf(parsed(text), undefined, { PGPASSFILE: path })).toBe(password as string)
  })

  test('is missed where its file is', () => {
    expect(() => passwordOf(parsed('postgres://a@h/d'), '/nowhere/password', {})).toThrow(/cannot be read \(ENOENT\)/)
  })
})
