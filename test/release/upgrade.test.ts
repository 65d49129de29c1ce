// Homes of other versions: those of earlier ones are upgraded with the same digests and bytes, too old and later ones are refused.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../packages/server/src/base/version.ts'
import { lockFor } from '../../packages/server/src/cli/home/open-home.ts'
import { tryLockHome } from '../../packages/server/src/release/home/lock.ts'
import { isOutdated } from '../../packages/server/src/release/home/other-formats.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { upgradeHome } from '../../packages/server/src/release/home/upgrade.ts'
import { ENTITY_FORMAT, MANIFEST_FILE, OLDEST_FORMAT } from '../../packages/server/src/release/manifest.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import { collections } from '../support/built-in.ts'
import { runHere } from '../support/command.ts'
import { completedRows } from '../support/completed-rows.ts'
import { rewrite, rewriteInFormat } from '../support/other-format.ts'
import { contentOf, sourceOf, TestDirectory, TestHome, ThreeReleases, tiny, writeTables } from '../support/releases.ts'
import { eventually, Service } from '../support/service.ts'

class CopiedHome extends TestHome {
  constructor(path: string) {
    super()
    cpSync(path, this.path, { recursive: true })
  }
}

const EARLIER = '0.3.9'
const model = await ThreeReleases.create()
const digests = [...model.digests].sort()
const [first, , third] = model.digests as [string, string, string]
model.store.activate(first)
const earlier = new CopiedHome(model.path)
rewriteInFormat(earlier.store, ENTITY_FORMAT - 1, EARLIER)
afterAll(() => {
  model[Symbol.dispose]()
  earlier[Symbol.dispose]()
})

/** A home with three releases of the format before this one, of which the first is current. */
const earlierHome = () => new CopiedHome(earlier.path)
const manifestOf = (home: TestHome, digest: string) => home.store.read(digest).manifest

function damage(home: TestHome, digest: string, entity: string, change = (text: string) => text.replace('"', "'")) {
  const path = join(home.store.releaseDirectory(digest), MANIFEST_FILE)
  const named = JSON.parse(readFileSync(path, 'utf8')).entities[entity].digest
  const records = join(home.store.entityDirectory(named), 'records')
  rewrite(records, change(readFileSync(records, 'utf8')))
  return records
}

