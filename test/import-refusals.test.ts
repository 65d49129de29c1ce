// When an import refuses: damage, faults, surprising changes, and another one at work; it then changes nothing.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { entityNames } from '../src/catalog/entities.ts'
import { BreakingChanges } from '../src/release/import.ts'
import { lockHome } from '../src/release/lock.ts'
import { FaultyRecords } from '../src/source/faults.ts'
import {
  type Catalog,
  contentOf,
  nomenclator,
  PROGRAM,
  sourceOf,
  TestDirectory,
  TestHome,
  tiny,
  writeTabular,
} from './support/releases.ts'

setDefaultTimeout(60_000)

const [student] = tiny.audiencia
const others = { audiencia: [{ ...student, descCorta: 'Alumnos' }] }
const countries = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    cvePais: String.fromCharCode(65 + Math.floor(at / 26), 65 + (at % 26), 90),
    descPais: `País ${at + 1}`,
    idPais: at + 1,
  }))
/** A catalog in which nothing refers to a country that could be missed. */
const onlyCountries = (count: number): Catalog => ({
  ...Object.fromEntries(entityNames.map((name) => [name, []])),
  pais: countries(count),
})

async function homeWith(catalog: Catalog = tiny): Promise<TestHome> {
  const home = new TestHome()
  await home.import(sourceOf(catalog))
  return home
}

const refusal = async (attempt: Promise<unknown>): Promise<Error> => {
  const error = await attempt.catch((thrown: unknown) => thrown)
  if (error instanceof Error) return error
  throw new Error('it was not refused')
}

test('damage is not carried over: the import is refused, and says what to do', async () => {
  using home = await homeWith()
  const { digest } = home.current().manifest
  const path = join(home.shelf.directoryOf(digest), 'pais.records')
  writeFileSync(path, readFileSync(path, 'utf8').replace('MEX', 'MEY'))
  const before = contentOf(home.path)
  const { message } = await refusal(home.import(sourceOf(others)))
  expect(message).toBe(
    `the release is damaged: ${path} has other content than it was built with. ` +
      'It was left as it is; import its source again to replace it, or activate another release.',
  )
  expect(contentOf(home.path)).toEqual(before)
})

describe('faults', () => {
  test('are told all at once, with their places, and change nothing', async () => {
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
      expect.stringMatching(/^release [0-9a-f]{12}, localidad:1, idMunicipio: 3; expected the identifier of a known/),
      expect.stringMatching(/^release [0-9a-f]{12}, localidad:2, idMunicipio: 3; expected the identifier of a known/),
      expect.stringMatching(/^release [0-9a-f]{12}, localidad:3, idMunicipio: 1; expected the identifier of a known/),
      'audiencia.csv:2, shortDesc: "tab\\there"; expected a name in sound Unicode without control characters',
      '7 faults in the records given; nothing was changed',
    ])
    expect(contentOf(home.path)).toEqual(before)
  })

  test('are told to a hundred, and then counted', async () => {
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
    const { code, out, err } = await nomenclator('import', 'tabular', room.path, '--home', home.path)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    const file = join(room.path, 'pais.csv')
    expect(err).toBe(
      `nomenclator: ${file}:3, cvePais: "FR"; expected three upper-case letters\n` +
        `${file}:3, descPais: ""; expected a name of 1 to 1000 characters\n` +
        '2 faults in the records given; nothing was changed\n',
    )
    expect(contentOf(home.path)).toEqual(before)
  })
})

