// Homes of other versions: those of earlier ones are brought up with the same digests and bytes, later ones are refused.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../packages/server/src/base/version.ts'
import { lockFor } from '../../packages/server/src/cli/home/open-home.ts'
import { tryLockHome } from '../../packages/server/src/release/home/lock.ts'
import { isOutdated } from '../../packages/server/src/release/home/outdated.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { upgradeHome } from '../../packages/server/src/release/home/upgrade.ts'
import {
  ENTITY_FORMAT,
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  MANIFEST_FILE,
  manifestText,
  releasedEntity,
} from '../../packages/server/src/release/manifest.ts'
import { collections, entityNames } from '../support/built-in.ts'
import { runHere } from '../support/command.ts'
import {
  contentOf,
  sourceOf,
  TestDirectory,
  TestHome,
  tiny,
  unpackFirstHome,
  writeTables,
} from '../support/releases.ts'
import { eventually, Service } from '../support/service.ts'

class OldHome extends TestHome {
  constructor(archived: string) {
    super()
    cpSync(archived, this.path, { recursive: true })
  }
}

const unpacked = new TestDirectory()
beforeAll(() => unpackFirstHome(unpacked.path))
afterAll(() => unpacked[Symbol.dispose]())

const oldHome = () => new OldHome(unpacked.path)
const oldDigests = () => readdirSync(join(unpacked.path, 'releases')).sort()
const oldCurrent = () => (readFileSync(join(unpacked.path, 'current'), 'utf8').split('\n')[0] ?? '').trim()

type OldManifest = {
  readonly built: string
  readonly entities: Record<string, { readonly count: number }>
  readonly findings: readonly { readonly kind: string; readonly count: number }[]
}
const oldFile = (digest: string, name: string) => readFileSync(join(unpacked.path, 'releases', digest, name), 'utf8')
const oldManifest = (digest: string): OldManifest => JSON.parse(oldFile(digest, MANIFEST_FILE))
const linesOf = (text: string) => text.split('\n').slice(0, -1)

