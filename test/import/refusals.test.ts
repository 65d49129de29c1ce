// When an import refuses: damage, faults, breaking changes, and another one at work; it then changes nothing.

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockHome } from '../../packages/server/src/release/home/lock.ts'
import { BreakingChanges, type ImportOptions } from '../../packages/server/src/release/import.ts'
import { FaultyRecords } from '../../packages/server/src/source/faults.ts'
import type { Origin, Source } from '../../packages/server/src/source/source.ts'
import { runHere } from '../support/command.ts'
import { excerpt } from '../support/inegi-file.ts'
import {
  contentOf,
  homeWith,
  PROGRAM,
  type Rows,
  refusal,
  sourceOf,
  TestDirectory,
  TestHome,
  tiny,
  tinyNames,
  writeTables,
} from '../support/releases.ts'
import { countries } from '../support/small-source.ts'

setDefaultTimeout(180_000)

const [student] = tiny.audiencia
const others = { audiencia: [{ ...student, descCorta: 'Alumnos' }] }
/** A catalog in which nothing refers to a country that could be missed. */
const onlyCountries = (count: number): Rows => ({
  ...Object.fromEntries(tinyNames.map((name) => [name, []])),
  pais: countries(count),
})

describe('damage', () => {
  const renamedCountries = { pais: tiny.pais.map((row) => ({ ...row, descPais: `${row.descPais} II` })) }
  const alter = (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace(/[aeiou]/, 'x'))
  const damageMessage = (path: string, wrong: string) =>
    `the release is damaged: ${path} ${wrong}. ` +
    'It was left as it is; import its source again to replace it, or activate another release.'
  const ALTERED = 'has other content than it was built with'

  test('of what an import neither reads nor provides stays what it is, and is still found', async () => {
    using home = await homeWith()
    const path = home.fileOf(home.current().digest, 'pais', 'records')
    const { digest: entity } = home.released(home.current().digest, 'pais')
    alter(path)
    const { outcome, digest } = await home.import(sourceOf(others))
    expect(outcome).toBe('activated')
    expect(home.released(digest, 'pais').digest).toBe(entity)
    expect(await home.verify(digest)).toEqual([damageMessage(path, ALTERED)])
  })

  test.each<[string, Rows, string]>([
    ['that its rows embed', { municipio: tiny.municipio.map((row) => ({ ...row, descMunicipio: 'X' })) }, 'estado'],
    ['that is rendered anew', renamedCountries, 'localidad'],
  ])('of an entity %s is not built upon: the import is refused, and says what to do', async (_, rows, damaged) => {
    using home = await homeWith()
    const path = home.fileOf(home.current().digest, damaged, 'records')
    alter(path)
    const before = contentOf(home.path)
    const { message } = await refusal(home.import(sourceOf(rows)))
    expect(message).toBe(damageMessage(path, ALTERED))
    expect(contentOf(home.path)).toEqual(before)
  })

  test.each<[string, (path: string) => void, string]>([
    ['missing', (path) => rmSync(path), 'is missing'],
    ['of the wrong size', (path) => truncateSync(path, 3), 'has 3 bytes instead of '],
  ])('that shows at once, a file that is %s, is always refused', async (_, spoil, wrong) => {
    using home = await homeWith()
    const path = home.fileOf(home.current().digest, 'area', 'words')
    spoil(path)
    const before = contentOf(home.path)
    const { message } = await refusal(home.import(sourceOf(others)))
    expect(message).toStartWith(`the release is damaged: ${path} ${wrong}`)
    expect(contentOf(home.path)).toEqual(before)
  })

  test.each<[string, (path: string) => void]>([
    ['missing', (path) => rmSync(path)],
    ['of the wrong size', (path) => truncateSync(path, 3)],
    ['altered', alter],
  ])('of what is provided is replaced: a file that is %s', async (_, spoil) => {
    using home = await homeWith()
    spoil(home.fileOf(home.current().digest, 'audiencia', 'records'))
    const report = await home.import(sourceOf(others))
    expect(report).toMatchObject({ outcome: 'activated', breakingChanges: [] })
    expect(report.changes?.audiencia).toMatchObject({ isByNumber: true, changed: 0 })
    expect(await home.verify(report.digest)).toEqual([])
  })

  test('of the manifest itself: a whole catalog replaces it, and nothing less is built upon the release before', async () => {
    using home = await homeWith()
    const { digest } = await home.import(sourceOf({ ...tiny, area: [{ ...tiny.area[0], descripcion: 'Otra' }] }))
    const path = join(home.store.releaseDirectory(digest), 'manifest.json')
    writeFileSync(path, '{')
    const before = contentOf(home.path)
    const { message } = await refusal(home.import(sourceOf(others)))
    expect(message).toBe(damageMessage(path, 'is not JSON'))
    expect(contentOf(home.path)).toEqual(before)
    const few = { ...tiny, localidad: [] }
    expect((await refusal(home.import(sourceOf(few)))).message).toContain('localidad: all 3 records would be gone')
    expect(await home.import(sourceOf({ ...tiny, ...others }))).toMatchObject({ outcome: 'activated' })
  })

  test('of every manifest there is: only a whole catalog is imported', async () => {
    using home = await homeWith()
    writeFileSync(join(home.store.releaseDirectory(home.current().digest), 'manifest.json'), '{')
    rmSync(home.store.idRegistryFile)
    const partly = home.import(sourceOf(others), { fallback: sourceOf(tiny) })
    expect((await refusal(partly)).message).toContain('is not JSON')
    expect(await home.import(sourceOf({ ...tiny, ...others }))).toMatchObject({ outcome: 'activated' })
  })

  test('of every manifest there is: what a home cannot have held is not needed, and what it has numbered is', async () => {
    const { audiencia: _, ...rest } = tiny
    using without = await homeWith(rest)
    writeFileSync(join(without.store.releaseDirectory(without.current().digest), 'manifest.json'), '{')
    expect(await without.import(sourceOf(rest))).toMatchObject({ outcome: 'activated' })
    using numbered = await homeWith()
    writeFileSync(join(numbered.store.releaseDirectory(numbered.current().digest), 'manifest.json'), '{')
    expect((await refusal(numbered.import(sourceOf(rest)))).message).toContain('is not JSON')
  })

  test('of records whose identifiers the registry has lost is reported, unless they are the same', async () => {
    using home = await homeWith()
    const path = home.fileOf(home.current().digest, 'audiencia', 'records')
    alter(path)
    rmSync(home.store.idRegistryFile)
    const said = 'audiencia: its records are damaged and not in the id registry, so that identifiers may change'
    expect((await refusal(home.import(sourceOf(others)))).message).toContain(said)
    expect(await home.import(sourceOf({ audiencia: tiny.audiencia }))).toMatchObject({
      outcome: 'activated',
      breakingChanges: [],
    })
  })
})

