// A home whose manifests, `current` or id registry someone has changed: it is refused in words, or what is sound is served.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationalError } from '../../packages/server/src/base/operational-error.ts'
import { definitionsDigest } from '../../packages/server/src/catalog/definitions-digest.ts'
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { openReleaseToServe } from '../../packages/server/src/release/home/release-to-serve.ts'
import {
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  MANIFEST_FILE,
  type Manifest,
  type ReleasedPackage,
  releaseDigest,
  releasedEntity,
} from '../../packages/server/src/release/manifest.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { runHere } from '../support/command.ts'
import { code, embeds, entity, name } from '../support/definitions.ts'
import { nothing, packageOf } from '../support/packages.ts'
import { TestHome } from '../support/releases.ts'
import { appOf, responseTo } from '../support/responses.ts'
import { eventually, Service } from '../support/service.ts'

setDefaultTimeout(180_000)

const places = { package: 'places', key: ['code'], code: ['code'] }
const fields = { code: code('a code', /^[a-z]+$/, 'letters'), label: name('a name') }
const region = entity({ ...places, name: 'region', plural: 'regions', fields })
const town = entity({
  ...{ ...places, name: 'town', plural: 'towns' },
  fields: { ...fields, region: embeds(region, 'where it lies') },
})
const sourceOf = (label: string) =>
  packageOf(
    'places',
    [region, town],
    { region: [{ code: 'n', label }], town: [{ code: 'a', label: 'A', region: 'n' }] },
    {
      title: 'Places',
      licenses: [{ name: 'PDDL-1.0' }],
      keywords: ['place'],
      contributors: [{ title: 'C', roles: [] }],
    },
  )

const model = new TestHome()
afterAll(() => model[Symbol.dispose]())
const { digest: older } = await model.import(sourceOf('North'), { fallback: nothing })
const { digest: newer } = await model.import(sourceOf('South'), { fallback: nothing })

/** A copy of the home in which everything may be written to. */
class HostileHome extends TestHome {
  constructor() {
    super()
    cpSync(model.path, this.path, { recursive: true })
  }

  write(path: string, text: string): void {
    if (existsSync(path)) chmodSync(path, 0o644)
    writeFileSync(path, text)
  }

  /** Changes the manifest of the newer release; its digest is made to fit, where one can be made. */
  change(change: (manifest: Manifest) => unknown): string {
    const path = join(this.store.releaseDirectory(newer), MANIFEST_FILE)
    const changed = change(JSON.parse(readFileSync(path, 'utf8'))) as Manifest | undefined
    const digest = digestOf(changed)
    const directory = this.store.releaseDirectory(digest)
    mkdirSync(directory, { recursive: true })
    const fits = changed?.digest === newer
    this.write(join(directory, MANIFEST_FILE), `${JSON.stringify(fits ? { ...changed, digest } : changed)}`)
    this.write(this.store.currentFile, `${digest}\n${older}\n`)
    return digest
  }

  /** Changes the manifest of an entity, and everything that names it; the digest of the definitions of its package only if `fits`. */
  changeEntity(of: string, change: (manifest: EntityManifest) => unknown, fits: boolean): string {
    const from = this.store.entityDirectory(this.released(newer, of).digest)
    const changed = change(JSON.parse(readFileSync(join(from, ENTITY_MANIFEST_FILE), 'utf8'))) as
      | EntityManifest
      | undefined
    const released = releasedOr(changed, this.released(newer, of))
    const to = this.store.entityDirectory(released.digest)
    if (to !== from) cpSync(from, to, { recursive: true })
    this.write(join(to, ENTITY_MANIFEST_FILE), `${JSON.stringify(changed, null, 2)}\n`)
    const definitionOf = (list: string) =>
      list === of ? changed?.definition : this.store.read(older).entity(list).stored?.manifest.definition
    const refitted = (one: ReleasedPackage) =>
      fits ? { ...one, definitions: definitionsOr(one.lists.map(definitionOf) as never, one.definitions) } : one
    return this.change((manifest) => ({
      ...manifest,
      entities: { ...manifest.entities, [of]: released },
      packages: manifest.packages?.map(refitted),
    }))
  }
}

function digestOf(manifest: Manifest | undefined): string {
  try {
    return releaseDigest(manifest as Manifest)
  } catch {
    return newer
  }
}

function releasedOr(
  changed: EntityManifest | undefined,
  before: Manifest['entities'][string],
): Manifest['entities'][string] {
  const digest = new Bun.CryptoHasher('sha256').update(`${JSON.stringify(changed, null, 2)}\n`).digest('hex')
  try {
    return { ...releasedEntity(changed as EntityManifest), numbering: 'official' }
  } catch {
    return { ...before, digest }
  }
}

function definitionsOr(definitions: Parameters<typeof definitionsDigest>[0], before: string): string {
  try {
    return definitionsDigest(definitions)
  } catch {
    return before
  }
}

const HOSTILE: readonly unknown[] = [
  ...[null, true, -1, 1.5, 1e300, '', '(', 'constructor', '__proto__', '../../x', '\u001b[31m\r\nX: y', '\u202ex'],
  ...[[], {}, [null], { a: null }, 'x'.repeat(100_000), '2100-01-01T00:00:00.000Z', 'town', 'a'.repeat(64)],
]

