// Aliases that are imported: found by, kept by other imports, replaced, exported, and refused.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catalogOf } from '../../packages/server/src/catalog/catalog.ts'
import { wordsOf } from '../../packages/server/src/catalog/words.ts'
import { resolveRow } from '../../packages/server/src/query/resolve/resolve.ts'
import { searchAcross } from '../../packages/server/src/query/search/search.ts'
import { aliasesOf } from '../../packages/server/src/release/aliases.ts'
import { exportPackage } from '../../packages/server/src/release/export-package.ts'
import { codeReader } from '../../packages/server/src/release/official-codes.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { Faults } from '../../packages/server/src/source/faults.ts'
import { aliasesIn } from '../../packages/server/src/source/package/defined-aliases.ts'
import { code, entity, name } from '../support/definitions.ts'
import { bundledRelease, releaseOf, sourceIn, sourceOf, TestHome, tiny } from '../support/releases.ts'
import { appOf, responseTo } from '../support/responses.ts'

setDefaultTimeout(180_000)

/** A directory that is gone after the test. */
class Scratch implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'nomenclator-aliases-'))
  write(...rows: readonly string[]): this {
    writeFileSync(join(this.path, 'aliases.csv'), `${['entity,code,alias,reason', ...rows].join('\n')}\n`)
    return this
  }
  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true })
  }
}

const GOLD = 'municipio,1-002,Real de Oro,its name long ago'

const namesFound = (release: Release, typed: string): string[] =>
  searchAcross(
    release,
    wordsOf(typed),
    ['estado', 'municipio', 'localidad'].map((name) => [name, []] as const),
    5,
  )
    .filter(({ explain }) => explain().how.includes('alias'))
    .map(({ name, position }) => `${name} ${position}`)

async function homeWithAliases(): Promise<TestHome> {
  const home = new TestHome()
  await home.import(sourceOf(tiny))
  using directory = new Scratch().write(GOLD)
  await home.import(await sourceIn(directory.path))
  return home
}

test('a directory with nothing but aliases makes a new release, by which the record is found', async () => {
  using home = new TestHome()
  await home.import(sourceOf(tiny))
  const before = home.current()
  expect(namesFound(before, 'real de oro')).toEqual([])
  using directory = new Scratch().write(GOLD)
  await home.import(await sourceIn(directory.path))
  expect(home.current().digest).not.toBe(before.digest)
  expect(namesFound(home.current(), 'real de oro')).toEqual(['municipio 1'])
  // The older release does not have it.
  expect(namesFound(before, 'real de oro')).toEqual([])
})

test('a suggestion has the alias and its reason', async () => {
  using home = await homeWithAliases()
  const release = home.current()
  const app = appOf(() => release)
  const target = '/api/v2/search?q=real+de+oro&limit=1'
  const response = await responseTo(app, { target })
  expect(await response.json()).toMatchObject([
    {
      name: 'Asientos',
      how: ['alias'],
      dropped: [],
      parents: [
        { collection: 'estados', key: { idEstado: 1 } },
        { collection: 'paises', key: { idPais: 484 }, code: 'MEX' },
      ],
      matches: [
        {
          field: 'alias',
          alias: 'Real de Oro',
          reason: 'its name long ago',
          collection: 'municipios',
          ranges: [
            [0, 4],
            [5, 7],
            [8, 11],
          ],
        },
      ],
    },
  ])
})

test('another import keeps them, and one with aliases of its own replaces them', async () => {
  using home = await homeWithAliases()
  await home.import(sourceOf({ audiencia: tiny.audiencia }))
  expect(namesFound(home.current(), 'real de oro')).toEqual(['municipio 1'])
  using directory = new Scratch().write('estado,BC,la frontera,usual name')
  await home.import(await sourceIn(directory.path))
  expect(namesFound(home.current(), 'real de oro')).toEqual([])
  expect(namesFound(home.current(), 'la frontera')).toEqual(['estado 1'])
})

test('an import that numbers otherwise what their codes are made of leaves them at their records', async () => {
  using home = await homeWithAliases()
  const states = tiny.estado.map((row) => ({ ...row, idEstado: 3 - row.idEstado }))
  await home.import(sourceOf({ estado: states }), { acceptChanges: true })
  expect(home.current().manifest.aliases?.map(({ code }) => code)).toEqual(['2-002'])
  expect(namesFound(home.current(), 'real de oro')).toEqual(['municipio 1'])
})

test('an export has them, and gives the same release when it is imported again', async () => {
  using home = await homeWithAliases()
  using directory = new Scratch()
  exportPackage(home.current(), directory.path, { overwrite: false })
  expect(readFileSync(join(directory.path, '_aliases.csv'), 'utf8')).toBe(`entity,code,alias,reason\n${GOLD}\n`)
  using other = new TestHome()
  await other.import(await sourceIn(directory.path), { fallback: sourceOf(tiny) })
  expect(other.current().digest).toBe(home.current().digest)
})

test('those that ship with the program make no other release', async () => {
  using home = new TestHome()
  await home.import(sourceOf(tiny))
  using directory = new Scratch().write('estado,BC,baja calif,usual short form')
  const report = await home.import(await sourceIn(directory.path))
  expect(report.outcome).toBe('nothing to do')
})