describe('faults', () => {
  test('are reported all at once, with their places, and change nothing', async () => {
    using home = await homeWith()
    const before = contentOf(home.path)
    const [mexico, france] = tiny.pais
    const catalog = {
      pais: [mexico, { ...france, cvePais: 'fr' }, { ...mexico, descPais: 'Otra' }],
      municipio: [{ ...tiny.municipio[0], idEstado: 99 }],
      audiencia: [{ ...student, shortDesc: 'tab\there' }],
    }
    const error = await refusal(home.import(sourceOf(catalog)))
    expect(error).toBeInstanceOf(FaultyRecords)
    expect(error.message.split('\n')).toEqual([
      'pais.csv:3, cvePais: "fr"; expected three upper-case letters',
      'pais.csv:4, idPais: "484"; expected a key not given before; line 2 has it already',
      'municipio.csv:2, idEstado: 99; expected the identifier of a known estado',
      // The localities are carried over, but their municipalities are not given any more.
      expect.stringMatching(
        /^entity [0-9a-f]{12}, localidad:1, idMunicipio: "BC\/001 Ensenada"; expected one municipio with this code in the source, to which 2 localidades of the current release belong; or localidades in the source too$/,
      ),
      expect.stringMatching(/^entity [0-9a-f]{12}, localidad:3, idMunicipio: "AGS\/001 Aguascalientes"; expected one/),
      'audiencia.csv:2, shortDesc: "tab\\there"; expected a name in sound Unicode without control characters',
      '6 faults in the records given; nothing was changed',
    ])
    expect(contentOf(home.path)).toEqual(before)
  })

  test('are listed up to a hundred, and then counted', async () => {
    using home = await homeWith()
    const pais = countries(150).map((row) => ({ ...row, cvePais: 'x' }))
    const lines = (await refusal(home.import(sourceOf({ ...onlyCountries(0), pais })))).message.split('\n')
    expect(lines.length).toBe(102)
    expect(lines.slice(98)).toEqual([
      'pais.csv:100, cvePais: "x"; expected three upper-case letters',
      'pais.csv:101, cvePais: "x"; expected three upper-case letters',
      '… and 50 more',
      '150 faults in the records given; nothing was changed',
    ])
  })

  test('end the command with 1, after file, line and column of each', async () => {
    using home = await homeWith()
    using room = new TestDirectory()
    const before = contentOf(home.path)
    writeFileSync(join(room.path, 'pais.csv'), 'cvePais,descPais,idPais\nMEX,México,484\nFR,,250\n')
    const { code, out, err } = await runHere('import', 'package', room.path, '--home', home.path)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    const file = join(room.path, 'pais.csv')
    expect(err).toBe(
      `nomenclator: ${file}:3, cvePais: "FR"; expected three upper-case letters\n` +
        `${file}:3, descPais: nothing; expected a name of 1 to 1000 characters\n` +
        '2 faults in the records given; nothing was changed\n',
    )
    expect(contentOf(home.path)).toEqual(before)
  })
})

