// Texts of a descriptor have their class: one that is not of it is left out with a finding, and the list is published without it.
import { describe, expect, test } from 'bun:test'
import { PackageDirectory, table } from '../../../../../test/support/package-directory.ts'
import { examinePackage } from './open-package.ts'

const CODES = '\x1b[2J\u202egnp'
const HEADER = 'es\r\nX-Owned: 1\r\n\r\n<script>\x00'
const UNITS = table('units', [{ name: 'code' }, { name: 'name' }], { primaryKey: 'code' })
const directoryWith = (more: object) =>
  new PackageDirectory()
    .put('datapackage.json', JSON.stringify({ name: 'test', resources: [UNITS], ...more }))
    .put('units.csv', 'code,name\nA,One\n')

describe('what a text cannot be is left out with a finding:', () => {
  test.each<[string, object, expected: object]>([
    ['a title with control characters', { title: CODES }, { title: undefined }],
    ['a title that is an object', { title: { en: 'Units' } }, { title: undefined }],
    ['a title of two thousand letters', { title: 'x'.repeat(2_000) }, { title: undefined }],
    ['a description with escapes', { description: `a\n${CODES}` }, { description: undefined }],
    ['an address that is a script', { homepage: 'javascript:alert(1)' }, { homepage: undefined }],
    ['an address with lines', { homepage: `https://example.org/${HEADER}` }, { homepage: undefined }],
    ['a version', { version: HEADER }, { version: undefined }],
    ['one of several keywords', { keywords: ['units', CODES, {}] }, { keywords: ['units'] }],
    ['a part of a licence', { licenses: [{ name: CODES, title: 'Open' }] }, { licenses: [{ title: 'Open' }] }],
    ['the path of a source', { sources: [{ title: 'A', path: `https://a/${CODES}` }] }, { sources: [{ title: 'A' }] }],
    ['a role', { contributors: [{ title: 'A', roles: [CODES] }] }, { contributors: [{ title: 'A', roles: [] }] }],
  ])('%s', async (_, given, expected) => {
    using directory = directoryWith(given)
    const { source, findings } = await examinePackage(directory.path)
    source?.close()
    expect({ ...source?.package, ...expected }).toEqual({ ...source?.package } as never)
    expect(source?.counts.get('units')).toBe(1)
    expect(findings.map(({ kind }) => kind)).toContain('text-left-out')
  })

  test('texts that stand in their place are as they were, and lines are one line', async () => {
    using directory = directoryWith({
      ...{ title: ' The\n  units ', description: 'One.\nTwo.', homepage: 'https://example.org', version: 2 },
      ...{ licenses: 'CC0-1.0', contributors: ['Ada <a@example.org> (https://example.org)'], author: 'Bob' },
    })
    const { source, findings } = await examinePackage(directory.path)
    source?.close()
    expect(findings).toEqual([])
    expect(source?.package).toMatchObject({
      ...{ title: 'The units', description: 'One.\nTwo.', homepage: 'https://example.org', version: '2' },
      licenses: [{ name: 'CC0-1.0' }],
      contributors: [
        { title: 'Ada', email: 'a@example.org', path: 'https://example.org', roles: [] },
        { title: 'Bob', roles: ['author'] },
      ],
    })
  })
})

describe('a package gets a name that can stand in a path for', () => {
  test.each([
    ['constructor', 'constructor-package'],
    ['..', 'x'],
    ['a b', 'a-b'],
    ['\u202egnp', 'gnp'],
    ['x'.repeat(300), undefined],
  ])('%s', async (given, expected) => {
    using directory = directoryWith({ name: given })
    const { source, findings } = await examinePackage(directory.path)
    source?.close()
    expect(findings.map(({ kind }) => kind)).toEqual(['package-name'])
    if (expected !== undefined) expect(source?.package.name).toBe(expected)
  })

  test.each(['constructor', '..', 'a/b', '', CODES])('no other name like %j is taken', async (name) => {
    using directory = directoryWith({})
    await expect(examinePackage(directory.path, { name })).rejects.toThrow('the name of the package is not sound')
  })
})

test.each(['x'.repeat(50_000), `${'é'.repeat(200)}.csv`, `${'a/'.repeat(600)}units.csv`])(
  'a path that no file can have is refused in words (%#)',
  async (path) => {
    using directory = directoryWith({
      resources: [
        { name: 'units', path },
        { ...UNITS, name: 'other', schema: path },
      ],
    })
    await expect(examinePackage(directory.path)).resolves.toMatchObject({ faultCount: expect.any(Number) })
  },
)