describe('surprising changes', () => {
  const few = (count: number) => sourceOf(onlyCountries(count))

  test('of one record in twenty are none, of one more they are', async () => {
    using home = new TestHome()
    await home.import(few(40))
    const before = contentOf(home.path)
    const error = await refusal(home.import(few(37)))
    expect(error).toBeInstanceOf(BreakingChanges)
    expect(error.message).toBe(
      'this import would surprise those who rely on the current release:\n' +
        '  pais: 3 of 40 records would be gone\n' +
        'Nothing was changed. Look at it with --dry-run, and give --accept-changes if it is right.',
    )
    expect(contentOf(home.path)).toEqual(before)
    expect((await home.import(few(38))).breakingChanges).toEqual([])
    expect(home.current().manifest.entities.pais.count).toBe(38)
  })

  const surprising: readonly [name: string, catalog: Catalog, said: string][] = [
    ['an emptied collection', { audiencia: [] }, 'audiencia: all 1 records would be gone'],
    [
      'an identifier with another code',
      { audiencia: [{ ...student, clave: 'teachers' }] },
      'audiencia: 1 identifiers would change owner, such as audiencia 1: students is now teachers',
    ],
  ]

  test.each(surprising)('such as %s are refused, and done when they are accepted', async (_, catalog, said) => {
    using home = await homeWith()
    const before = contentOf(home.path)
    expect((await refusal(home.import(sourceOf(catalog)))).message).toContain(`\n  ${said}\n`)
    expect(contentOf(home.path)).toEqual(before)
    const report = await home.import(sourceOf(catalog), { acceptChanges: true })
    expect(report).toMatchObject({ outcome: 'activated', breakingChanges: [said] })
  })

  test('do not count where either side is invented', async () => {
    using home = await homeWith()
    const numbers = readFileSync(join(home.path, 'numbers.json'), 'utf8')
    const invented = sourceOf(onlyCountries(3), { synthetic: true })
    expect(await home.import(invented)).toMatchObject({ outcome: 'activated', breakingChanges: [] })
    expect(readFileSync(join(home.path, 'numbers.json'), 'utf8')).toBe(numbers)
    expect(await home.import(sourceOf(tiny))).toMatchObject({ outcome: 'activated', breakingChanges: [] })
  })

  test('end the command with 1, unless they are accepted', async () => {
    using home = await homeWith()
    using room = new TestDirectory()
    writeTabular(room.path, { audiencia: [{ ...student, clave: 'teachers' }] })
    const command = ['import', 'tabular', room.path, '--home', home.path]
    const before = contentOf(home.path)
    const refused = await nomenclator(...command)
    expect({ code: refused.code, out: refused.out }).toEqual({ code: 1, out: '' })
    expect(refused.err).toStartWith('nomenclator: this import would surprise those who rely on the current release:\n')
    const tried = await nomenclator(...command, '--dry-run')
    expect({ code: tried.code, err: tried.err }).toEqual({ code: 0, err: '' })
    expect(tried.out).toContain('Surprising:\n  audiencia: 1 identifiers would change owner')
    expect(contentOf(home.path)).toEqual(before)
    const accepted = await nomenclator(...command, '--accept-changes')
    expect({ code: accepted.code, err: accepted.err }).toEqual({ code: 0, err: '' })
    expect(new TextDecoder().decode(home.current().entity('audiencia').records.page(0))).toContain('"clave":"teachers"')
  })
})

describe('while another process changes the home', () => {
  test('an import that does not wait ends with 1 and says who it is', async () => {
    using home = await homeWith()
    using room = new TestDirectory()
    writeTabular(room.path, others)
    using _lock = await lockHome(home.path, 'a test', { milliseconds: 0, onWait: () => {} })
    const { code, out, err } = await nomenclator('import', 'tabular', room.path, '--home', home.path, '--wait', '0')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toStartWith(`nomenclator: another process is changing ${home.path}: a test (process ${process.pid} on `)
  })

  test('a server with an empty home waits, and serves what the other has imported', async () => {
    using home = new TestHome()
    const lock = await lockHome(home.path, 'a test', { milliseconds: 0, onWait: () => {} })
    const command = ['serve', '--workers', '1', '--port', '0', '--home', home.path]
    await using server = Bun.spawn([process.execPath, PROGRAM, ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
    for await (const chunk of server.stderr) if (new TextDecoder().decode(chunk).includes('Waiting for a test')) break
    const { digest } = await home.import(sourceOf(tiny))
    lock[Symbol.dispose]()
    const { value } = await server.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toStartWith(`Serving release ${digest.slice(0, 12)} on http://`)
    expect(readdirSync(join(home.path, 'releases'))).toEqual([digest])
  })
})