describe('breaking changes', () => {
  const few = (count: number) => sourceOf(onlyCountries(count))

  test('of one record in twenty are none, of one more they are', async () => {
    using home = new TestHome()
    await home.import(few(40))
    const before = contentOf(home.path)
    const error = await refusal(home.import(few(37)))
    expect(error).toBeInstanceOf(BreakingChanges)
    expect(error.message).toBe(
      'this import would break what those who rely on the current release expect:\n' +
        '  pais: 3 of 40 records would be gone\n' +
        'Nothing was changed. Look at it with --dry-run, and give --accept-changes if it is right.',
    )
    expect(contentOf(home.path)).toEqual(before)
    expect((await home.import(few(38))).breakingChanges).toEqual([])
    expect(home.current().entity('pais').count).toBe(38)
  })

  const breaking: readonly [name: string, rows: Rows, said: string][] = [
    ['an emptied collection', { audiencia: [] }, 'audiencia: all 1 records would be gone'],
    [
      'an identifier with another code',
      { audiencia: [{ ...student, clave: 'teachers' }] },
      'audiencia: 1 identifiers would change owner, such as audiencia 1: students is now teachers',
    ],
  ]

  test.each(breaking)('such as %s are refused, and done when they are accepted', async (_, rows, said) => {
    using home = await homeWith()
    const before = contentOf(home.path)
    expect((await refusal(home.import(sourceOf(rows)))).message).toContain(`\n  ${said}\n`)
    expect(contentOf(home.path)).toEqual(before)
    const report = await home.import(sourceOf(rows), { acceptChanges: true })
    expect(report).toMatchObject({ outcome: 'activated', breakingChanges: [said] })
  })

  const isRefused = async (home: TestHome, rows: Rows, origin: Partial<Origin>, said: string) => {
    const before = contentOf(home.path)
    const error = await refusal(home.import(sourceOf(rows, origin)))
    expect(error).toBeInstanceOf(BreakingChanges)
    expect(error.message).toContain(`\n  ${said}\n`)
    expect(contentOf(home.path)).toEqual(before)
  }
  const localities = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...tiny.localidad[0],
      cveLocalidad: String(at + 1).padStart(4, '0'),
      idLocalidad: at + 1,
    }))

  test.each<[string, (path: string) => void]>([
    ['altered', (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length))],
    ['missing', (path) => rmSync(path)],
  ])('by number, where records before are %s, are refused even to a whole catalog', async (_, spoil) => {
    using home = await homeWith({ ...tiny, localidad: localities(40) })
    spoil(home.fileOf(home.current().digest, 'localidad', 'records'))
    const damaged = ' by their number, since those of the current release are damaged'
    const fewer = { ...tiny, localidad: localities(37) }
    await isRefused(home, fewer, {}, `localidad: 3 of 40 records would be gone${damaged}`)
    await isRefused(home, { ...tiny, localidad: [] }, {}, `localidad: all 40 records would be gone${damaged}`)
    const report = await home.import(sourceOf({ ...tiny, localidad: localities(38) }))
    expect(report).toMatchObject({ outcome: 'activated', breakingChanges: [] })
    expect(report.changes?.localidad).toMatchObject({ removed: 2, isByNumber: true })
  })

  test('by number too where only what gives the records their keys is damaged', async () => {
    using home = await homeWith({ ...tiny, localidad: localities(40) })
    rmSync(home.fileOf(home.current().digest, 'municipio', 'index'))
    const rows = { ...tiny, localidad: localities(39).map((row) => ({ ...row, descLocalidad: 'X' })) }
    const { changes, breakingChanges } = await home.import(sourceOf(rows))
    expect(breakingChanges).toEqual([])
    expect(changes?.localidad).toMatchObject({ added: 0, removed: 1, isByNumber: true })
    expect(changes?.estado).not.toHaveProperty('isByNumber')
  })

  test.each<[string, Rows]>([
    ['a whole catalog', onlyCountries(3)],
    ['one entity', { audiencia: [{ ...student, clave: 'teachers' }] }],
  ])('by invented records that replace real ones are refused: %s', async (_, rows) => {
    using home = await homeWith()
    const said =
      rows.pais === undefined ? 'audiencia: 1 of 1 records would be gone' : 'estado: all 2 records would be gone'
    await isRefused(home, rows, { synthetic: true }, said)
  })

  test('by invented records that are accepted touch no identifier', async () => {
    using home = await homeWith()
    const registry = readFileSync(home.store.idRegistryFile, 'utf8')
    const invented = sourceOf(onlyCountries(3), { synthetic: true })
    expect(await home.import(invented, { acceptChanges: true })).toMatchObject({ outcome: 'activated' })
    expect(readFileSync(home.store.idRegistryFile, 'utf8')).toBe(registry)
  })

  test.each<[string, Rows, boolean]>([
    ['real ones', tiny, false],
    ['other invented ones', onlyCountries(3), true],
    ['nothing at all', onlyCountries(0), false],
  ])('of invented records are none: %s may replace them', async (_, rows, synthetic) => {
    using home = await homeWith(onlyCountries(40), { synthetic: true })
    expect(await home.import(sourceOf(rows, { synthetic }))).toMatchObject({
      outcome: 'activated',
      breakingChanges: [],
    })
  })

  test('end the command with 1, unless they are accepted', async () => {
    using home = await homeWith()
    using room = new TestDirectory()
    writeTables(room.path, { audiencia: [{ ...student, clave: 'teachers' }] })
    const command = ['import', 'package', room.path, '--home', home.path]
    const before = contentOf(home.path)
    const refused = await runHere(...command)
    expect({ code: refused.code, out: refused.out }).toEqual({ code: 1, out: '' })
    expect(refused.err).toStartWith(
      'nomenclator: this import would break what those who rely on the current release expect:\n',
    )
    const tried = await runHere(...command, '--dry-run')
    expect({ code: tried.code, err: tried.err }).toEqual({ code: 0, err: '' })
    expect(tried.out).toContain('Breaking changes:\n  audiencia: 1 identifiers would change owner')
    expect(contentOf(home.path)).toEqual(before)
    const accepted = await runHere(...command, '--accept-changes')
    expect({ code: accepted.code, err: accepted.err }).toEqual({ code: 0, err: '' })
    expect(new TextDecoder().decode(home.current().entity('audiencia').records.page(0))).toContain('"clave":"teachers"')
  })
})