const SHARES = 3

type Path = readonly (string | number)[]

/** The paths of all values in a value, lists by their first element. */
function pathsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  const inner = Array.isArray(value) ? value.slice(0, 1).entries() : Object.entries(value)
  return [at, ...[...inner].flatMap(([key, one]) => pathsIn(one, [...at, key]))]
}

/** A value with another one at a path. */
function withAt(value: unknown, [step, ...rest]: Path, other: unknown): unknown {
  if (step === undefined) return other
  const copy = structuredClone(value) as Record<string | number, unknown>
  copy[step] = withAt(copy[step], rest, other)
  return copy
}

const PAGES = [
  ...['/', '/explorer', '/es/explorer', '/docs', '/api/v1', '/api/v2', '/api/v2/openapi.json', '/api/v2/releases'],
  ...['/api/v2/towns', '/api/v2/towns/a', '/api/v2/regions.csv', '/api/v2/regions?format=xlsx', '/explorer/towns/a'],
]

/** A page of the release that fails or is not what it should be, by its path. */
async function failingPage(release: Release): Promise<string | undefined> {
  const app = appOf(() => release, { pages: explorerPages })
  for (const target of PAGES) {
    const { status } = await responseTo(app, { target })
    if (status >= 500) return `${target}: ${status}`
  }
  return undefined
}

const isOfWords = (error: unknown) =>
  error instanceof OperationalError && !/\n\s+at |(?!\n)[\p{Cc}\u202e]/u.test(error.message)

/** How a changed home fails to refuse in words, and to serve what is sound. */
async function failureOf(home: TestHome, digest: string): Promise<string | undefined> {
  try {
    home.store.read(digest)
  } catch (error) {
    if (!isOfWords(error)) return `read: ${error}`
  }
  try {
    const serving = await openReleaseToServe(home.store)
    if (serving === undefined) return 'nothing to serve'
    if (serving.release.digest !== digest && serving.release.digest !== older && serving.release.digest !== newer)
      return 'another release'
    // What was before is sound, and need not be looked at each time.
    return serving.release.digest === older ? undefined : await failingPage(serving.release)
  } catch (error) {
    return `serve: ${error instanceof Error ? error.stack : error}`
  }
}

async function failuresOf(original: unknown, change: (home: HostileHome, path: Path, other: unknown) => string) {
  const failures: string[] = []
  for (const [turn, path] of pathsIn(original).entries()) {
    // Each path gets a share of the values, and all of them get all.
    for (const other of [undefined, ...HOSTILE.filter((_, at) => at % SHARES === turn % SHARES)]) {
      using home = new HostileHome()
      const failure = await failureOf(home, change(home, path, other))
      if (failure !== undefined) failures.push(`${path.join('.')} = ${JSON.stringify(other)?.slice(0, 80)}: ${failure}`)
    }
  }
  return failures
}

const manifest = model.store.read(newer).manifest
const entityOf = (of: string) =>
  JSON.parse(
    readFileSync(join(model.store.entityDirectory(model.released(newer, of).digest), ENTITY_MANIFEST_FILE), 'utf8'),
  )

describe('every value of a manifest changed', () => {
  test('of a release', async () => {
    expect(await failuresOf(manifest, (home, path, other) => home.change((one) => withAt(one, path, other)))).toEqual(
      [],
    )
  })

  test.each(['region', 'town'])('of the entity %s', async (of) => {
    const change = (home: HostileHome, path: Path, other: unknown) =>
      home.changeEntity(of, (one) => withAt(one, path, other) as object, true)
    expect(await failuresOf(entityOf(of), change)).toEqual([])
  })
})

describe('a definition that cannot be', () => {
  const town = (change: object) => (one: EntityManifest) => ({ ...one, definition: { ...one.definition, ...change } })
  const withField = (field: object) => (one: EntityManifest) =>
    town({ fields: { ...one.definition.fields, region: field } })(one)

  test.each<[string, (one: EntityManifest) => unknown, string]>([
    [
      'embeds itself',
      withField({ kind: 'embed', description: '', entity: 'town' }),
      'embeds town, which is not defined before it',
    ],
    [
      'embeds nothing',
      withField({ kind: 'embed', description: '', entity: 'x' }),
      'embeds x, which is not defined before it',
    ],
    [
      'has a broken pattern',
      withField({ kind: 'code', description: '', pattern: '(', shape: 'x' }),
      'a regular expression',
    ],
    ['has no fields', town({ fields: null }), 'definition.fields is null'],
    ['is that of another list', town({ name: 'city' }), 'defines city instead of town'],
    ['has the collection of another', town({ plural: 'regions' }), 'two lists are the collection regions'],
    ['has a collection of the program', town({ plural: 'releases' }), 'means something else in addresses'],
    ['has a title of several lines', town({ title: 'a\r\nX: y' }), 'definition.title is'],
  ])('%s', async (_, change, words) => {
    using home = new HostileHome()
    const digest = home.changeEntity('town', change, true)
    expect(() => home.store.read(digest)).toThrow(words)
    expect((await openReleaseToServe(home.store))?.release.digest).toBe(older)
  })

  test('another one under the digest of the release is damage, also for releases verify', async () => {
    using home = new HostileHome()
    const digest = home.changeEntity('town', town({ title: 'other' }), false)
    expect(digest).toBe(newer)
    const { out, code } = await runHere('releases', 'verify', newer, '--home', home.path)
    expect(out).toContain('the lists of package places are defined otherwise')
    expect(code).toBe(1)
  })

  test('a collection that is not the one of the definition', () => {
    using home = new HostileHome()
    const other = (one: Manifest) => ({ ...one.entities.town, collection: 'cities' })
    const digest = home.change((one) => ({ ...one, entities: { ...one.entities, town: other(one) } }))
    expect(() => home.store.read(digest)).toThrow('has another collection or format')
  })
})