describe('a home of version 0.1.0', () => {
  test('is left unlocked where it cannot be brought up', async () => {
    using home = oldHome()
    const failing = {
      out: () => {},
      err: () => {
        throw new Error('nobody reads this')
      },
      interactive: false,
    }
    await expect(lockFor(home.store, 'test', 1, failing)).rejects.toThrow('nobody reads this')
    using lock = tryLockHome(home.path, 'test')
    expect(lock).toBeDefined()
  })

  test('is brought up by serve, which says so, and has the same digests and the same pages of API v1', async () => {
    using home = oldHome()
    await using service = await Service.over(home, { flags: ['--workers', '1'] })
    for (const digest of oldDigests()) {
      const line = `Release ${digest.slice(0, 12)} was written by Nomenclator 0.1.0: upgrading it to the format of ${version}.`
      await eventually(`it says: ${line}`, () => service.said.err.includes(line))
    }
    expect(new ReleaseStore(home.path).history()).toEqual(linesOf(readFileSync(join(unpacked.path, 'current'), 'utf8')))
    const { built, entities } = oldManifest(oldCurrent())
    for (const { entity, path } of collections.filter(({ entity }) => entity in entities)) {
      const pages = linesOf(oldFile(oldCurrent(), `${entity}.records`))
      const etags = linesOf(oldFile(oldCurrent(), `${entity}.etags`))
      for (const [at, body] of pages.entries()) {
        const response = await fetch(`${service.url}${path}?page=${at + 1}`)
        expect(await response.text()).toBe(body)
        expect(response.headers.get('ETag')).toBe(etags[at] as string)
        expect(response.headers.get('X-Total')).toBe(String(entities[entity]?.count))
        expect(response.headers.get('Last-Modified')).toBe(new Date(built).toUTCString())
      }
    }
    // It was built before there were official codes, and has them.
    type Coded = {
      readonly cveMunicipio: string
      readonly cvegeo: string
      readonly idEstado: { readonly idEstado: number }
    }
    const records = (await (await fetch(`${service.url}/api/v2/municipios?per_page=1000`)).json()) as Coded[]
    expect(records.length).toBeGreaterThan(0)
    for (const { cveMunicipio, cvegeo, idEstado } of records) {
      expect(cvegeo).toBe(`${String(idEstado.idEstado).padStart(2, '0')}${cveMunicipio}`)
      const response = await fetch(`${service.url}/api/v2/municipios/${cvegeo}?by=code&fields=cvegeo`)
      expect(await response.json()).toEqual({ cvegeo })
    }
  })

  test('has the same records in every release, whole and verified, and nothing left of the old files', async () => {
    using home = oldHome()
    const upgraded = await upgradeHome(home.store)
    expect(upgraded.map(({ digest }) => digest).sort()).toEqual(oldDigests())
    expect(home.store.digests().sort()).toEqual(oldDigests())
    for (const digest of oldDigests()) {
      const release = home.store.open(digest)
      const { entities, findings } = oldManifest(digest)
      for (const name of Object.keys(entities)) {
        const { records } = release.entity(name)
        const pages = Array.from({ length: records.pages }, (_, page) => Buffer.from(records.page(page)).toString())
        expect(pages).toEqual(linesOf(oldFile(digest, `${name}.records`)))
      }
      expect(release.manifest.findings.map(({ kind, count }) => [kind, count])).toEqual(
        findings.map(({ kind, count }) => [kind, count]),
      )
      expect(readdirSync(home.store.releaseDirectory(digest))).toEqual([MANIFEST_FILE])
    }
    expect(await runHere('releases', 'verify', '--home', home.path)).toMatchObject({ code: 0 })
    expect(isOutdated(home.store)).toBe(false)
  })

  test('tells afterwards which numbering its entities have', async () => {
    using home = oldHome()
    const [digest = ''] = oldDigests()
    const path = join(home.store.releaseDirectory(digest), MANIFEST_FILE)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"kind": "tabular"', '"kind": "bundled"'))
    await upgradeHome(home.store)
    const { entities } = home.store.read(digest).manifest
    expect(JSON.parse(readFileSync(path, 'utf8')).entities).toEqual(entities)
    const numberings = Object.entries(entities).filter(([, { numbering }]) => numbering !== 'official')
    expect(numberings.map(([name, { numbering }]) => [name, numbering])).toEqual([['localidad', 'stand-in']])
  })

  test('has each entity once, however many releases name it', async () => {
    using home = oldHome()
    await upgradeHome(home.store)
    const manifests = oldDigests().map((digest) => home.store.read(digest).manifest)
    const named = new Set(manifests.flatMap(({ entities }) => Object.values(entities).map(({ digest }) => digest)))
    expect(readdirSync(join(home.path, 'entities')).sort()).toEqual([...named].sort())
    expect(named.size).toBeLessThan(entityNames.length * 2)
  })

  test('keeps its identifiers', async () => {
    using home = oldHome()
    await upgradeHome(home.store)
    const saved = JSON.parse(readFileSync(join(unpacked.path, 'numbers.json'), 'utf8'))
    expect(home.store.loadIdRegistry().save()).toEqual(saved)
    expect(existsSync(join(home.path, 'numbers.json'))).toBe(false)
  })

  test('does not lose identifiers to a registry that an earlier version has written since', async () => {
    using home = oldHome()
    await upgradeHome(home.store)
    const registry = readFileSync(home.store.idRegistryFile, 'utf8')
    writeFileSync(join(home.path, 'numbers.json'), '{}')
    expect(isOutdated(home.store)).toBe(false)
    await upgradeHome(home.store)
    expect(readFileSync(home.store.idRegistryFile, 'utf8')).toBe(registry)
  })

  test('is brought up by an import, which is then guarded by what is there', async () => {
    using home = oldHome()
    using directory = new TestDirectory()
    const few = writeTables(directory.path, { ...tiny })
    const refused = await runHere('import', 'package', few, '--home', home.path)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('upgrading it to the format of')
    expect(refused.err).toMatch(/localidad: \d+ of \d+ records would be gone/)
    expect(new ReleaseStore(home.path).currentDigest()).toBe(oldCurrent())
    expect(await runHere('import', 'package', few, '--home', home.path, '--accept-changes')).toMatchObject({
      code: 0,
    })
  })

  test('is brought up by a command of its own, once', async () => {
    using home = oldHome()
    const first = await runHere('upgrade', '--home', home.path, '--json')
    expect([
      first.code,
      JSON.parse(first.out)
        .map(({ digest }: { digest: string }) => digest)
        .sort(),
    ]).toEqual([0, oldDigests()])
    const after = contentOf(home.path)
    const second = await runHere('upgrade', '--home', home.path)
    expect([second.code, second.out]).toEqual([0, 'Nothing to do: every release is in the format of this version.\n'])
    expect(contentOf(home.path)).toEqual(after)
  })

  test('says of a release what to do, where it is only looked at', async () => {
    using home = oldHome()
    const { out } = await runHere('releases', '--home', home.path)
    expect(out).toContain('was written by Nomenclator 0.1.0')
    const shown = await runHere('releases', 'show', oldCurrent(), '--home', home.path)
    expect([shown.code, shown.err]).toEqual([1, expect.stringContaining('Bring it up with nomenclator upgrade')])
  })

  test('that was brought up in part goes on where it stopped', async () => {
    using home = oldHome()
    using whole = oldHome()
    await upgradeHome(whole.store)
    // The manifest of one release is new, its old files are still there, and so are entities that nobody names.
    const [digest = ''] = oldDigests()
    cpSync(join(whole.path, 'entities'), join(home.path, 'entities'), { recursive: true })
    cpSync(
      join(whole.store.releaseDirectory(digest), MANIFEST_FILE),
      join(home.store.releaseDirectory(digest), MANIFEST_FILE),
    )
    mkdirSync(join(home.path, 'entities', '0'.repeat(64)))
    await upgradeHome(home.store)
    expect(withoutDates(contentOf(home.path))).toEqual(withoutDates(contentOf(whole.path)))
  })

  const damage = (home: TestHome, digest: string, entity: string): string => {
    const path = join(home.store.releaseDirectory(digest), `${entity}.records`)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"', "'"))
    return path
  }
  const recordsOf = (digest: string, entity: string) => oldFile(digest, `${entity}.records`)

  test('with a damaged release is brought up but for that one, which is left as it is', async () => {
    using home = oldHome()
    const isAlone = (digest: string) =>
      oldDigests().every(
        (other) => other === digest || recordsOf(other, 'audiencia') !== recordsOf(digest, 'audiencia'),
      )
    const digest = oldDigests().find(isAlone) as string
    const path = damage(home, digest, 'audiencia')
    const before = contentOf(home.store.releaseDirectory(digest))
    const { code, err } = await runHere('upgrade', '--home', home.path)
    expect([code, err]).toEqual([1, expect.stringContaining(`${path} has other content than it was built with`)])
    expect(contentOf(home.store.releaseDirectory(digest))).toEqual(before)
    expect(home.store.openCurrent()?.digest).toBe(oldCurrent())
  })

  test('with records that this version writes in another way is left as it is', async () => {
    using home = oldHome()
    const digest = oldCurrent()
    const directory = home.store.releaseDirectory(digest)
    const path = join(directory, 'audiencia.records')
    const text = readFileSync(path, 'utf8').replace('":', '": ')
    writeFileSync(path, text)
    const manifest = JSON.parse(readFileSync(join(directory, MANIFEST_FILE), 'utf8'))
    manifest.entities.audiencia.files.records.sha256 = new Bun.CryptoHasher('sha256').update(text).digest('hex')
    writeFileSync(join(directory, MANIFEST_FILE), JSON.stringify(manifest))
    const before = contentOf(directory)
    const results = await upgradeHome(home.store)
    expect(results.find((one) => one.digest === digest)?.failure).toBe(
      `${path} is not rendered as it was by this version; the release was left as it is`,
    )
    expect(contentOf(directory)).toEqual(before)
  })

  test('with other records than its digest says is left as it is', async () => {
    using home = oldHome()
    const digest = oldCurrent()
    const other = '0'.repeat(64)
    renameSync(home.store.releaseDirectory(digest), home.store.releaseDirectory(other))
    const results = await upgradeHome(home.store)
    expect(results.find((one) => one.digest === other)?.failure).toBe(
      `release ${other} has other records than its digest says`,
    )
    expect(isOutdated(home.store)).toBe(true)
  })

  describe('with a current release that is damaged', () => {
    const spoiled = () => {
      const home = oldHome()
      for (const digest of oldDigests()) damage(home, digest, 'pais')
      return home
    }

    test('takes an import of everything', async () => {
      using home = spoiled()
      const { code, err } = await runHere('import', 'bundled', '--accept-changes', '--home', home.path)
      expect([code, err]).toEqual([0, expect.stringContaining('RELEASE NOT UPGRADED')])
      expect(home.store.openCurrent()?.manifest.source.kind).toBe('bundled')
    })

    test('refuses an import of less, and tells what to do', async () => {
      using home = spoiled()
      using room = new TestDirectory()
      const directory = writeTables(join(room.path, 'some'), { audiencia: tiny.audiencia })
      const { code, err } = await runHere('import', 'package', directory, '--accept-changes', '--home', home.path)
      expect(code).toBe(1)
      expect(err).toContain(
        `release ${oldCurrent().slice(0, 12)} is current and of an earlier format, and could not be brought up because it is damaged. This source does not provide pais,`,
      )
      expect(err).toContain('Import a source that provides everything, such as nomenclator import bundled')
    })
  })

  test('has what is damaged in one release and sound in another sound in both', async () => {
    using home = oldHome()
    const [digest = ''] = oldDigests().filter((one) => one !== oldCurrent())
    damage(home, digest, 'pais')
    expect(await runHere('upgrade', '--home', home.path)).toMatchObject({ code: 0 })
    const { records } = home.store.open(digest).entity('pais')
    expect(Buffer.from(records.page(0)).toString()).toBe(linesOf(recordsOf(digest, 'pais'))[0] as string)
  })
})

