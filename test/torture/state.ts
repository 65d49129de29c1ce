// Whatever stands in a package, an export, a home or a shelf: it is refused in words, or served soundly.
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { diskFailure, OperationalError } from '../../packages/server/src/base/operational-error.ts'
import { exportShelf } from '../../packages/server/src/distribution/shelf/export-shelf.ts'
import { fetchShelf } from '../../packages/server/src/distribution/shelf/fetch.ts'
import { openHttpShelf } from '../../packages/server/src/distribution/shelf/http-shelf.ts'
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { createApp } from '../../packages/server/src/http/app.ts'
import { openReleaseToServe } from '../../packages/server/src/release/home/release-to-serve.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { examinePackage } from '../../packages/server/src/source/package/open-package.ts'
import { randomFor } from '../../packages/server/src/source/synthetic/random.ts'
import { runHere } from '../support/command.ts'
import { nothing } from '../support/packages.ts'
import { attributes } from '../support/pages.ts'
import { TestDirectory, TestHome } from '../support/releases.ts'
import { responseOf } from '../support/responses.ts'
import { testCache } from '../support/server.ts'
import { changeOneFile } from './state-changes.ts'
import type { Campaign } from './trial.ts'

const MAX_SECONDS = 2
const MAX_MEGABYTES = 300
const MAX_PAGES = 30
const MAX_SHOWN = 20
const LOG_EVERY = 500

const REGIONS = 'code,name,region\nNO,North,\nSO,South,\nNE,North East,NO\n'
const OFFICES = `code,name,region,area,opened,lat,lon
A1,First office,NO,12.5,2001-02-03,19.4,-99.1
B2,Second office,SO,7,2011-12-31,20.1,-98.2
C3,"Third, and last",NE,,1999-01-01,,
`
const DESCRIPTOR = {
  ...{ name: 'offices', title: 'Offices', description: 'Where they are.', version: '1.2', language: 'en' },
  ...{ homepage: 'https://example.org/offices', keywords: ['offices', 'regions'] },
  licenses: [{ name: 'CC-BY-4.0', title: 'Attribution', path: 'https://example.org/licence' }],
  sources: [{ title: 'Registry', path: 'https://example.org/registry', email: 'a@example.org' }],
  contributors: [{ title: 'Ada', organization: 'Registry', roles: ['author'] }],
  resources: [
    {
      ...{ name: 'regions', title: 'Regions', path: 'regions.csv', encoding: 'utf-8', format: 'csv' },
      ...{ 'nomenclator:title': { en: 'Regions', es: 'Regiones' }, 'nomenclator:collection': 'regions' },
      'nomenclator:group': { title: { en: 'Places' }, description: { en: 'All places.' } },
      schema: {
        fields: [
          { name: 'code', type: 'string', title: 'Code', constraints: { pattern: '^[A-Z]{2}$', required: true } },
          { name: 'name', type: 'string', 'nomenclator:language': 'en', 'nomenclator:role': 'name' },
          { name: 'region', type: 'string', 'nomenclator:broader': true },
        ],
        primaryKey: ['code'],
        foreignKeys: [{ fields: ['region'], reference: { resource: '', fields: ['code'] } }],
        missingValues: [''],
      },
      dialect: { delimiter: ',', quoteChar: '"', header: true },
    },
    {
      ...{ name: 'offices', title: 'Offices', description: 'Of the registry.', path: ['offices.csv'] },
      ...{ 'nomenclator:order': 'as given', 'nomenclator:language': 'en', 'nomenclator:expects': 3 },
      schema: {
        fields: [
          { name: 'code', type: 'string', constraints: { minLength: 2, maxLength: 2 } },
          { name: 'name', type: 'string' },
          { name: 'region', type: 'string', 'nomenclator:embed': 'regions' },
          { name: 'area', type: 'number', decimalChar: '.', constraints: { minimum: 0, maximum: 100 } },
          { name: 'opened', type: 'date', format: 'default' },
          { name: 'lat', type: 'number' },
          { name: 'lon', type: 'number' },
        ],
        primaryKey: 'code',
        foreignKeys: [{ fields: 'region', reference: { resource: 'regions', fields: 'code' } }],
      },
    },
  ],
}

/** The artefacts before they are changed, and a static host for one shelf after the other. */
class World implements Disposable {
  readonly #room = new TestDirectory()
  readonly #host: ReturnType<typeof Bun.serve>
  shelf = ''

