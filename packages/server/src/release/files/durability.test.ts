// A power cut may lose whatever was not synced: what an import has put in its place was, and in an order that is safe.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { sourceOf, TestHome, tiny, tinyNames } from '../../../../../test/support/releases.ts'
import type { Source } from '../../source/source.ts'
import { disk } from './durable-file.ts'

setDefaultTimeout(180_000)

/** Everything that is written into a home, and what of it a power cut could still undo. */
class DiskTrace implements Disposable {
  readonly #real = { ...disk }
  readonly #home: string
  readonly #paths = new Map<number, string>()
  /** Files whose content, and directories whose names, have changed since they were last synced. */
  readonly #unsynced = new Set<string>()
  /** Where the last rename led, until that directory is synced. */
  #renamedInto: string | undefined
  /** All files that were ever written, by the name that they have now. */
  readonly #written = new Set<string>()
  /** The names that were given, in order. */
  renames: string[] = []
  onSync: (path: string) => void = () => {}
  /** The calls that came too early. */
  readonly wrong: string[] = []

  constructor(home: string) {
    this.#home = home
    const { open, write, fsync, close, rename } = this.#real
    Object.assign(disk, {
      open: (...given: Parameters<typeof open>) => {
        const descriptor = open(...given)
        this.#opened(descriptor, this.#nameOf(String(given[0])), String(given[1]))
        return descriptor
      },
      write: (descriptor: number, bytes: Uint8Array, from: number) => {
        this.#unsynced.add(this.#paths.get(descriptor) ?? '')
        return write(descriptor, bytes, from)
      },
      fsync: (descriptor: number) => {
        fsync(descriptor)
        this.#synced(this.#paths.get(descriptor) ?? '')
      },
      close: (descriptor: number) => {
        this.#paths.delete(descriptor)
        close(descriptor)
      },
      rename: (from: string, to: string) => {
        this.#renaming(this.#nameOf(from), this.#nameOf(to))
        rename(from, to)
      },
    })
  }

  // Files that are thrown away with the directory of a build need not last.

  get written(): string[] {
    return [...this.#written].filter((path) => !isIn(path, 'building')).sort()
  }

  get unsynced(): string[] {
    return [...this.#unsynced].filter((path) => !isIn(path, 'building'))
  }

  [Symbol.dispose](): void {
    Object.assign(disk, this.#real)
  }

  #nameOf(path: string): string {
    return relative(this.#home, path) || '.'
  }

  #opened(descriptor: number, path: string, flags: string): void {
    this.#paths.set(descriptor, path)
    if (flags === 'r') return
    this.#written.add(path)
    this.#unsynced.add(path).add(dirname(path))
  }

  #synced(path: string): void {
    this.#unsynced.delete(path)
    this.onSync(path)
    if (this.#renamedInto === path) this.#renamedInto = undefined
  }

  #renaming(from: string, to: string): void {
    this.expectSyncedAfterRename()
    for (const path of this.#unsynced) if (isIn(path, from)) this.wrong.push(`${path} was renamed to ${to} unsynced`)
    for (const paths of [this.#written, this.#unsynced]) {
      // The file that had the name before is gone.
      for (const path of [...paths]) if (isIn(path, to)) paths.delete(path)
      for (const path of [...paths]) if (isIn(path, from) && paths.delete(path)) paths.add(path.replace(from, to))
    }
    this.#unsynced.add(dirname(to))
    this.#renamedInto = dirname(to)
    this.renames.push(to)
  }

  expectSyncedAfterRename(): void {
    if (this.#renamedInto !== undefined)
      this.wrong.push(`${this.#renamedInto} was not synced after the rename to ${this.renames.at(-1)}`)
    this.#renamedInto = undefined
  }
}

const isIn = (path: string, directory: string) => path === directory || path.startsWith(`${directory}/`)

/** All files of a home that have to last. */
function lastingFiles(home: string): string[] {
  const files = ['entities', 'releases'].flatMap((directory) =>
    readdirSync(join(home, directory), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(home, join(entry.parentPath, entry.name))),
  )
  return [...files, 'built-here', 'id-registry.json', 'current'].sort()
}

const next = { ...tiny, pais: tiny.pais.map((row) => ({ ...row, descPais: `${row.descPais} II` })) }

/** Puts zeros into a file of the current release, so that the import of the same source has to mend it. */
function damage(home: TestHome): void {
  const path = home.fileOf(home.current().digest, 'audiencia', 'words')
  writeFileSync(path, Buffer.alloc(readFileSync(path).length))
}

const imports: readonly [name: string, source: Source, before: (home: TestHome) => void, placed: readonly string[]][] =
  [
    ['into an empty home', sourceOf(tiny), () => {}, tinyNames],
    ['over another release', sourceOf(next), () => {}, ['pais', 'estado', 'municipio', 'localidad']],
    ['over the same release, which was damaged', sourceOf(next), damage, ['audiencia']],
  ]

const home = new TestHome()
let trace: DiskTrace
beforeAll(() => {
  trace = new DiskTrace(home.path)
})
afterAll(() => {
  trace[Symbol.dispose]()
  home[Symbol.dispose]()
})

// One after the other in one home, and each builds upon the one before.
describe.each(imports)('an import %s', (_, source, before, placed) => {
  let digest: string

  beforeAll(async () => {
    before(home)
    trace.renames = []
    const report = await home.import(source)
    expect(report.outcome).toBe('activated')
    digest = report.digest
    trace.expectSyncedAfterRename()
  })

  test('renames nothing that is not synced, and syncs the directory after every rename', () =>
    expect(trace.wrong).toEqual([]))

  test('has written and synced every file that has to last, and all names of them', () => {
    expect(trace.written).toEqual(lastingFiles(home.path))
    expect(trace.unsynced).toEqual([])
  })

  test('puts the id registry in its place first, then the entities, the manifest of the release, and current', () => {
    const manifest = `releases/${digest}`
    const isReplaced = trace.renames.includes(`${manifest}/manifest.json`)
    expect(trace.renames).toEqual([
      'id-registry.json',
      ...placed.map((name) => `entities/${home.released(digest, name).digest}`),
      'built-here',
      isReplaced ? `${manifest}/manifest.json` : manifest,
      'current',
    ])
  })
})

test('a release that is removed is gone for good before any of its entities is', () => {
  const [current = '', earlier = ''] = home.store.history().filter((digest, at, all) => all.indexOf(digest) === at)
  const entitiesOf = (digest: string) => Object.values(home.store.read(digest).manifest.entities)
  const kept = entitiesOf(current).map(({ digest }) => home.store.entityDirectory(digest))
  const own = entitiesOf(earlier)
    .map(({ digest }) => home.store.entityDirectory(digest))
    .filter((path) => !kept.includes(path))
  expect(own.length).toBeGreaterThan(0)
  const thereAtSync: boolean[] = []
  trace.onSync = (path) => {
    if (path === 'releases')
      thereAtSync.push(own.every((one) => existsSync(one)) && !existsSync(home.store.releaseDirectory(earlier)))
  }
  home.store.remove(earlier)
  expect(thereAtSync).toEqual([true])
  expect(own.filter((path) => existsSync(path))).toEqual([])
  expect(kept.every((path) => existsSync(path))).toBe(true)
})