/** Manifests say which versions wrote them, and entities are named by content alone. */
const withoutDates = (content: Record<string, string>) => Object.keys(content).sort()

const home = new TestHome()
beforeAll(() => home.import(sourceOf(tiny)))
afterAll(() => home[Symbol.dispose]())

/** A copy of a home of this version with its current manifest rewritten. */
function rewritten(
  change: (manifest: { entities: Record<string, { format: number }>; versions: object }) => void,
): TestHome {
  const copy = new OldHome(home.path)
  const path = join(copy.store.releaseDirectory(copy.store.currentDigest() as string), MANIFEST_FILE)
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  change(manifest)
  writeFileSync(path, JSON.stringify(manifest))
  return copy
}

describe('a home of a later version', () => {
  const later = () =>
    rewritten((manifest) => {
      manifest.entities.municipio = { ...manifest.entities.municipio, format: ENTITY_FORMAT + 1 }
      manifest.versions = { nomenclator: '9.8.7', bun: '9.9.9' }
    })

  test.each([
    ['serve', ['serve', '--port', '0', '--workers', '1']],
    ['import', ['import', 'bundled', '--accept-changes']],
    ['export', ['export', 'package', '/nonexistent']],
    ['activate', ['activate', '']],
    ['upgrade', ['upgrade']],
  ])('is refused by %s, with the version that wrote it and the entities that cannot be read', async (_, argv) => {
    using copy = later()
    const before = contentOf(copy.path)
    const digest = copy.store.currentDigest() as string
    const { code, err } = await runHere(...argv.map((word) => word || digest), '--home', copy.path)
    expect(code).toBe(1)
    expect(err).toContain('was written by Nomenclator 9.8.7, which is newer than this program')
    expect(err).toContain('municipio')
    expect(contentOf(copy.path)).toEqual(before)
  })
})

