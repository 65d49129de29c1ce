// A release that is not whole is refused, in words that name the file and say what to do; a flipped byte is found.

import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, copyFileSync, cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { runHere } from '../../../../test/support/command.ts'
import { sourceOf, TestHome, tiny, tinyNames } from '../../../../test/support/releases.ts'
import { OperationalError } from '../base/operational-error.ts'
import { builtInCatalog } from '../source/built-in.ts'
import {
  ENTITY_FILES,
  ENTITY_FORMAT,
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  MANIFEST_FILE,
  type Manifest,
  manifestText,
  OLDEST_FORMAT,
  parseManifest,
  type ReleasedEntity,
  releaseDigest,
} from './manifest.ts'

setDefaultTimeout(180_000)

const sound = new TestHome()
const copy = new TestHome()
afterAll(() => {
  sound[Symbol.dispose]()
  copy[Symbol.dispose]()
})
const { digest } = await sound.import(sourceOf(tiny))
cpSync(sound.path, copy.path, { recursive: true })

const manifestFile = join(copy.store.releaseDirectory(digest), MANIFEST_FILE)
const entityFiles = [...ENTITY_FILES, ENTITY_MANIFEST_FILE] as const
const fileIn = (entity: string, file: (typeof entityFiles)[number]) =>
  join(dirname(copy.fileOf(digest, entity, 'records')), file)

/** Damages one file of the copy for the length of one test. */
function damaged(path: string, damage: (path: string) => void): Disposable {
  damage(path)
  return { [Symbol.dispose]: () => copyFileSync(join(sound.path, relative(copy.path, path)), path) }
}

const edit =
  <M>(change: (manifest: M) => unknown) =>
  (path: string) =>
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))))
const set = (text: string) => (path: string) => writeFileSync(path, text)

const withCountries = (change: (pais: ReleasedEntity) => object | null) =>
  edit<Manifest>((manifest) => ({
    ...manifest,
    entities: { ...manifest.entities, pais: change(manifest.entities.pais as ReleasedEntity) },
  }))

/** Another release, sound in itself, under the name of this one. */
const ofAnother = edit<Manifest>((manifest) => {
  const entities = { ...manifest.entities, pais: { ...(manifest.entities.pais as ReleasedEntity), count: 1 } }
  return { ...manifest, entities, digest: releaseDigest({ entities }) }
})

/** The manifest of an entity as it is written, changed in one thing. */
const editEntity = (change: Partial<EntityManifest>) => (path: string) =>
  writeFileSync(path, manifestText({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }))