describe('what is refused', () => {
  test('a record that is not there', async () => {
    using home = new TestHome()
    await home.import(sourceOf(tiny))
    using directory = new Scratch().write('estado,XX,nowhere,a mistake')
    await expect(home.import(await sourceIn(directory.path))).rejects.toThrow(
      'there is no record with the code of 1 alias: estado XX (nowhere); nothing was changed',
    )
  })

  test.each([
    ['an entity that there is not', 'planeta,X,marte,a mistake', 'entity'],
    ['an alias without a word', 'estado,BC,...,a mistake', 'alias'],
    ['too few values', 'estado,BC', 'all'],
  ])('%s', (_what, row, column) => {
    const faults = new Faults()
    aliasesIn('given', `entity,code,alias,reason\n${row}\n`, new Set(['estado']), faults)
    expect(faults.list()).toMatchObject([{ line: 2, column }])
  })
})

test('every alias that ships with the program is of a record of the bundled data', async () => {
  const release = await bundledRelease()
  const faults = new Faults()
  const file = join(import.meta.dir, '..', '..', 'data', 'aliases.csv')
  const aliases = aliasesIn(file, readFileSync(file, 'utf8'), new Set(release.catalog.entities.keys()), faults)
  faults.throwIfAny()
  const known = new Set(
    [...release.catalog.entities.keys()]
      .flatMap((name) => aliasesOf(release, name)?.aliases ?? [])
      .map((one) => JSON.stringify(one)),
  )
  expect(aliases.filter((alias) => !known.has(JSON.stringify(alias)))).toEqual([])
})

test('a record may be named by its official code', async () => {
  using home = new TestHome()
  await home.import(sourceOf(tiny))
  using directory = new Scratch().write('municipio,01002,Real de Oro,its name long ago')
  await home.import(await sourceIn(directory.path))
  expect(namesFound(home.current(), 'real de oro')).toEqual(['municipio 1'])
  await home.import(sourceOf({ audiencia: tiny.audiencia }))
  expect(namesFound(home.current(), 'real de oro')).toEqual(['municipio 1'])
})

test('those that ship with the program are not those of a list of a package that has the same name', async () => {
  const list = entity({
    name: 'estado',
    plural: 'estado',
    fields: { code: code('code', /^.+$/, 'a code'), name: name('name') },
    key: ['code'],
    code: ['code'],
  })
  const rows = { estado: [{ code: 'BC', name: 'Solid' }] }
  const found = [list, { ...list, package: 'matter' }].map(async (one) =>
    aliasesOf(await releaseOf(sourceOf(rows, {}, catalogOf([one]))), 'estado')?.aliases.map(({ alias }) => alias),
  )
  expect(await Promise.all(found)).toEqual([expect.arrayContaining(['02']), undefined])
})

describe('the words that ship with the program', () => {
  const first = (release: Release, typed: string): string | undefined => {
    const scope = [...release.catalog.entities.keys()].map((name) => [name, []] as const)
    const [best] = searchAcross(release, wordsOf(typed), scope, 5)
    return best && `${best.name} ${codeReader(release, release.entity(best.name).definition)(best.position)}`
  }

  test('find every country first by its three codes of ISO 3166-1, and resolve it by its names in English and Spanish', async () => {
    const release = await bundledRelease()
    const { definition, count } = release.entity('pais')
    const readers = definition.codes?.map((code) => codeReader(release, definition, code)) ?? []
    const names = ['en', 'es', 'es-MX'].map((language) => new Intl.DisplayNames([language], { type: 'region' }))
    const missed: string[] = []
    for (let position = 0; position < count; position++) {
      const [alpha3 = '', alpha2 = '', numeric = ''] = readers.map((read) => read(position) ?? '')
      for (const code of [alpha3, alpha2, alpha2.toLowerCase(), numeric])
        if (first(release, code) !== `pais ${alpha3}`) missed.push(`${alpha3} by ${code}`)
      for (const text of new Set(names.map((name) => name.of(alpha2) ?? ''))) {
        const { record, verdict } = resolveRow(release, { text }, { names: ['pais'] })
        if (record?.position !== position || (verdict !== 'exact' && verdict !== 'sure'))
          missed.push(`${alpha3} by ${text}`)
      }
    }
    expect(missed).toEqual([])
  })

  test.each([
    ['U120304', 'subdisciplina 120304'],
    ['unesco 120304', 'subdisciplina 120304'],
    ['U1203', 'disciplina 1203'],
    ['artificial intelligence', 'subdisciplina 120304'],
    ['paleobotany', 'subdisciplina 241710'],
    ['computer sciences', 'disciplina 1203'],
    ['poland', 'pais POL'],
    ['Venezuela (República Bolivariana de)', 'pais VEN'],
    ['NLE', 'estado 19'],
    ['GDL', 'municipio 14039'],
    ['josé azueta guerrero', 'municipio 12038'],
    ['solidaridad quintana roo', 'municipio 23008'],
  ])('%s finds %s', async (typed, expected) => {
    expect(first(await bundledRelease(), typed)).toBe(expected)
  })
})