test('entities of an earlier format are brought up by themselves, and those that embed them', async () => {
  using copy = rewritten(({ entities }) => {
    entities.estado = { ...entities.estado, format: ENTITY_FORMAT - 1 }
  })
  expect(() => copy.store.openCurrent()).toThrow('estado are in an earlier format')
  expect(await upgradeHome(copy.store)).toMatchObject([{ entities: ['estado'] }])
  expect(copy.store.openCurrent()?.manifest.entities).toEqual(home.current().manifest.entities)
})

test('an entity of this format is built again where one that it embeds gets another digest', async () => {
  using copy = new OldHome(home.path)
  const { store } = copy
  const path = join(store.releaseDirectory(store.currentDigest() ?? ''), MANIFEST_FILE)
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  const digests: Record<string, string> = {}
  for (const [name, { digest }] of Object.entries<{ digest: string }>(manifest.entities)) {
    const file = join(store.entityDirectory(digest), ENTITY_MANIFEST_FILE)
    const entity: EntityManifest = JSON.parse(readFileSync(file, 'utf8'))
    const parents = Object.fromEntries(Object.keys(entity.parents).map((parent) => [parent, digests[parent] as string]))
    const earlier = { ...entity, format: name === 'estado' ? ENTITY_FORMAT - 1 : ENTITY_FORMAT, parents }
    manifest.entities[name] = releasedEntity(earlier)
    digests[name] = manifest.entities[name].digest
    rmSync(file)
    writeFileSync(file, manifestText(earlier))
    renameSync(store.entityDirectory(digest), store.entityDirectory(digests[name] as string))
  }
  rmSync(path)
  writeFileSync(path, JSON.stringify(manifest))
  expect(await upgradeHome(store)).toEqual([{ digest: home.current().digest, entities: ['estado'] }])
  expect(copy.current().manifest.entities).toEqual(home.current().manifest.entities)
})