const otherSha = 'a'.repeat(64)
const countries = fileIn('pais', ENTITY_MANIFEST_FILE)
type Case = readonly [name: string, damage: (path: string) => void, path: string, wrong: RegExp]
const cases: readonly Case[] = [
  ['no manifest', rmSync, manifestFile, /is missing/],
  ['an empty manifest', set(''), manifestFile, /is not JSON/],
  ['half a manifest', (path) => truncateSync(path, 100), manifestFile, /is not JSON/],
  ['a manifest that is a number', set('1'), manifestFile, /is not a JSON object/],
  ['a manifest that is null', set('null'), manifestFile, /is not a JSON object/],
  ['a manifest that is a list', set('[]'), manifestFile, /it is a list of 0/],
  ['the manifest of another release', ofAnother, manifestFile, /belongs to release [0-9a-f]{64}/],
  ['an edited count', withCountries((pais) => ({ ...pais, count: 3 })), manifestFile, /does not match its own digest/],
  [
    'a count that is none',
    withCountries((pais) => ({ ...pais, count: '2' })),
    manifestFile,
    /is not sound: entities.pais/,
  ],
  [
    'a size that is none',
    withCountries((pais) => ({ ...pais, bytes: null })),
    manifestFile,
    /is not sound: entities.pais/,
  ],
  [
    'an edited digest of records',
    withCountries((pais) => ({ ...pais, records: otherSha })),
    manifestFile,
    /does not match its own digest/,
  ],
  [
    'a digest that is none',
    withCountries((pais) => ({ ...pais, digest: '../x' })),
    manifestFile,
    /is not sound: entities.pais/,
  ],
  ['an entity that is none', withCountries(() => null), manifestFile, /is not sound: entities.pais/],
  ['an entity left out', withCountries(() => ({})), manifestFile, /is not sound: entities.pais/],
  ['no word of its source', edit<Manifest>(({ source: _, ...rest }) => rest), manifestFile, /source is nothing/],
  [
    'no time at which it was built',
    edit<Manifest>((manifest) => ({ ...manifest, built: 'today' })),
    manifestFile,
    /is not sound: (?:built|findings) is/,
  ],
  [
    'findings that are none',
    edit<Manifest>(({ findings: _, ...rest }) => rest),
    manifestFile,
    /is not sound: (?:built|findings) is/,
  ],
  ['an entity whose manifest is missing', rmSync, countries, /is missing/],
  ['an entity whose manifest is empty', set(''), countries, /is not JSON/],
  ['an entity whose manifest is null', set('null'), countries, /is not a JSON object/],
  ['an entity with another count', editEntity({ count: 3 }), countries, /does not match its own digest/],
  [
    'an entity with other parents',
    editEntity({ parents: { area: otherSha } }),
    countries,
    /does not match its own digest/,
  ],
  ...tinyNames.flatMap((entity) =>
    ENTITY_FILES.flatMap((file): Case[] => {
      const path = fileIn(entity, file)
      const size = readFileSync(path).length
      return [
        [`${file} of ${entity} missing`, rmSync, path, /is missing/],
        [
          `${file} of ${entity} cut short`,
          () => truncateSync(path, size - 1),
          path,
          new RegExp(`has ${size - 1} bytes instead of ${size}\\.`),
        ],
        [
          `${file} of ${entity} grown`,
          () => appendFileSync(path, 'x'),
          path,
          new RegExp(`has ${size + 1} bytes instead of ${size}\\.`),
        ],
      ]
    }),
  ),
]

function refusal(): string {
  try {
    copy.store.open(digest)
  } catch (error) {
    if (error instanceof OperationalError) return error.message
    throw error
  }
  throw new Error('it was opened')
}

test('a sound release is opened, and has every page', () => {
  const release = sound.store.open(digest)
  expect(release.lastModified).toBe(new Date(release.manifest.built).toUTCString())
  expect(tinyNames.map((name) => release.entity(name).records.count)).toEqual(
    tinyNames.map((name) => tiny[name].length),
  )
})

test('an entity that the release lacks is empty, and one that nobody defines is no entity', async () => {
  using home = new TestHome()
  const { audiencia: _, ...rest } = tiny
  await home.import(sourceOf(rest))
  const release = home.current()
  expect([...release.catalog.entities.keys()]).toEqual([...builtInCatalog.entities.keys()])
  const { count, records, index, stored } = release.entity('audiencia')
  expect([count, records.pages, new TextDecoder().decode(records.page(0)), stored]).toEqual([0, 0, '[]', undefined])
  expect(index.column('descCorta').values).toHaveLength(0)
  expect(() => release.entity('nobody')).toThrow('the release has no nobody')
})

describe('is refused:', () => {
  test.each(cases)('%s', async (_, damage, path, wrong) => {
    using _damage = damaged(path, damage)
    const said = refusal()
    expect(said).toStartWith(`the release is damaged: ${path} `)
    expect(said).toMatch(wrong)
    expect(said).toEndWith('import its source again to replace it, or activate another release.')
    expect(await copy.verify(digest)).toEqual([said])
  })
})