const GARBAGE: readonly [string, string][] = [
  ['garbage', '\u0000\u001b[31mgarbage{'],
  ['empty', ''],
  ['cut', newer.slice(0, 20)],
  ['a path', `../../x\n${newer}\n`],
  ['another JSON', '{"constructor":1,"__proto__":[]}'],
]

describe('a damaged file current', () => {
  const damage = (home: HostileHome, text: string | undefined) => {
    rmSync(home.store.currentFile)
    if (text === undefined) mkdirSync(home.store.currentFile)
    else home.write(home.store.currentFile, text)
  }

  const tooLong: [string, string] = ['too long', `${older}\n`.repeat(1_100)]
  test.each<[string, string | undefined]>([...GARBAGE, tooLong, ['a directory', undefined]])(
    '%s: the newest sound release is served',
    async (_, text) => {
      using home = new HostileHome()
      damage(home, text)
      const serving = await openReleaseToServe(home.store)
      expect(serving?.release.digest).toBe(newer)
      expect(serving?.reason).toMatch(/nomenclator activate DIGEST|move away what stands there/)
    },
  )

  test.each<[string, string | undefined]>([
    ['garbage', 'x'],
    ['a directory', undefined],
  ])('%s: the service starts, and says what to do', async (_, text) => {
    using home = new HostileHome()
    damage(home, text)
    await using service = await Service.over(home, { flags: ['--workers', '1', '--no-bundled'] })
    await eventually('it says so', () =>
      /NOBODY KNOWS WHICH RELEASE IS CURRENT, .*(?:nomenclator activate DIGEST|move away)/.test(
        service.said.out + service.said.err,
      ),
    )
    expect((await fetch(`${service.url}/api/v2/towns`)).status).toBe(200)
  })

  test('is mended by activate, of what releases lists', async () => {
    using home = new HostileHome()
    damage(home, 'x')
    const { out } = await runHere('releases', '--home', home.path)
    expect(out).toContain(newer.slice(0, 12))
    await expect(home.import(sourceOf('West'), { fallback: nothing })).rejects.toThrow('nomenclator activate DIGEST')
    expect((await runHere('releases', 'prune', '--keep', '0', '--home', home.path)).err).toContain(
      'nomenclator activate DIGEST',
    )
    expect((await runHere('activate', older, '--home', home.path)).code).toBe(0)
    expect(home.store.currentDigest()).toBe(older)
  })
})

test.each<[string, (home: HostileHome) => string]>([
  ['of a release', ({ store }) => join(store.releaseDirectory(newer), MANIFEST_FILE)],
  [
    'of an entity',
    (home) => join(home.store.entityDirectory(home.released(newer, 'region').digest), ENTITY_MANIFEST_FILE),
  ],
])('a manifest %s that is far too deep or large: the release before is served', async (_, pathIn) => {
  using home = new HostileHome()
  const path = pathIn(home)
  home.write(path, `{"entities":${'['.repeat(100_000)}`)
  expect((await openReleaseToServe(home.store))?.release.digest).toBe(older)
  expect(home.store.manifestOrReason(newer)).toMatchObject({ unreadable: expect.stringContaining('nested too deep') })
  // The file takes no room on disk.
  truncateSync(path, 2 ** 30)
  const serving = await openReleaseToServe(home.store)
  expect([serving?.release.digest, serving?.reason]).toEqual([older, expect.stringContaining('bytes, and no more')])
})

test('an id registry that is far too large is refused before it is read', () => {
  using home = new HostileHome()
  truncateSync(home.store.idRegistryFile, 2 ** 31)
  expect(() => home.store.loadIdRegistry()).toThrow(/has 2147483648 bytes, and no more than \d+ are read; move away/)
})

test.each([...GARBAGE.filter(([what]) => what !== 'empty'), ['an identifier that is none', '{"region":[["1","n"]]}']])(
  'a damaged id registry, %s: the release is served, and no import goes on',
  async (_, text) => {
    using home = new HostileHome()
    home.write(home.store.idRegistryFile, text)
    expect((await openReleaseToServe(home.store))?.release.digest).toBe(newer)
    expect(() => home.store.loadIdRegistry()).toThrow('Restore it from a backup')
  },
)