  private constructor() {
    this.#host = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => {
        const path = join(this.shelf, new URL(url).pathname)
        return existsSync(path) ? new Response(Bun.file(path)) : new Response('none', { status: 404 })
      },
    })
  }

  static async create(): Promise<World> {
    const world = new World()
    const [given, home] = [world.directory('package'), world.directory('home')]
    mkdirSync(given)
    writeFileSync(join(given, 'regions.csv'), REGIONS)
    for (const edition of [OFFICES, OFFICES.replace('First', 'Main')]) {
      writeFileSync(join(given, 'offices.csv'), edition)
      writeFileSync(join(given, 'datapackage.json'), JSON.stringify(DESCRIPTOR))
      await succeeded('import', 'package', given, '--alone', '--home', home)
    }
    await succeeded('export', 'package', world.directory('export'), '--home', home)
    await succeeded('export', 'shelf', world.directory('shelf'), '--home', home)
    return world
  }

  directory(name: string): string {
    return join(this.#room.path, name)
  }

  get url(): string {
    return `http://127.0.0.1:${this.#host.port}`
  }

  [Symbol.dispose](): void {
    void this.#host.stop(true)
    this.#room[Symbol.dispose]()
  }
}

async function succeeded(...argv: readonly string[]): Promise<void> {
  const { code, out, err } = await runHere(...argv)
  if (code !== 0) throw new Error(`nomenclator ${argv.join(' ')} ended with ${code}: ${out}${err}`)
}

/** Thrown for what must never happen; other errors are looked at. */
class Unsound extends Error {}

/** The message of a refusal in words; any other error is thrown. */
function wordsOf(error: unknown): string {
  const failure = error instanceof OperationalError ? error : diskFailure(error)
  if (failure === undefined) throw error
  if (/\n\s+at /.test(failure.message)) throw new Unsound(`a stack in the words: ${failure.message}`)
  return failure.message
}

const ROOT = join(import.meta.dir, '..', '..')

/** An error and the place where it was thrown. */
const inspected = (error: unknown) =>
  error instanceof Error
    ? `${error.message} (${/\bat .*/.exec(error.stack ?? '')?.[0].replaceAll(`${ROOT}/`, '')})`
    : String(error)

const FIRST_PAGES = ['/', '/docs', '/api/v1', '/api/v2', '/api/openapi.json', '/api/v2/search?q=of']