describe('a release of another format', () => {
  const inFormat = (format: number) =>
    withCountries((pais) => ({ ...pais, format, digest: 'as that format has it', extra: {} }))
  const writtenBy = (version: string) =>
    edit<Manifest>((manifest) => ({ ...manifest, versions: { ...manifest.versions, nomenclator: version } }))

  test.each([
    [
      'earlier',
      ENTITY_FORMAT - 1,
      'outdated',
      /^release [0-9a-f]{12} was written by Nomenclator 9\.8\.7; pais are in an earlier format\. Upgrade it with nomenclator upgrade/,
    ],
    [
      'later',
      ENTITY_FORMAT + 1,
      'too new',
      /^release [0-9a-f]{12} was written by Nomenclator 9\.8\.7, which is newer than this program \(.*\): pais are in a format/,
    ],
    [
      'too old',
      OLDEST_FORMAT - 1,
      'too old',
      /^release [0-9a-f]{12} was written by Nomenclator 9\.8\.7: pais are in a format that this program \(.*\) no longer reads/,
    ],
  ] as const)('that is %s is not taken for damaged', async (_, format, state, wrong) => {
    using _damage = damaged(manifestFile, (path) => {
      inFormat(format)(path)
      writtenBy('9.8.7')(path)
    })
    expect(parseManifest(readFileSync(manifestFile, 'utf8'))).toEqual({ state, version: '9.8.7', entities: ['pais'] })
    expect(refusal()).toMatch(wrong)
    expect(refusal()).not.toContain('damaged')
  })
})

describe('verify', () => {
  test('finds nothing in a sound release', async () => expect(await copy.verify(digest)).toEqual([]))

  const files = tinyNames.flatMap((entity) => ENTITY_FILES.map((file) => [file, entity] as const))
  test.each(files)('finds one flipped bit in the %s of %s', async (file, entity) => {
    const path = fileIn(entity, file)
    const size = readFileSync(path).length
    for (const position of [0, size >> 1, size - 1]) {
      using _damage = damaged(path, () => {
        const bytes = readFileSync(path)
        bytes[position] = (bytes[position] ?? 0) ^ 1
        writeFileSync(path, bytes)
      })
      // It has the right size, so it can be opened; only reading every byte shows the change.
      copy.store.open(digest)
      const [said, ...more] = await copy.verify(digest)
      expect(said).toStartWith(`the release is damaged: ${path} has other content than it was built with`)
      expect(more).toEqual([])
    }
  })

  test('finds one flipped bit in the manifest of an entity', async () => {
    using _damage = damaged(countries, editEntity({ format: ENTITY_FORMAT ^ 1 }))
    expect(await copy.verify(digest)).toEqual([expect.stringContaining(`${countries} does not match its own digest`)])
  })

  test('finds damage in every release that shares it', async () => {
    using home = new TestHome()
    cpSync(sound.path, home.path, { recursive: true })
    const other = await home.import(sourceOf({ audiencia: tiny.audiencia.map((row) => ({ ...row, descCorta: 'X' })) }))
    const path = home.fileOf(digest, 'pais', 'words')
    writeFileSync(path, Buffer.alloc(readFileSync(path).length))
    for (const each of [digest, other.digest])
      expect(await home.verify(each)).toEqual([expect.stringContaining(`${path} has other content`)])
  })

  test('as a command says which release is damaged and where, and ends with 1', async () => {
    using other = new TestHome()
    cpSync(sound.path, other.path, { recursive: true })
    const verify = () => runHere('releases', 'verify', '--home', other.path)
    expect(await verify()).toEqual({ code: 0, out: `${digest.slice(0, 12)}  sound\n`, err: '' })
    const path = other.fileOf(digest, 'pais', 'etags')
    writeFileSync(path, readFileSync(path, 'utf8').replace(/[0-9]/, 'x'))
    const { code, out, err } = await verify()
    expect({ code, err }).toEqual({
      code: 1,
      err: 'nomenclator: 1 of 1 releases are damaged; import their source again to replace them\n',
    })
    expect(out).toStartWith(`${digest.slice(0, 12)}  damaged\n`)
    expect(out).toContain(`${path} has other content than it was built with`)
  })
})

test('a release that names an entity with other records than its own is refused, and is not sound', async () => {
  const other = sound.released(digest, 'area').digest
  using _ = damaged(
    manifestFile,
    withCountries((pais) => ({ ...pais, digest: other })),
  )
  const wrong = 'has other records than the release that names it'
  expect(() => copy.store.read(digest)).toThrow(wrong)
  expect(await copy.verify(digest)).toEqual([expect.stringContaining(wrong)])
})