describe('a home of an earlier format', () => {
  test('is left unlocked where it cannot be upgraded', async () => {
    using home = earlierHome()
    const failing = {
      out: () => {},
      err: () => {
        throw new Error('nobody reads this')
      },
      data: () => {},
      interactive: false,
    }
    await expect(lockFor(home.store, 'test', 1, failing)).rejects.toThrow('nobody reads this')
    using lock = tryLockHome(home.path, 'test')
    expect(lock).toBeDefined()
  })

  test('is upgraded by serve, which says so, and has the same digests and the same pages of API v1', async () => {
    using home = earlierHome()
    await using service = await Service.over(home, { flags: ['--workers', '1'] })
    for (const digest of digests) {
      const line = `Release ${digest.slice(0, 12)} was written by Nomenclator ${EARLIER}: upgrading it to the format of ${version}.`
      await eventually(`it says: ${line}`, () => service.said.err.includes(line))
    }
    expect(new ReleaseStore(home.path).history()).toEqual(model.store.history())
    const release = model.current()
    for (const { entity, path } of collections) {
      const { records, count } = release.entity(entity)
      for (let page = 0; page < records.pages; page++) {
        const response = await fetch(`${service.url}${path}?page=${page + 1}`)
        expect(await response.text()).toBe(Buffer.from(records.page(page)).toString())
        expect(response.headers.get('ETag')).toBe(records.etag(page))
        expect(response.headers.get('X-Total')).toBe(String(count))
        expect(response.headers.get('Last-Modified')).toBe(release.lastModified)
      }
    }
  })

  test('has everything derived anew from its records, in every release, and nothing left of the old files', async () => {
    using home = earlierHome()
    const upgraded = await upgradeHome(home.store)
    expect(upgraded.map(({ digest }) => digest).sort()).toEqual(digests)
    expect(upgraded.map(({ failure }) => failure)).toEqual([undefined, undefined, undefined])
    expect(home.store.digests().sort()).toEqual(digests)
    for (const digest of digests) {
      const { entities, findings, built, source, changes } = manifestOf(model, digest)
      expect(manifestOf(home, digest)).toMatchObject({ entities, findings, built, source })
      expect(manifestOf(home, digest).changes).toEqual(changes)
      expect(manifestOf(home, digest).versions.nomenclator).toBe(version)
    }
    expect(readdirSync(join(home.path, 'entities')).sort()).toEqual(readdirSync(join(model.path, 'entities')).sort())
    expect(await runHere('releases', 'verify', '--home', home.path)).toMatchObject({ code: 0 })
    expect(isOutdated(home.store)).toBe(false)
    expect(home.store.loadIdRegistry().save()).toEqual(model.store.loadIdRegistry().save())
  })

  test('is upgraded by an import, which is then guarded by what is there', async () => {
    using home = earlierHome()
    using directory = new TestDirectory()
    const few = writeTables(directory.path, { localidad: tiny.localidad.slice(0, 1) })
    const refused = await runHere('import', 'package', few, '--home', home.path)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('upgrading it to the format of')
    expect(refused.err).toMatch(/localidad: \d+ of \d+ records would be gone/)
    expect(new ReleaseStore(home.path).currentDigest()).toBe(first)
    expect(await runHere('import', 'package', few, '--home', home.path, '--accept-changes')).toMatchObject({
      code: 0,
    })
  })

  test('is upgraded by a command of its own, once', async () => {
    using home = earlierHome()
    const once = await runHere('upgrade', '--home', home.path, '--json')
    const reported: { digest: string }[] = JSON.parse(once.out)
    expect([once.code, reported.map(({ digest }) => digest).sort()]).toEqual([0, digests])
    const after = contentOf(home.path)
    const again = await runHere('upgrade', '--home', home.path)
    expect([again.code, again.out]).toEqual([0, 'Nothing to do: every release is in the format of this version.\n'])
    expect(contentOf(home.path)).toEqual(after)
  })

  test('says of a release what to do, where it is only looked at', async () => {
    using home = earlierHome()
    const { out } = await runHere('releases', '--home', home.path)
    expect(out).toContain(`was written by Nomenclator ${EARLIER}`)
    const shown = await runHere('releases', 'show', first, '--home', home.path)
    expect([shown.code, shown.err]).toEqual([1, expect.stringContaining('Upgrade it with nomenclator upgrade')])
  })

  test('that was upgraded in part goes on where it stopped', async () => {
    using home = earlierHome()
    using whole = earlierHome()
    await upgradeHome(whole.store)
    // The manifest of one release is new, the others are not, and there is an entity that nobody names.
    cpSync(join(whole.path, 'entities'), join(home.path, 'entities'), { recursive: true })
    const manifest = readFileSync(join(whole.store.releaseDirectory(third), MANIFEST_FILE), 'utf8')
    rewrite(join(home.store.releaseDirectory(third), MANIFEST_FILE), manifest)
    mkdirSync(join(home.path, 'entities', '0'.repeat(64)))
    expect((await upgradeHome(home.store)).map(({ digest }) => digest)).not.toContain(third)
    expect(Object.keys(contentOf(home.path))).toEqual(Object.keys(contentOf(whole.path)))
  })

  test('with a damaged release is upgraded but for that one, which is left as it is', async () => {
    using home = earlierHome()
    const path = damage(home, third, 'audiencia')
    const before = contentOf(home.store.releaseDirectory(third))
    const { code, err } = await runHere('upgrade', '--home', home.path)
    expect([code, err]).toEqual([1, expect.stringContaining(`${path} has other content than it was built with`)])
    expect(contentOf(home.store.releaseDirectory(third))).toEqual(before)
    expect(home.store.openCurrent()?.digest).toBe(first)
  })

  test('with records that this version writes in another way is left as it is', async () => {
    using home = earlierHome()
    const path = damage(home, first, 'audiencia', (text) => text.replace('":', '": '))
    const manifestPath = join(home.store.releaseDirectory(first), MANIFEST_FILE)
    const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'))
    manifest.entities.audiencia.records = new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')
    rewrite(manifestPath, JSON.stringify(manifest))
    const before = contentOf(home.store.releaseDirectory(first))
    const results = await upgradeHome(home.store)
    expect(results.find(({ digest }) => digest === first)?.failure).toBe(
      `${path} is not rendered as it was by this version; the release was left as it is`,
    )
    expect(contentOf(home.store.releaseDirectory(first))).toEqual(before)
  })

  test('with other records than its digest says is left as it is', async () => {
    using home = earlierHome()
    const other = '0'.repeat(64)
    renameSync(home.store.releaseDirectory(first), home.store.releaseDirectory(other))
    const results = await upgradeHome(home.store)
    expect(results.find(({ digest }) => digest === other)?.failure).toBe(
      `release ${other} has other records than its digest says`,
    )
    expect(isOutdated(home.store)).toBe(true)
  })

  describe('with a current release that is damaged', () => {
    const spoiled = () => {
      const home = earlierHome()
      // All three share the countries.
      damage(home, first, 'pais')
      return home
    }

    test('takes an import of everything', async () => {
      using home = spoiled()
      using room = new TestDirectory()
      const directory = writeTables(join(room.path, 'all'), completedRows(builtInCatalog, tiny))
      const { code, err } = await runHere('import', 'package', directory, '--accept-changes', '--home', home.path)
      expect([code, err]).toEqual([0, expect.stringContaining('RELEASE NOT UPGRADED')])
      expect(home.store.openCurrent()?.manifest.source.kind).toBe('package')
    })

    test('refuses an import of less, and tells what to do', async () => {
      using home = spoiled()
      using room = new TestDirectory()
      const directory = writeTables(join(room.path, 'some'), { audiencia: tiny.audiencia })
      const { code, err } = await runHere('import', 'package', directory, '--accept-changes', '--home', home.path)
      expect(code).toBe(1)
      expect(err).toContain(`${home.store.releaseDirectory(first)} is in an earlier format and could not be upgraded`)
      expect(err).toContain('import its source again to replace it, or activate another release')
    })
  })
})

