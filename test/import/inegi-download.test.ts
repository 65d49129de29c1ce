// `import inegi` from the web, through the real command: imports, refusals, and the files that stay on disk.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationalError } from '../../packages/server/src/base/operational-error.ts'
import { importInegiFrom } from '../../packages/server/src/cli/commands/import-inegi.ts'
import { run } from '../../packages/server/src/cli/run.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import { bundledSource } from '../../packages/server/src/source/bundled.ts'
import { Faults } from '../../packages/server/src/source/faults.ts'
import { Findings } from '../../packages/server/src/source/findings.ts'
import { LOCALITIES_URL } from '../../packages/server/src/source/inegi/published.ts'
import type { GivenRow } from '../../packages/server/src/source/source.ts'
import { FileServer, type Handler, inTurn, sound, stopping } from '../support/file-server.ts'
import { excerpt, type ZipMember, zipOf } from '../support/inegi-file.ts'
import { contentOf, nomenclator, PROGRAM, type Rows, sourceOf, TestHome } from '../support/releases.ts'
import { eventually, Service } from '../support/service.ts'

setDefaultTimeout(180_000)

const BY_HAND =
  'download the zip by hand from https://www.inegi.org.mx/app/ageeml/ and give it: nomenclator import inegi FILE'
const GOES_ON = `run the same command again to continue where it stopped, or ${BY_HAND}`
const ETAG = { etag: '"2025-10"' }

async function bundledRows(entity: string): Promise<readonly GivenRow[]> {
  const report = { faults: new Faults(), findings: new Findings() }
  const all: GivenRow[] = []
  for await (const { rows } of bundledSource().read(entity, report)) all.push(...rows)
  return all
}

const LOCALITIES_EACH = 12

/** The bundled data, but of each state only a few municipalities with one locality: an import of it takes a moment. */
async function someRows(): Promise<Rows> {
  const names = [...builtInCatalog.entities.keys()].filter((name) => name !== 'localidad')
  const all = names.map(async (name) => [name, await bundledRows(name)] as const)
  const { municipio = [], ...others } = Object.fromEntries(await Promise.all(all))
  const few = municipio.filter(({ cveMunicipio }) => String(cveMunicipio) <= '003')
  const localidad = few.map(({ idEstado, idMunicipio, descMunicipio }) => ({
    ...{ cveLocalidad: '0001', descLocalidad: descMunicipio, idLocalidad: 1 },
    ...{ idEstado, idMunicipio },
  }))
  return { ...others, municipio: few, localidad } as Rows
}
const some = await someRows()

/** Localities in municipalities, in the layout of 2025; one retired, and one in no state. */
function officialTable(): string {
  const states = new Map(some.estado?.map(({ idEstado, descEstado }) => [String(idEstado), descEstado]))
  const line = (state: string, estado: unknown, mun: unknown, municipio: unknown, loc = '0001', status = '') =>
    `"${state}${mun}${loc}","${status}","${state}","${estado}","Edo.","${mun}","${municipio}","${loc}","Villa de ${municipio}"`
  const lines = ['CVEGEO,Estatus,CVE_ENT,NOM_ENT,NOM_ABR,CVE_MUN,NOM_MUN,CVE_LOC,NOM_LOC']
  for (const { idEstado, cveMunicipio, descMunicipio } of some.municipio ?? []) {
    const state = String(idEstado)
    for (let loc = 1; loc <= LOCALITIES_EACH; loc++)
      lines.push(
        line(state.padStart(2, '0'), states.get(state), cveMunicipio, descMunicipio, String(loc).padStart(4, '0')),
      )
  }
  lines.push(line('01', 'Aguascalientes', '001', 'Aguascalientes', '9999', 'Baja'), line('QY', 'Zona', '001', 'Zona'))
  return `${lines.join('\n')}\n`
}

const table = officialTable()
const utf8 = Buffer.from(table)
/** The header and two rows are no localities. */
const count = table.trimEnd().split('\n').length - 3

/** The zip of INEGI: the same table in two encodings, and in other forms. */
const published = (...more: readonly ZipMember[]): Buffer =>
  zipOf([
    { name: 'AGEEML_20251061.csv', bytes: Buffer.from(table.replaceAll('Villa de', 'Latin'), 'latin1') },
    { name: 'AGEEML_20251062_utf8.csv', bytes: utf8 },
    ...['txt', 'xlsx', 'dbf'].map((end) => ({ name: `AGEEML_20251061.${end}`, bytes: Buffer.from(end) })),
    ...more,
  ])
/** A zip that arrives in several pieces. */
const large = published({ name: 'noise.dbf', bytes: randomBytes(262_144) })
const CUT = 40_000