/** Reads pages and files of a release, the links among them too. */
async function browse(home: TestHome, release: Release): Promise<void> {
  const logged: unknown[] = []
  const cache = join(home.path, 'cache-of-responses')
  mkdirSync(cache, { recursive: true })
  const app = createApp({
    release: () => release,
    store: home.store,
    cache: testCache(cache),
    policy: { baseUrl: undefined, trustedProxies: undefined },
    pages: explorerPages,
    logError: (error) => logged.push(error),
  })
  const lists = [...release.catalog.entities.values()].flatMap(({ plural }) =>
    ['', '.csv', '.xlsx', '.ndjson', '/A1', '/NO'].map((end) => `/api/v2/${encodeURIComponent(plural)}${end}`),
  )
  const targets = new Set([...FIRST_PAGES, ...lists])
  for (const target of [...targets]) await visit(target, targets)
  for (const target of [...targets].slice(FIRST_PAGES.length + lists.length, MAX_PAGES)) await visit(target, new Set())

  async function visit(target: string, links: Set<string>): Promise<void> {
    const [path = '', query = ''] = target.split('?')
    const headers = new Map([
      ['accept', 'text/html'],
      ['accept-language', 'es'],
    ])
    const connection = { listeningUrl: 'http://127.0.0.1:8080', peer: undefined }
    const given = await app({ method: 'GET', path, query, headers }, connection)
    if (/^x-owned/im.test(given.head)) throw new Unsound(`${target} has a header of the sender's`)
    const response = responseOf(given)
    const text = await response.text()
    if (given.status >= 500 || logged.length > 0)
      throw new Unsound(`${target} is ${given.status}: ${logged.map(inspected).join()}`)
    if (!response.headers.get('Content-Type')?.startsWith('text/html')) return
    if (text.includes('<script>owned')) throw new Unsound(`${target} has an element of the sender's`)
    for (const link of attributes(text, 'href')) if (/^\/(?!\/)/.test(link)) links.add(link.replace(/#.*/, ''))
  }
}

async function openAndBrowse(home: TestHome): Promise<string> {
  try {
    const opened = await openReleaseToServe(home.store)
    if (opened === undefined) return 'has nothing to serve'
    await browse(home, opened.release.map())
    return opened.reason === undefined ? 'served' : 'served another release'
  } catch (error) {
    return `refused: ${wordsOf(error)}`
  }
}

async function importAndBrowse(directory: string): Promise<string> {
  using home = new TestHome()
  try {
    const { source, faultCount } = await examinePackage(directory)
    if (source === undefined) return `refused: ${faultCount} faults`
    await home.import(source, { fallback: nothing, acceptChanges: true })
    source.close()
  } catch (error) {
    return `refused: ${wordsOf(error)}`
  }
  return await openAndBrowse(home)
}

async function followAndBrowse(world: World, shelf: string): Promise<string> {
  using home = new TestHome()
  world.shelf = shelf
  let refused = ''
  try {
    await using reader = await openHttpShelf([world.url])('', () => {})
    await fetchShelf(home.store, reader)
  } catch (error) {
    refused = `refused: ${wordsOf(error)}; `
  }
  const outcome = await openAndBrowse(home)
  if (refused === '' && !outcome.startsWith('served')) throw new Unsound(`adopted, and then ${outcome}`)
  return refused + outcome
}

type Artefact = {
  /** The artefact that is changed, and the files of it that are. */
  readonly of: string
  readonly files?: RegExp
  readonly use: (world: World, directory: string) => Promise<string>
}

/** The files of a home that are parsed. Damage in the others is found by its content, which another campaign tries. */
const DOCUMENTS = /\.json$|^[\w-]+$/

/** By its name: what is changed, and what is then done with it. */
const ARTEFACTS: Readonly<Record<string, Artefact>> = {
  package: { of: 'package', use: (_, directory) => importAndBrowse(directory) },
  export: { of: 'export', use: (_, directory) => importAndBrowse(directory) },
  home: {
    of: 'home',
    files: DOCUMENTS,
    use: async (_, directory) => {
      using home = new TestHome()
      cpSync(directory, home.path, { recursive: true })
      return await openAndBrowse(home)
    },
  },
  shelf: { of: 'shelf', use: followAndBrowse },
  // A publisher that lies: what it has changed in its home has the right digests in its shelf.
  published: {
    of: 'home',
    files: DOCUMENTS,
    use: async (world, directory) => {
      using home = new TestHome()
      cpSync(directory, home.path, { recursive: true })
      const shelf = join(home.path, 'shelf')
      try {
        await exportShelf(home.store, shelf)
      } catch (error) {
        return `refused: ${wordsOf(error)}`
      }
      return await followAndBrowse(world, shelf)
    },
  },
}

/** The artefacts that hold at this time; a full run tries the others, too. */
const SOUND_ARTEFACTS = ['package', 'export', 'shelf']

/** One change, and what did not hold; undefined if it was refused in words or served soundly. */
async function faultOf(
  world: World,
  name: string,
  { seed, number, onServed }: { readonly seed: number; readonly number: number; readonly onServed: () => void },
): Promise<string | undefined> {
  const { of, files, use } = ARTEFACTS[name] as Artefact
  const directory = world.directory('changed')
  rmSync(directory, { recursive: true, force: true })
  cpSync(world.directory(of), directory, { recursive: true })
  const what = changeOneFile(randomFor(seed, `${name} ${number}`), directory, files)
  const [cpu, memory] = [process.cpuUsage(), process.memoryUsage.rss()]
  try {
    if ((await use(world, directory)).endsWith('served')) onServed()
    const { user, system } = process.cpuUsage(cpu)
    const [seconds, megabytes] = [(user + system) / 1e6, (process.memoryUsage.rss() - memory) / 1e6]
    if (seconds <= MAX_SECONDS && megabytes <= MAX_MEGABYTES) return undefined
    return `${name} ${number}, ${what}: took ${seconds.toFixed(1)} s and ${megabytes.toFixed(0)} MB`
  } catch (error) {
    const found = error instanceof Unsound ? error.message : inspected(error)
    return `${name} ${number}, ${what}: ${found}`
  }
}

export const state: Campaign = {
  name: 'state',
  title: 'Changed artefacts',
  description:
    'A package, an exported package, a home and a shelf of files are changed in one place: a field by its type, size, depth, name, control characters or the value of another, or a file that is cut, flipped, lengthened or exchanged. A package is checked and imported, a home is opened, a shelf is followed, also one that was published with the change, so that its digests are right; then pages and files of each format are requested. It must end in a refusal in words or in a sound service: no 5xx, no stack, no header or element of the sender, at most 300 MB and 2 s of a processor.',
  run: async (trial) => {
    const total = trial.size({ full: 20_000, quick: 1_500, test: 300 })
    const names = trial.scale === 'test' ? SOUND_ARTEFACTS : Object.keys(ARTEFACTS)
    using world = await World.create()
    let faults = 0
    let served = 0
    const onServed = () => {
      served++
    }
    for (let number = 0; number < total; number++) {
      const fault = await faultOf(world, names[number % names.length] as string, { seed: trial.seed, number, onServed })
      if (fault !== undefined && faults++ < MAX_SHOWN) trial.require(false, fault.slice(0, 500))
      if (number % LOG_EVERY === LOG_EVERY - 1) trial.log(`${number + 1} changes, ${faults} of them not sound`)
    }
    trial.require(faults === 0, `${faults} of ${total} changes were neither refused in words nor served soundly`)
    trial.require(served > 0 && served < total, 'a part of the changes is refused, and a part is not')
    trial.fact(
      `${total.toLocaleString('en')} changes of ${names.join(', ')}: ${served.toLocaleString('en')} served, the others refused in words`,
    )
  },
}