/** Rewrites the manifests of a home as if an entity had identifiers and codes of another kind. */
function numberOtherwise(store: ReleaseStore, numbering: string, name: string): void {
  for (const digest of store.digests()) {
    const path = join(store.releaseDirectory(digest), MANIFEST_FILE)
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    Object.assign(manifest.entities[name], { numbering })
    rewrite(path, JSON.stringify({ ...manifest, versions: { ...manifest.versions, nomenclator: '9.8.7' } }))
  }
}

const home = new TestHome()
beforeAll(() => home.import(sourceOf(tiny)))
afterAll(() => home[Symbol.dispose]())

describe.each([
  ['later', ENTITY_FORMAT + 1, 'which is newer than this program', 'Use Nomenclator 9.8.7 or later'],
  [
    'too old',
    OLDEST_FORMAT - 1,
    `a format that this program (${version}) no longer reads`,
    'Use Nomenclator 9.8.7, or',
  ],
  // The localities that earlier versions shipped had codes of their own.
  [
    'numbering of an earlier',
    'stand-in',
    `a format that this program (${version}) no longer reads`,
    'give another home with --home DIR',
  ],
] as const)('a home of a %s format', (_, format, why, advice) => {
  test.each([
    ['serve', ['serve', '--port', '0', '--workers', '1']],
    ['import', ['import', 'bundled', '--accept-changes']],
    ['export', ['export', 'package', '/nonexistent']],
    ['activate', ['activate', '']],
    ['upgrade', ['upgrade']],
  ])('is refused by %s, with the version that wrote it and what to do', async (_, argv) => {
    using copy = new CopiedHome(home.path)
    if (typeof format === 'number') rewriteInFormat(copy.store, format, '9.8.7', 'municipio')
    else numberOtherwise(copy.store, format, 'municipio')
    const before = contentOf(copy.path)
    const digest = copy.store.currentDigest() as string
    const { code, err } = await runHere(...argv.map((word) => word || digest), '--home', copy.path)
    expect(code).toBe(1)
    for (const words of ['was written by Nomenclator 9.8.7', why, 'municipio', 'Nothing was changed', advice])
      expect(err).toContain(words)
    expect(contentOf(copy.path)).toEqual(before)
  })
})

test('the oldest format that can be upgraded is older than this one', () => {
  expect(OLDEST_FORMAT).toBeLessThan(ENTITY_FORMAT)
})

test('one entity of an earlier format is upgraded, and those that embed it, which get another digest', async () => {
  using copy = new CopiedHome(home.path)
  rewriteInFormat(copy.store, OLDEST_FORMAT, EARLIER, 'estado')
  expect(() => copy.store.openCurrent()).toThrow('estado are in an earlier format')
  expect(await upgradeHome(copy.store)).toEqual([{ digest: home.current().digest, entities: ['estado'] }])
  expect(copy.current().manifest.entities).toEqual(home.current().manifest.entities)
})

describe('an entity that a release lacks', () => {
  /** As written by a program that knew no audiences. */
  function lacking(): TestHome {
    const copy = new CopiedHome(home.path)
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