/** A home with some rows of the bundled data, built once for all tests. */
const built = new TestHome()
beforeAll(async () => {
  await built.import(sourceOf(some), { acceptChanges: true })
})
afterAll(() => built[Symbol.dispose]())

class Home extends TestHome {
  constructor() {
    super()
    cpSync(built.path, this.path, { recursive: true })
  }

  /** Everything but the downloads. */
  releases(): Record<string, string> {
    return Object.fromEntries(Object.entries(contentOf(this.path)).filter(([path]) => !path.startsWith('downloads')))
  }

  /** The names of files in downloads/, without the hash of their address and without descriptions. */
  downloads(): string[] {
    const directory = join(this.path, 'downloads')
    if (!existsSync(directory)) return []
    const names = readdirSync(directory).filter((name) => !/\.json$|^lock/.test(name))
    return names.map((name) => name.slice(17)).sort()
  }

  /** The path of the one file in downloads/ whose name ends so, if it is there. */
  download(end: string): string | undefined {
    const directory = join(this.path, 'downloads')
    const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith(end)) : []
    return names[0] === undefined ? undefined : join(directory, names[0])
  }
}

type Ran = { readonly code: number | string; readonly out: string; readonly err: string }

/** The command in this process, patient for a moment only, on a terminal or in a pipe. */
async function importInegi(
  home: TestHome,
  operands: readonly string[],
  { address = 'http://127.0.0.1:1/', interactive = false, timeout = 10_000, flags = {} } = {},
): Promise<Ran> {
  const written = { out: '', err: '' }
  const terminal = {
    out: (text: string) => {
      written.out += text
    },
    err: (text: string) => {
      written.err += text
    },
    data: () => {},
    interactive,
  }
  const limits = { timeout, maxBytes: 1_000_000, retries: 2, backoff: 1 }
  const command = importInegiFrom(async () => ({ address, limits }))
  const values = { home: home.path, wait: 0, json: false, 'dry-run': false, 'accept-changes': false, ...flags }
  const invocation = { values: { 'include-retired': false, ...values }, operands, env: {}, terminal }
  try {
    return { code: (await command.run(invocation as never)) ?? 0, ...written }
  } catch (error) {
    if (!(error instanceof OperationalError)) throw error
    return { code: error.message, ...written }
  }
}

test('without FILE it is INEGI’s catalog of localities, at its published address', async () => {
  expect(LOCALITIES_URL).toBe('https://www.inegi.org.mx/contenidos/app/ageeml/catun_localidad.zip')
  // A proxy sees where the real command goes, and lets nothing through.
  using proxy = new FileServer(() => ({ status: 403 }))
  using home = new Home()
  const child = Bun.spawn([...PROGRAM, 'import', 'inegi', '--home', home.path], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...process.env, HTTPS_PROXY: proxy.url, https_proxy: proxy.url, NO_PROXY: '', no_proxy: '' },
  })
  try {
    await eventually('the command has connected', () => proxy.requests.length > 0)
    expect(proxy.requests[0]?.target).toBe('www.inegi.org.mx:443')
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
})

