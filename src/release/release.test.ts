// A release that is not whole is refused, in words that name the file and say what to do; a flipped byte is found.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, copyFileSync, cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nomenclator, sourceOf, TestDirectory, TestHome, tiny } from '../../test/support/releases.ts'
import { entityNames } from '../catalog/entities.ts'
import { Failure } from '../failure.ts'
import { ENTITY_FILE_PARTS, type Manifest, releaseDigest } from './manifest.ts'
import { openRelease } from './release.ts'
import { verifyRelease } from './verify.ts'

setDefaultTimeout(60_000)

const home = new TestHome()
afterAll(() => home[Symbol.dispose]())
const { digest } = await home.import(sourceOf(tiny))
const sound = home.shelf.directoryOf(digest)

const copy = new TestDirectory()
afterAll(() => copy[Symbol.dispose]())
cpSync(sound, copy.path, { recursive: true })

/** Damages one file of the copy, or its manifest, for the length of one test. */
function damaged(file: string, damage: (directory: string) => void): Disposable & { readonly path: string } {
  damage(copy.path)
  const mend = () => {
    for (const name of new Set([file, 'manifest.json'])) copyFileSync(join(sound, name), join(copy.path, name))
  }
  return { path: copy.path, [Symbol.dispose]: mend }
}

const editManifest = (edit: (manifest: Manifest) => unknown) => (directory: string) => {
  const path = join(directory, 'manifest.json')
  writeFileSync(path, JSON.stringify(edit(JSON.parse(readFileSync(path, 'utf8')))))
}
const setManifest = (text: string) => (directory: string) => writeFileSync(join(directory, 'manifest.json'), text)

function withFacts(change: (pais: Manifest['entities']['pais']) => object) {
  return editManifest((manifest) => ({
    ...manifest,
    entities: { ...manifest.entities, pais: change(manifest.entities.pais) },
  }))
}

const withPart = (part: 'records' | 'offsets', facts: object) =>
  withFacts((pais) => ({ ...pais, files: { ...pais.files, [part]: { ...pais.files[part], ...facts } } }))

/** Another release, sound in itself, under the name of this one. */
const ofAnother = editManifest((manifest) => {
  const entities = { ...manifest.entities, pais: { ...manifest.entities.pais, count: 1 } }
  return { ...manifest, entities, digest: releaseDigest(entities) }
})

const otherSha = 'a'.repeat(64)
const cases: readonly [name: string, damage: (directory: string) => void, file: string, wrong: RegExp][] = [
  ['no manifest', (directory) => rmSync(join(directory, 'manifest.json')), 'manifest.json', /is missing/],
  ['an empty manifest', setManifest(''), 'manifest.json', /is not JSON/],
  ['half a manifest', (at) => truncateSync(join(at, 'manifest.json'), 100), 'manifest.json', /is not JSON/],
  ['a manifest that is a number', setManifest('1'), 'manifest.json', /is not a JSON object/],
  ['a manifest that is null', setManifest('null'), 'manifest.json', /is not a JSON object/],
  ['a manifest that is a list', setManifest('[]'), 'manifest.json', /has format undefined/],
  [
    'a later format',
    editManifest((manifest) => ({ ...manifest, format: 3 })),
    'manifest.json',
    /has format 3, and this program reads format 2/,
  ],
  ['the manifest of another release', ofAnother, 'manifest.json', /belongs to release [0-9a-f]{64}/],
  ['an edited count', withFacts((pais) => ({ ...pais, count: 3 })), 'manifest.json', /does not match its own digest/],
  ['a count that is none', withFacts((pais) => ({ ...pais, count: '2' })), 'manifest.json', /does not list the files/],
  ['an edited digest of records', withPart('records', { sha256: otherSha }), 'manifest.json', /its own digest/],
  ['a digest that is none', withPart('offsets', { sha256: 'a' }), 'manifest.json', /does not list the files/],
  ['an edited size', withPart('offsets', { size: 1 }), 'pais.offsets', /has 24 bytes instead of 1\./],
  ['an entity left out', withFacts(() => ({})), 'manifest.json', /does not list the files of every entity/],
  [
    'no word of its source',
    editManifest(({ source: _, ...rest }) => rest),
    'manifest.json',
    /does not say where it came from/,
  ],
  [
    'no time at which it was built',
    editManifest((manifest) => ({ ...manifest, built: 'today' })),
    'manifest.json',
    /does not say where it came from and when/,
  ],
  [
    'findings that are none',
    editManifest(({ findings: _, ...rest }) => rest),
    'manifest.json',
    /does not say where it came from and when/,
  ],
  ...entityNames.flatMap((entity) =>
    ENTITY_FILE_PARTS.flatMap((part): [string, (directory: string) => void, string, RegExp][] => {
      const file = `${entity}.${part}`
      const { size } = readManifestOf(sound).entities[entity].files[part]
      return [
        [`${file} missing`, (directory) => rmSync(join(directory, file)), file, /is missing/],
        [
          `${file} cut short`,
          (directory) => truncateSync(join(directory, file), size - 1),
          file,
          new RegExp(`has ${size - 1} bytes instead of ${size}\\.`),
        ],
        [
          `${file} grown`,
          (directory) => appendFileSync(join(directory, file), 'x'),
          file,
          new RegExp(`has ${size + 1} bytes instead of ${size}\\.`),
        ],
      ]
    }),
  ),
]

function readManifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))
}

function refusal(directory: string): string {
  try {
    openRelease(directory, digest)
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
  throw new Error('it was opened')
}

test('a sound release is opened, and has every page', () => {
  const release = openRelease(sound, digest)
  expect(release.lastModified).toBe(new Date(release.manifest.built).toUTCString())
  expect(entityNames.map((name) => release.entity(name).records.count)).toEqual(
    entityNames.map((name) => tiny[name].length),
  )
})

describe('is refused:', () => {
  test.each(cases)('%s', async (_, damage, file, wrong) => {
    using directory = damaged(file, damage)
    const said = refusal(directory.path)
    expect(said).toStartWith(`the release is damaged: ${join(directory.path, file)} `)
    expect(said).toMatch(wrong)
    expect(said).toEndWith('import its source again to replace it, or activate another release.')
    expect(await verifyRelease(directory.path, digest)).toEqual([said])
  })
})

describe('verify', () => {
  test('finds nothing in a sound release', async () => expect(await verifyRelease(sound, digest)).toEqual([]))

  const files = entityNames.flatMap((entity) => ENTITY_FILE_PARTS.map((part) => `${entity}.${part}`))
  test.each(files)('finds one flipped bit in %s', async (file) => {
    const size = readFileSync(join(sound, file)).length
    for (const position of [0, size >> 1, size - 1]) {
      using directory = damaged(file, (at) => {
        const bytes = readFileSync(join(at, file))
        bytes[position] = (bytes[position] ?? 0) ^ 1
        writeFileSync(join(at, file), bytes)
      })
      // Of the right size, so it can be opened; only a look at every byte tells.
      openRelease(directory.path, digest)
      const [said, ...more] = await verifyRelease(directory.path, digest)
      expect(said).toStartWith(
        `the release is damaged: ${join(directory.path, file)} has other content than it was built with`,
      )
      expect(more).toEqual([])
    }
  })

  test('finds an edited digest of a file that is not among the records', async () => {
    using directory = damaged('manifest.json', withPart('offsets', { sha256: otherSha }))
    expect(await verifyRelease(directory.path, digest)).toHaveLength(1)
  })

  test('as a command says which release is damaged and where, and ends with 1', async () => {
    using other = new TestHome()
    cpSync(home.path, other.path, { recursive: true })
    const verify = () => nomenclator('releases', 'verify', '--home', other.path)
    expect(await verify()).toEqual({ code: 0, out: `${digest.slice(0, 12)}  sound\n`, err: '' })
    const path = join(other.shelf.directoryOf(digest), 'pais.etags')
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
