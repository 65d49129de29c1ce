// A disk that becomes full during an import, at any write: nothing is lost, the words say what to do, and with room it works.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { diskFailure, OperationalError } from '../../packages/server/src/base/operational-error.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { releaseVerifier } from '../../packages/server/src/release/home/verify.ts'
import { importRelease } from '../../packages/server/src/release/import.ts'
import type { Ran } from '../support/command.ts'
import { nomenclator, sourceOf, TestDirectory, TestHome, tiny, writeTables } from '../support/releases.ts'
import { runStruck, startServer } from '../torture/import/program.ts'
import { cannotMount, SmallDisk } from '../torture/mounts.ts'

setDefaultTimeout(180_000)

const room = new TestDirectory()
const model = new TestHome()
afterAll(() => {
  room[Symbol.dispose]()
  model[Symbol.dispose]()
})
const { digest: before } = await model.import(sourceOf(tiny))
const next = { ...tiny, pais: tiny.pais.map((row) => ({ ...row, descPais: `${row.descPais} II` })) }
const directory = writeTables(join(room.path, 'next'), next)
const { digest: after } = await model.import(sourceOf(next))
const importInto = (home: string) => ['import', 'package', directory, '--home', home] as const

/** A home in which the first of two releases is the only one. */
function homeBefore(path: string): ReleaseStore {
  cpSync(model.path, path, { recursive: true })
  const store = new ReleaseStore(path)
  store.activate(before)
  store.remove(after)
  return store
}

const FULL =
  /^nomenclator: the disk is full: ENOSPC: no space left on device.*\. The current release is as it was\. Make room, for example with nomenclator releases prune, and try again\.\n$/

async function expectUnharmed(store: ReleaseStore, { code, out, err }: Ran): Promise<void> {
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(FULL)
  expect(store.currentDigest()).toBe(before)
  expect(await releaseVerifier(store)(before)).toEqual([])
  const names = readdirSync(store.home).filter((name) => !name.startsWith('lock'))
  expect(names.sort()).toEqual(['built-here', 'current', 'entities', 'id-registry.json', 'releases'])
}

describe('a disk that is full from the Nth write on', async () => {
  const counted = join(room.path, 'count')
  using whole = new TestHome()
  homeBefore(whole.path)
  await runStruck({ kind: 'full', at: Number.MAX_SAFE_INTEGER, count: counted }, ...importInto(whole.path))
  const writes = Number(readFileSync(counted, 'utf8'))
  // All of the last ones, where the new release takes the place of the old, and some of the many before.
  const LAST = 6
  const STRIDE = 43
  const struck = Array.from({ length: writes }, (_, at) => at + 1).filter(
    (at) => at > writes - LAST || at % STRIDE === 2,
  )

  test('is put to the test often enough', () => expect(struck.length).toBeGreaterThan(9))

  test.each(struck)('N = %i', async (at) => {
    using home = new TestHome()
    const store = homeBefore(home.path)
    await expectUnharmed(store, await runStruck({ kind: 'full', at }, ...importInto(home.path)))
    expect(await home.import(sourceOf(next))).toMatchObject({ digest: after, outcome: 'activated' })
    expect(await releaseVerifier(store)(after)).toEqual([])
  })
})

const DISK_KILOBYTES = 2_048
const options = { fallback: sourceOf(next), acceptChanges: false, dryRun: false }

describe.skipIf((await cannotMount()) !== undefined)('a small disk', () => {
  test.each([0, 60])('with %i kB left', async (left) => {
    await using disk = await SmallDisk.create(DISK_KILOBYTES)
    const home = join(disk.path, 'home')
    const store = homeBefore(home)
    disk.fill(left)
    await expectUnharmed(store, await nomenclator(...importInto(home)))
    disk.empty()
    expect(await importRelease(store, sourceOf(next), options)).toMatchObject({ digest: after, outcome: 'activated' })
  })

  test('too small for an entity of hundreds of thousands of records', async () => {
    await using disk = await SmallDisk.create(2 * DISK_KILOBYTES)
    const home = join(disk.path, 'home')
    const store = homeBefore(home)
    await expectUnharmed(store, await nomenclator('import', 'synthetic', '--accept-changes', '--home', home))
  })

  test('that is quite full has room again when old releases are pruned', async () => {
    await using disk = await SmallDisk.create(DISK_KILOBYTES)
    const home = join(disk.path, 'home')
    const store = homeBefore(home)
    await importRelease(store, sourceOf(next), options)
    disk.fill(0)
    expect(await nomenclator('releases', 'prune', '--keep', '0', '--home', home)).toEqual({
      code: 0,
      out: `Removed ${before.slice(0, 12)}.\n`,
      err: '',
    })
    expect(statfsSync(disk.path).bavail).toBeGreaterThan(0)
    expect(store.currentDigest()).toBe(after)
  })

  test('that cannot be written to is reported, and served from', async () => {
    await using disk = await SmallDisk.create(DISK_KILOBYTES)
    const home = join(disk.path, 'home')
    homeBefore(home)
    await disk.readOnly()
    const { code, out, err } = await nomenclator(...importInto(home))
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      /^nomenclator: the file system is read-only: EROFS: .*\. Nothing was changed\. Mount it for writing/,
    )
    expect((await nomenclator('releases', 'verify', '--home', home)).code).toBe(0)
    await using server = await startServer(home)
    const response = await fetch(`${server.url}/api/v1/paises`)
    expect(await response.text()).toContain('"descPais":"México"')
    expect(server.complaints()).toBe('')
  })
})

describe('in words', () => {
  test.each([
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'the disk is full'],
    ['EROFS', 'the file system is read-only'],
    ['EACCES', 'permission was denied'],
    ['EPERM', 'permission was denied'],
  ])('%s is %s', (code, what) => {
    const failure = diskFailure(Object.assign(new Error(`${code}: some reason`), { code }))
    expect(failure).toBeInstanceOf(OperationalError)
    expect(failure?.message).toMatch(new RegExp(`^${what}: ${code}: some reason\\. .+\\. .+\\.$`))
  })

  test.each([
    ['another error', new Error('ENOSPC')],
    ['another code', Object.assign(new Error(), { code: 'ENOENT' })],
    ['no error', 'ENOSPC'],
  ])('%s is none of these', (_, error) => expect(diskFailure(error)).toBeUndefined())
})