describe('the catalog is imported', () => {
  test('from the published address, over the bundled data and without a flag', async () => {
    using server = new FileServer(sound(published(), ETAG))
    using home = new Home()
    const address = `${server.url}/catun_localidad.zip`
    const { code, out, err } = await importInegi(home, [], { address })
    expect({ code, err }).toEqual({ code: 0, err: `Downloading ${address}\n` })
    expect(home.current().entity('localidad').count).toBe(count)
    // The table of localities names municipalities in passing: what is known of them stays.
    expect(out).toMatch(/^ {2}municipios +[0-9,]+ {2}unchanged$/m)
    const { count: municipalities, index } = home.current().entity('municipio')
    expect(index.column('cabecera').values).toHaveLength(municipalities)
    const { source, findings } = home.current().manifest
    expect(source.options).toEqual({ files: address, includeRetired: false })
    // The table in UTF-8, once.
    expect(new TextDecoder().decode(home.current().entity('localidad').records.page(0))).toContain('"Villa de ')
    const file = `${address}/AGEEML_20251062_utf8.csv`
    expect(findings.filter(({ kind }) => kind.endsWith('left-out'))).toMatchObject([
      { kind: 'retired-left-out', count: 1 },
      {
        kind: 'interstate-left-out',
        description: 'a place in a zone that is not assigned to any state was left out',
        count: 1,
        examples: [`QY0010001 Villa de Zona (${file}:${count + 3})`],
      },
    ])
    expect(home.downloads()).toEqual(['catun_localidad.zip'])
  })

  test('from an address given as FILE, in a process of its own, and a second time without a download', async () => {
    using server = new FileServer(sound(published(), ETAG))
    using home = new Home()
    const address = `${server.url}/catun_localidad.zip`
    const first = await nomenclator('import', 'inegi', address, '--home', home.path)
    expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: `Downloading ${address}\n` })
    const again = await nomenclator('import', 'inegi', address, '--home', home.path)
    expect({ code: again.code, err: again.err }).toEqual({
      code: 0,
      err: `${address} has not changed since it was downloaded\n`,
    })
    expect(again.out).toStartWith('Nothing to do: ')
    expect(server.sent('if-none-match')).toEqual([undefined, ETAG.etag])
  })

  test('from addresses and paths together', async () => {
    const excerptOf = (name: string) => zipOf([{ name: 'AGEEML_1.csv', bytes: Buffer.from(excerpt(name)) }])
    using server = new FileServer(({ target }) => ({
      status: 200,
      body: excerptOf(target === '/l.zip' ? 'localidades-2025' : 'municipios-2025'),
    }))
    using home = new Home()
    const states = join(home.path, 'estados.csv')
    writeFileSync(states, excerpt('estados-2025'))
    const files = [`${server.url}/l.zip`, states, `${server.url}/m.zip?key=secret`]
    const { code } = await importInegi(home, files, { flags: { 'accept-changes': true } })
    expect(code).toBe(0)
    expect(home.current().manifest.source.options.files).toBe(`${server.url}/l.zip, estados.csv, ${server.url}/m.zip`)
    expect(home.current().entity('municipio').count).toBe(5)
    expect(home.downloads()).toEqual(['l.zip', 'm.zip'])
  })

  test('after a dry run without another download', async () => {
    using server = new FileServer(sound(published(), ETAG))
    using home = new Home()
    const before = home.releases()
    const address = `${server.url}/a.zip`
    expect((await importInegi(home, [address], { flags: { 'dry-run': true } })).out).toStartWith('Dry run: ')
    expect(home.releases()).toEqual(before)
    expect((await importInegi(home, [address])).code).toBe(0)
    expect(server.sent('if-none-match')).toEqual([undefined, ETAG.etag])
  })

  test('with bytes, rate and time left on a terminal', async () => {
    using server = new FileServer(sound(large, ETAG))
    using home = new Home()
    const address = `${server.url}/a.zip`
    const { err } = await importInegi(home, [address], { interactive: true })
    expect(err).toContain(`Downloading ${address}\n`)
    expect(err).toContain('░ downloaded 0.0 MB of 0.3 MB')
  })
})

test('a server that runs serves what was imported, without a restart', async () => {
  using files = new FileServer(sound(published(), ETAG))
  using home = new Home()
  await using service = await Service.over(home, { flags: ['--workers', '1'] })
  const total = async () => (await fetch(`${service.url}/api/v1/localidades`)).headers.get('x-total')
  const before = await total()
  expect((await nomenclator('import', 'inegi', `${files.url}/a.zip`, '--home', home.path)).code).toBe(0)
  await service.line(/^\[\d+\] Serving release [0-9a-f]{12} from now on\.$/)
  expect([before, await total()]).toEqual([some.localidad?.length, count].map(String))
})

describe('killed while it downloads', () => {
  test('the same command goes on where it was', async () => {
    using server = new FileServer(inTurn(stopping(sound(large, ETAG), CUT), sound(large, ETAG)))
    using home = new Home()
    const before = home.releases()
    const argv = ['import', 'inegi', `${server.url}/catun_localidad.zip`, '--home', home.path]
    const child = Bun.spawn([...PROGRAM, ...argv], { stdio: ['ignore', 'ignore', 'ignore'] })
    await eventually('all that was sent is on disk', () => {
      const path = home.download('.zip.partial')
      return path !== undefined && statSync(path).size === CUT
    })
    child.kill('SIGKILL')
    await child.exited
    expect(home.releases()).toEqual(before)
    expect(home.downloads()).toEqual(['catun_localidad.zip.partial'])

    const { code, err } = await nomenclator(...argv)
    expect({ code, err }).toEqual({
      code: 0,
      err: `Continuing the download of ${server.url}/catun_localidad.zip after 0.0 MB\n`,
    })
    expect(server.sent('range')).toEqual([undefined, `bytes=${CUT}-`])
    expect(server.sent('if-range')).toEqual([undefined, ETAG.etag])
    expect(home.downloads()).toEqual(['catun_localidad.zip'])
    expect(readFileSync(home.download('.zip') as string).equals(large)).toBe(true)
    expect(home.current().entity('localidad').count).toBe(count)
  })
})

