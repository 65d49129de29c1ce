// The artefacts before they are changed: a package, an export of it, homes, and a shelf of files with a host.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchShelf } from '../../packages/server/src/distribution/shelf/fetch.ts'
import { openHttpShelf } from '../../packages/server/src/distribution/shelf/http-shelf.ts'
import type { ResponseCache } from '../../packages/server/src/http/v2/response-cache.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { signInHome } from '../../packages/server/src/release/home/sign.ts'
import { importRelease } from '../../packages/server/src/release/import.ts'
import { KEYS_FILE, withRotation } from '../../packages/server/src/release/signing/key-rotation.ts'
import { generateKeys, parseSecretKey, type SecretKey } from '../../packages/server/src/release/signing/minisign.ts'
import { type Trust, trustIn } from '../../packages/server/src/release/signing/release-signature.ts'
import { runHere } from '../support/command.ts'
import { type Rows, sourceOf, TestDirectory, tiny } from '../support/releases.ts'
import { testCache } from '../support/server.ts'

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

/** Countries with this name for one of them: their identifiers are in the id registry. */
export const countriesWith = (descPais: string): Rows => ({ pais: [{ ...tiny.pais[0], descPais }, tiny.pais[1]] })

export async function importRows(store: ReleaseStore, rows: Rows): Promise<void> {
  const source = sourceOf(rows)
  await importRelease(store, source, { fallback: source, acceptChanges: true, dryRun: false })
}

const HOST = 'http://shelf.invalid'
const [OLD_KEY, NEW_KEY] = [generateKeys(), generateKeys()].map(({ secretFile }) =>
  parseSecretKey(secretFile, undefined),
) as [SecretKey, SecretKey]

export class World implements Disposable {
  readonly #room = new TestDirectory()
  readonly #fetch = globalThis.fetch
  readonly cache: ResponseCache
  /** Trusts a key that another one, which has signed, has taken the place of. */
  readonly trust: Trust
  /** The directory that the host of the shelf has at the moment. */
  #shelf = ''

  private constructor() {
    mkdirSync(this.directory('responses'))
    this.cache = testCache(this.directory('responses'), { maxBytes: 1e7 })
    this.trust = trustIn([OLD_KEY.publicKey])
    // The parts of a shelf are under trial, and not the sockets that they come through.
    globalThis.fetch = Object.assign(async (url: unknown) => this.#file(String(url)), { preconnect: () => {} })
  }

  /** The home with identifiers has these lists that ship with the program. */
  static async create(lists: readonly (keyof typeof tiny)[]): Promise<World> {
    const world = new World()
    const [given, home] = [world.directory('package'), world.directory('home')]
    mkdirSync(given)
    writeFileSync(join(given, 'regions.csv'), REGIONS)
    for (const edition of [OFFICES, OFFICES.replace('First', 'Main')]) {
      writeFileSync(join(given, 'offices.csv'), edition)
      writeFileSync(join(given, 'datapackage.json'), JSON.stringify(DESCRIPTOR))
      await succeeded('import', 'package', given, '--alone', '--home', home)
      const store = new ReleaseStore(home)
      const digest = store.currentDigest() ?? ''
      writeFileSync(join(home, KEYS_FILE), withRotation(undefined, [NEW_KEY.publicKey], OLD_KEY))
      store.placeSignature(digest, await signInHome(store, digest, NEW_KEY, { days: undefined }))
    }
    await succeeded('export', 'package', world.directory('export'), '--home', home)
    await succeeded('export', 'shelf', world.directory('shelf'), '--home', home)
    mkdirSync(world.directory('followed'))
    await world.follow(new ReleaseStore(world.directory('followed')), world.directory('shelf'))
    const rowsOf = lists.map((name) => [name, tiny[name]])
    for (const rows of [Object.fromEntries(rowsOf), countriesWith('Estados Unidos Mexicanos')])
      await importRows(new ReleaseStore(world.directory('numbered')), rows)
    await succeeded('export', 'shelf', world.directory('numbered shelf'), '--home', world.directory('numbered'))
    return world
  }

  directory(name: string): string {
    return join(this.#room.path, name)
  }

  async follow(store: ReleaseStore, shelf: string): Promise<void> {
    this.#shelf = shelf
    await using reader = await openHttpShelf([HOST])('', () => {})
    await fetchShelf(store, reader)
  }

  #file(url: string): Response {
    const path = join(this.#shelf, new URL(url).pathname)
    return existsSync(path) ? new Response(readFileSync(path)) : new Response('none', { status: 404 })
  }

  [Symbol.dispose](): void {
    globalThis.fetch = this.#fetch
    this.#room[Symbol.dispose]()
  }
}

async function succeeded(...argv: readonly string[]): Promise<void> {
  const { code, out, err } = await runHere(...argv)
  if (code !== 0) throw new Error(`nomenclator ${argv.join(' ')} ended with ${code}: ${out}${err}`)
}