describe('an entity that a release lacks', () => {
  /** As written by a program that knew no audiences. */
  function lacking(): TestHome {
    const copy = new OldHome(home.path)
    const { manifest } = copy.current()
    const { audiencia: _, ...entities } = manifest.entities
    const lines = Object.entries(entities).map(([name, { count, records }]) => `${name} ${count} ${records}\n`)
    const digest = new Bun.CryptoHasher('sha256').update(`nomenclator release 1\n${lines.join('')}`).digest('hex')
    renameSync(copy.store.releaseDirectory(manifest.digest), copy.store.releaseDirectory(digest))
    const path = join(copy.store.releaseDirectory(digest), MANIFEST_FILE)
    writeFileSync(path, JSON.stringify({ ...manifest, digest, entities }))
    rmSync(copy.store.currentFile)
    copy.store.activate(digest)
    return copy
  }

  test('is empty there, in every way in which it can be requested', async () => {
    using copy = lacking()
    await using service = await Service.over(copy, { flags: ['--workers', '1'] })
    const get = (path: string) => fetch(`${service.url}${path}`)
    const page = await get('/api/v1/audiencias')
    expect([page.status, await page.text(), page.headers.get('X-Total')]).toEqual([200, '[]', '0'])
    for (const path of [
      '/api/v2/audiencias',
      '/api/v2/audiencias?q=students',
      '/api/v2/audiencias?sort=-clave&clave=a',
      '/api/v2/audiencias/all',
      '/api/v2/search?q=students',
    ]) {
      const response = await get(path)
      expect([path, response.status, await response.text()]).toEqual([path, 200, '[]'])
    }
    expect((await get('/api/v2/audiencias/1')).status).toBe(404)
    expect(await (await get('/api/v1/paises')).json()).toHaveLength(tiny.pais.length)
  })

  test('is added by an import that brings it, and the rest is carried over', async () => {
    using copy = lacking()
    const before = copy.current()
    const report = await copy.import(sourceOf({ audiencia: tiny.audiencia }))
    expect(report.digest).toBe(home.current().digest)
    expect(report.changes?.audiencia).toMatchObject({ added: 1, changed: 0, removed: 0 })
    expect(copy.current().manifest.entities).toMatchObject(before.manifest.entities)
  })
})