describe('is refused with what to do next, and nothing is changed:', () => {
  const ok =
    (body: Uint8Array | string, headers = {}): Handler =>
    () => ({ status: 200, headers, body })
  const csv = { name: 'AGEEML_1.csv', bytes: utf8 }
  const FAILED = 'was requested 3 times without success; the last time:'
  test.each([
    ['500', () => ({ status: 500 }), `${FAILED} status 500; ${GOES_ON}`],
    ['a web page', ok('\n<!DOCTYPE html><html>'), `responds with a web page, where a zip was expected; ${BY_HAND}`],
    ['a CSV file', ok(utf8), `responds with something that is not a zip; ${BY_HAND}`],
    ['nothing at all', ok('', { 'Content-Length': 0 }), `responds with nothing, where a zip was expected; ${BY_HAND}`],
    ['a zip without a table', ok(zipOf([{ name: 'x.dbf', bytes: utf8 }])), `holds no CSV file, only x.dbf; ${BY_HAND}`],
    [
      'a zip bomb',
      ok(zipOf([{ ...csv, claims: { size: 1 << 30 } }])),
      `would unpack to 1074 MB or more, which no table of INEGI does; ${BY_HAND}`,
    ],
    [
      'a zip whose table is damaged',
      ok(zipOf([{ ...csv, claims: { sum: 7 } }])),
      `cannot be read as a zip: its checksum does not match; ${BY_HAND}`,
    ],
  ] satisfies [string, Handler, string][])('%s', async (_, handler, message) => {
    using server = new FileServer(handler)
    using home = new Home()
    const before = home.releases()
    const address = `${server.url}/a.zip`
    const { code, out } = await importInegi(home, [], { address })
    expect({ code, out }).toEqual({ code: `${address} ${message}`, out: '' })
    expect(home.releases()).toEqual(before)
    expect(home.downloads()).toEqual([])
  })

  test('a file that stops to arrive, of which what came is kept to be continued', async () => {
    using server = new FileServer(stopping(sound(large, ETAG), CUT))
    using home = new Home()
    const address = `${server.url}/a.zip`
    const before = home.releases()
    const { code } = await importInegi(home, [address], { timeout: 200 })
    expect(code).toStartWith(`${address} ${FAILED} no byte came for 0.2 s`)
    expect(code).toEndWith(`; ${GOES_ON}`)
    expect(home.releases()).toEqual(before)
    expect(home.downloads()).toEqual(['a.zip.partial'])
  })

  test.each([
    [
      'http://user:word@127.0.0.1/a.zip',
      'give the address without name and password: it is published with the release',
    ],
    ['http://', 'http:// is not an address'],
    ['ftp://127.0.0.1/a.zip', 'there is no file ftp://127.0.0.1/a.zip'],
  ])('the address %s', async (address, message) => {
    using home = new Home()
    expect((await importInegi(home, [address])).code).toBe(message)
  })

  test('in the words of the real command, with exit code 1', async () => {
    using server = new FileServer(() => ({ status: 404 }))
    using home = new Home()
    const before = home.releases()
    const address = `${server.url}/a.zip`
    const { code, out, err } = await nomenclator('import', 'inegi', address, '--home', home.path)
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: `nomenclator: ${address} responds with 404 Not Found; ${BY_HAND}\n`,
    })
    expect(home.releases()).toEqual(before)
  })
})

describe('after a fault', () => {
  test('of the records, the file is kept and not downloaded again', async () => {
    const faulty = zipOf([{ name: 'x_utf8.csv', bytes: Buffer.from(table.replace('"010020001"', '"010020002"')) }])
    using server = new FileServer(sound(faulty, ETAG))
    using home = new Home()
    const before = home.releases()
    const address = `${server.url}/a.zip`
    for (const _ of ['once', 'again'])
      expect((await importInegi(home, [address])).code).toStartWith(
        `${address}/x_utf8.csv:${2 + LOCALITIES_EACH}, CVEGEO: "010020002"`,
      )
    expect(server.sent('if-none-match')).toEqual([undefined, ETAG.etag])
    expect(home.releases()).toEqual(before)
  })

  test('of the zip, it is downloaded anew', async () => {
    const damaged = zipOf([{ name: 'x.csv', bytes: utf8, claims: { sum: 7 } }])
    using server = new FileServer(inTurn(sound(damaged, ETAG), sound(published(), ETAG)))
    using home = new Home()
    const address = `${server.url}/a.zip`
    expect((await importInegi(home, [address])).code).toContain('its checksum does not match')
    expect((await importInegi(home, [address])).code).toBe(0)
    expect(server.sent('if-none-match')).toEqual([undefined, undefined])
  })
})

test('the help says that it can be called alone', async () => {
  let out = ''
  await run(
    ['import', 'inegi', '--help'],
    {},
    { out: (text) => (out += text), err: () => {}, data: () => {}, interactive: false },
  )
  expect(out).toContain('Usage: nomenclator import inegi [FILE...] [FLAGS]')
  expect(out).toContain('Without FILE, the catalog of localities is downloaded from INEGI.')
})