describe('while another process changes the home', () => {
  test('an import that does not wait ends with 1 and says who it is', async () => {
    using home = await homeWith()
    using room = new TestDirectory()
    writeTables(room.path, others)
    using _lock = await lockHome(home.path, 'a test', { milliseconds: 0, onWait: () => {} })
    const { code, out, err } = await runHere('import', 'package', room.path, '--home', home.path, '--wait', '0')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toStartWith(`nomenclator: another process is changing ${home.path}: a test (process ${process.pid} on `)
  })

  test('a server with an empty home waits, and serves what the other has imported', async () => {
    using home = new TestHome()
    const lock = await lockHome(home.path, 'a test', { milliseconds: 0, onWait: () => {} })
    const command = ['serve', '--workers', '1', '--port', '0', '--home', home.path]
    await using server = Bun.spawn([...PROGRAM, ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
    for await (const chunk of server.stderr) if (new TextDecoder().decode(chunk).includes('Waiting for a test')) break
    const { digest } = await home.import(sourceOf(tiny))
    lock[Symbol.dispose]()
    const { value } = await server.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toStartWith(`Serving release ${digest.slice(0, 12)} on http://`)
    expect(readdirSync(join(home.path, 'releases'))).toEqual([digest])
  })
})

describe('the first import of a home', () => {
  const states = ['AGS', 'COL', 'DGO'].map((cveEstado, at) => ({
    cveEstado,
    cveRenapo: cveEstado.slice(0, 2),
    descEstado: `Estado ${cveEstado}`,
    idEstado: at + 1,
    idPais: tiny.pais[0]?.idPais ?? 0,
  }))
  const withStates = (count: number) => ({ ...tiny, estado: states.slice(0, count), municipio: [], localidad: [] })
  const into = async (count: number, source: Partial<Source>, options: Partial<ImportOptions> = {}) => {
    using home = new TestHome()
    const fallback = sourceOf(withStates(3), { kind: 'bundled' })
    const attempt = home.import({ ...sourceOf(withStates(count)), ...source }, { fallback, ...options })
    const error = await attempt.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return { error, isThere: home.store.currentDigest() !== undefined }
  }

  test('with one state of a source that is published by state is refused, and changes nothing', async () => {
    const { error, isThere } = await into(1, { publishedBy: 'estado' })
    expect(error).toBeInstanceOf(BreakingChanges)
    expect(String(error)).toContain('estado: 1 of 3 that the bundled data has')
    expect(String(error)).toContain('give --accept-changes if it is right')
    expect(isThere).toBe(false)
  })

  test.each<[string, count: number, source: Partial<Source>, options: Partial<ImportOptions>]>([
    ['two states', 2, { publishedBy: 'estado' }, {}],
    ['one state, accepted', 1, { publishedBy: 'estado' }, { acceptChanges: true }],
    ['one state of a catalog of its own', 1, {}, {}],
  ])('with %s passes', async (_, count, source, options) => {
    expect(await into(count, source, options)).toEqual({ error: undefined, isThere: true })
  })

  test('with an INEGI file of one state is refused as it is typed, next to the real bundled data', async () => {
    using room = new TestDirectory()
    const file = join(room.path, 'aguascalientes.csv')
    const [header = '', ...rows] = excerpt('localidades-2022').split('\n')
    writeFileSync(file, [header, ...rows.filter((row) => row.startsWith('"01'))].join('\n'))
    const home = join(room.path, 'home')
    const { code, err } = await runHere('import', 'inegi', file, '--home', home)
    expect([code, err]).toEqual([1, expect.stringContaining('estado: 1 of 32 that the bundled data has')])
  })
})
