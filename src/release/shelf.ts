// The releases on disk, which of them is current, and which were before it.
//
//   <home>/current             the digest of the current release; below it those that were current before, latest first
//   <home>/releases/<digest>/  one release
//   <home>/building/           where the next one is made; leftovers are swept away by the next build
//   <home>/numbers.json        which identifier belongs to which official code
//   <home>/lock                held by whoever changes any of these
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { syncDirectory, writeDurably } from './durable-file.ts'
import { IdRegistry } from './id-registry.ts'
import { DIGEST, type Manifest } from './manifest.ts'
import { openRelease, type Release, readManifest, type StoredRelease, storedRelease } from './release.ts'
import { verifyRelease } from './verify.ts'

export type Listed = {
  readonly digest: string
  readonly current: boolean
  readonly manifest: Manifest | { readonly damage: string }
}

const HISTORY_KEPT = 100

export class Shelf {
  readonly home: string

  constructor(home: string) {
    this.home = home
  }

  currentDigest(): string | undefined {
    return this.history()[0]
  }

  /** The current release first, then those that were current before. */
  history(): string[] {
    if (!existsSync(this.currentFile)) return []
    const digests = readFileSync(this.currentFile, 'utf8').trim().split('\n')
    if (digests.every((digest) => DIGEST.test(digest))) return digests
    throw new Failure(`${this.currentFile} does not hold digests; mend it with nomenclator activate DIGEST`)
  }

  open(digest: string): Release {
    return openRelease(this.directoryOf(digest), digest)
  }

  stored(digest: string): StoredRelease {
    return storedRelease(this.directoryOf(digest), digest)
  }

  openCurrent(): Release | undefined {
    const digest = this.currentDigest()
    return digest === undefined ? undefined : this.open(digest)
  }

  /** The one release whose digest begins like this. */
  find(prefix: string): string {
    const digests = this.digests()
    const found = digests.filter((digest) => digest.startsWith(prefix.toLowerCase()))
    const [digest, ...others] = found
    if (digest !== undefined && others.length === 0) return digest
    if (found.length > 1)
      throw new Failure(`${prefix} is not enough: ${found.map((one) => one.slice(0, 16)).join(', ')}`)
    throw new Failure(`there is no release ${prefix}; nomenclator releases lists those that are there`)
  }

  /** Newest first. */
  list(): Listed[] {
    const current = this.currentDigest()
    return this.digests()
      .map((digest) => ({ digest, current: digest === current, manifest: this.manifestOrDamage(digest) }))
      .sort((a, b) => builtAt(b).localeCompare(builtAt(a)) || a.digest.localeCompare(b.digest))
  }

  manifestOrDamage(digest: string): Listed['manifest'] {
    try {
      return readManifest(this.directoryOf(digest), digest)
    } catch (error) {
      return { damage: error instanceof Error ? error.message : String(error) }
    }
  }

  /** Makes a release current; it must be sound. */
  activate(digest: string): void {
    readManifest(this.directoryOf(digest), digest)
    const before = existsSync(this.currentFile) ? readFileSync(this.currentFile, 'utf8').trim().split('\n') : []
    const earlier = before.filter((one) => DIGEST.test(one))
    // Written even if nothing changes: whoever follows it then looks again at a release that was mended.
    this.#setHistory([digest, ...(earlier[0] === digest ? earlier.slice(1) : earlier)].slice(0, HISTORY_KEPT))
  }

  /** Goes back to the release that was current before this one and is still there. */
  rollback(): string {
    const [current, ...before] = this.history()
    const position = before.findIndex((digest) => digest !== current && !('damage' in this.manifestOrDamage(digest)))
    const digest = before[position]
    if (digest === undefined) throw new Failure('there is no earlier release to go back to')
    this.#setHistory(before.slice(position))
    return digest
  }

  /** An empty directory to build in; whatever an earlier build left is swept away. */
  newBuilding(): string {
    mkdirSync(this.#releases, { recursive: true })
    this.sweep()
    const directory = join(this.#building, crypto.randomUUID())
    mkdirSync(directory, { recursive: true })
    return directory
  }

  sweep(): void {
    rmSync(this.#building, { recursive: true, force: true })
    for (const path of [this.currentFile, this.#numbers]) rmSync(nextOf(path), { force: true })
  }

  /** The same records make the same digest: a sound release that is there already stays, a damaged one is replaced. */
  async place(directory: string, digest: string): Promise<void> {
    const target = this.directoryOf(digest)
    if (existsSync(target)) {
      if ((await verifyRelease(target, digest)).length === 0) return
      renameSync(target, join(this.#building, `damaged-${digest}`))
    }
    renameSync(directory, target)
    syncDirectory(this.#releases)
  }

  remove(digest: string): void {
    // Gone at once under its name, so that a removal cut short leaves nothing that looks like a release.
    mkdirSync(this.#building, { recursive: true })
    renameSync(this.directoryOf(digest), join(this.#building, `removed-${digest}`))
    this.sweep()
  }

  loadIdRegistry(): IdRegistry {
    if (!existsSync(this.#numbers)) return new IdRegistry()
    try {
      return new IdRegistry(JSON.parse(readFileSync(this.#numbers, 'utf8')))
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
      throw new Failure(
        `${this.#numbers} is damaged: it says which identifier belongs to which code. Bring it back from a backup; ` +
          'without it, identifiers that were published could be given to other records.',
      )
    }
  }

  saveIdRegistry(numbers: IdRegistry): void {
    this.#replace(this.#numbers, `${JSON.stringify(numbers.save())}\n`)
  }

  directoryOf(digest: string): string {
    return join(this.#releases, digest)
  }

  get currentFile(): string {
    return join(this.home, 'current')
  }

  #setHistory(digests: readonly string[]): void {
    this.#replace(this.currentFile, `${digests.join('\n')}\n`)
  }

  #replace(path: string, text: string): void {
    const next = nextOf(path)
    rmSync(next, { force: true })
    writeDurably(next, text)
    renameSync(next, path)
    syncDirectory(this.home)
  }

  /** Of all releases on disk, in no order. */
  digests(): string[] {
    return existsSync(this.#releases) ? readdirSync(this.#releases).filter((name) => DIGEST.test(name)) : []
  }

  get #releases(): string {
    return join(this.home, 'releases')
  }

  get #building(): string {
    return join(this.home, 'building')
  }

  get #numbers(): string {
    return join(this.home, 'numbers.json')
  }
}

const nextOf = (path: string) => `${path}.next`

const builtAt = ({ manifest }: Listed) => ('damage' in manifest ? '' : manifest.built)
