// The releases on disk, and which of them is current.
//
//   <home>/current             the digest of the current release
//   <home>/releases/<digest>/  one release
//   <home>/building/           where the next ones are made; leftovers are swept away by the next build
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import type { Source } from '../source/source.ts'
import { buildRelease, type OnProgress } from './build.ts'
import { syncDirectory, writeDurably } from './durable-file.ts'
import { DIGEST, type Manifest } from './manifest.ts'
import { openRelease, type Release, readManifest } from './release.ts'

export type Listed = {
  readonly digest: string
  readonly current: boolean
  readonly manifest: Manifest | { readonly damage: string }
}

export class Shelf {
  readonly home: string

  constructor(home: string) {
    this.home = home
  }

  currentDigest(): string | undefined {
    const path = this.#current
    if (!existsSync(path)) return undefined
    const digest = readFileSync(path, 'utf8').trim()
    if (!DIGEST.test(digest)) throw new Failure(`${path} does not hold a digest; activate a release to mend it`)
    return digest
  }

  openCurrent(): Release | undefined {
    const digest = this.currentDigest()
    return digest === undefined ? undefined : openRelease(this.#directory(digest), digest)
  }

  /** Builds beside the others, then moves the finished release into place; it is not current yet. */
  async build(source: Source, onProgress?: OnProgress): Promise<Manifest> {
    mkdirSync(this.#releases, { recursive: true })
    const building = join(this.home, 'building')
    rmSync(building, { recursive: true, force: true })
    mkdirSync(building)
    const directory = join(building, crypto.randomUUID())
    mkdirSync(directory)
    try {
      const manifest = await buildRelease(source, directory, onProgress)
      this.#place(directory, manifest.digest)
      return manifest
    } finally {
      rmSync(building, { recursive: true, force: true })
    }
  }

  activate(digest: string): void {
    readManifest(this.#directory(digest), digest)
    const next = `${this.#current}.next`
    rmSync(next, { force: true })
    writeDurably(next, `${digest}\n`)
    renameSync(next, this.#current)
    syncDirectory(this.home)
  }

  /** Newest first. */
  list(): Listed[] {
    if (!existsSync(this.#releases)) return []
    const current = this.currentDigest()
    const listed = readdirSync(this.#releases)
      .filter((name) => DIGEST.test(name))
      .map((digest) => ({ digest, current: digest === current, manifest: this.#manifestOrDamage(digest) }))
    return listed.sort((a, b) => builtAt(b).localeCompare(builtAt(a)) || a.digest.localeCompare(b.digest))
  }

  #manifestOrDamage(digest: string): Listed['manifest'] {
    try {
      return readManifest(this.#directory(digest), digest)
    } catch (error) {
      return { damage: error instanceof Error ? error.message : String(error) }
    }
  }

  /** The same records make the same digest, so a sound release that is already there is kept, and a damaged one replaced. */
  #place(directory: string, digest: string): void {
    const target = this.#directory(digest)
    if (existsSync(target)) {
      if (!('damage' in this.#manifestOrDamage(digest))) return
      renameSync(target, join(this.home, 'building', `damaged-${digest}`))
    }
    renameSync(directory, target)
    syncDirectory(this.#releases)
  }

  #directory(digest: string): string {
    return join(this.#releases, digest)
  }

  get #releases(): string {
    return join(this.home, 'releases')
  }

  get #current(): string {
    return join(this.home, 'current')
  }
}

const builtAt = ({ manifest }: Listed) => ('damage' in manifest ? '' : manifest.built)
