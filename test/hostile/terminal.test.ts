// Names and values of other people on a terminal: their control characters and marks of direction are shown, and not obeyed.
import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ran } from '../support/command.ts'
import { nomenclator, PROGRAM, TestDirectory, tiny, writeTables } from '../support/releases.ts'

/** Clears the screen, sets the title of the window (with ESC and with C1), moves the cursor, and turns the direction. */
const HOSTILE = '\x1b[2J\x1b]0;owned\x07\x9b31m\x9d0;owned\x9c\u202egnp.exe\u2066\u200f\b\r\x7f'
const OBEYED = /(?![\t\n])[\p{Cc}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u

/** A package whose descriptor, names of files, columns, keys and values are hostile. */
function hostilePackage(within: string, edition: string): string {
  const directory = join(within, `offices ${HOSTILE} ${edition}`)
  mkdirSync(directory)
  const rows = `code,name,"note ${HOSTILE}"\nA${HOSTILE},First ${HOSTILE} ${edition},x\nB,Second,${HOSTILE}\n`
  writeFileSync(join(directory, 'offices.csv'), rows)
  writeFileSync(join(directory, `broken ${HOSTILE}.csv`), `"${HOSTILE}`)
  const said = `${HOSTILE} offices`
  const descriptor = {
    name: 'offices',
    ...{ title: said, description: said, version: said, homepage: `https://example.org/${HOSTILE}`, keywords: [said] },
    licenses: [{ name: said, title: said, path: said }],
    sources: [{ title: said, path: said }, said],
    contributors: [{ title: said, organization: said, roles: [said] }],
    [`titel${HOSTILE}`]: said,
    'nomenclator:language': said,
    [`nomenclator:${HOSTILE}`]: said,
    resources: [
      { name: 'offices', title: said, path: 'offices.csv', schema: { fields: [{ name: 'code', type: said }, said] } },
      { name: said, path: `broken ${HOSTILE}.csv` },
      { name: `missing ${said}`, path: `missing ${HOSTILE}.csv` },
    ],
  }
  writeFileSync(join(directory, 'datapackage.json'), JSON.stringify(descriptor))
  return directory
}

describe('a terminal gets no control character of', () => {
  test('a package that is checked, imported, listed, compared and removed', async () => {
    using room = new TestDirectory()
    const home = ['--home', join(room.path, 'home')]
    const [first, second] = [hostilePackage(room.path, 'one'), hostilePackage(room.path, 'two')]
    const written: string[] = []
    const type = async (...argv: string[]) => {
      const { code, out, err } = await nomenclator(...argv)
      expect({ argv, obeyed: OBEYED.exec(out + err) }).toEqual({ argv, obeyed: null })
      written.push(out, err)
      return { code, out, err }
    }
    await type('check', first)
    await type('check', join(first, 'datapackage.json'), '--json')
    await type('check', join(room.path, `none ${HOSTILE}`))
    await type('describe', join(first, 'offices.csv'), '--output', join(room.path, `${HOSTILE}.json`))
    expect(await type('import', 'package', first, '--alone', ...home)).toMatchObject({ code: 0 })
    const imported = await type('import', 'package', second, '--accept-changes', '--json', ...home)
    expect(imported.code).toBe(0)
    const { digest, package: name } = JSON.parse(imported.out)
    expect(name).toBe('offices')
    const { out } = await type('releases', '--json', ...home)
    const [newest, oldest] = JSON.parse(out).map((one: { readonly digest: string }) => one.digest)
    expect([newest, oldest]).toContain(digest)
    await type('packages', ...home)
    await type('releases', ...home)
    await type('releases', 'show', digest, ...home)
    await type('diff', oldest, newest, ...home)
    const changes = await type('diff', oldest, newest, '--collection', 'offices', ...home)
    expect(changes.out).toContain('\\u202egnp.exe')
    await type('doctor', ...home)
    await type('remove', HOSTILE, ...home)
    await type(HOSTILE, `--${HOSTILE}`)
    expect(written.join('')).toContain('\\u202egnp.exe')
  }, 60_000)
})

test('rows and documents are written as they are', async () => {
  using room = new TestDirectory()
  const home = ['--home', join(room.path, 'home')]
  const tables = writeTables(join(room.path, 'tables'), { pais: tiny.pais })
  expect(await nomenclator('import', 'package', tables, '--alone', ...home)).toMatchObject({ code: 0 })
  const { out, err } = await ran([...PROGRAM, 'resolve', '-', '--columns', 'pais', '--out', '-', ...home], {
    input: `pais,note\r\nMéxico,"${HOSTILE}"\r\n`,
  })
  expect(out).toContain(HOSTILE)
  expect(OBEYED.exec(err)).toBeNull()
}, 60_000)
