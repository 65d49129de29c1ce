// The releases of a home on disk, which of them is current, and which were before it.
//
//   <home>/current             the digest of the current release, then those that were current before, latest first
//   <home>/releases/<digest>/  the manifest of one release, and its signature where it is signed
//   <home>/entities/<digest>/  the files of one entity, shared by all releases that name it
//   <home>/building/           where entities are made; what a build left behind is removed by the next
//   <home>/id-registry.json    which identifier belongs to which official code
//   <home>/lock                held by a process that changes any of these

import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parsedAs } from '../../base/json-bounds.ts'
import { OperationalError } from '../../base/operational-error.ts'
import {
  discardReplacement,
  renameDurably,
  replaceDurably,
  syncDirectory,
  writeDurably,
} from '../files/durable-file.ts'
import { hasText, readText, readTextSync } from '../files/regular-file.ts'
import { DIGEST, MANIFEST_FILE, MAX_MANIFEST_BYTES, type Manifest, manifestText, outlineOf } from '../manifest.ts'
import { contentOf, DamagedRelease, type Release, type ReleaseDirectories, readRelease } from '../release.ts'
import { KEYS_FILE } from '../signing/key-rotation.ts'
import { SIGNATURE_FILE, type Trust } from '../signing/release-signature.ts'
import { IdRegistry, savedIds } from './id-registry.ts'
import { releaseWithProof, rotationsOf } from './signature-check.ts'
import { verifyEntity } from './verify.ts'

export type Listed = {
  readonly digest: string
  readonly current: boolean
  readonly manifest: Manifest | { readonly unreadable: string }
  /** The bytes that its removal would free: those of entities that no other release names. */
  readonly ownBytes: number
}

const HISTORY_KEPT = 100
const MAX_HISTORY_BYTES = 1 << 16
/** As many identifiers as fit into memory: twenty million. */
const MAX_REGISTRY_BYTES = 1 << 29
const MAX_REGISTRY_VALUES = 1 << 26
const READ_ONLY = 0o444
const RELEASE_FILES: readonly string[] = [MANIFEST_FILE, SIGNATURE_FILE, KEYS_FILE]

export class ReleaseStore implements ReleaseDirectories {
  readonly home: string
  readonly trust: Trust | undefined
  readonly #releases: string
  readonly #entities: string
  readonly #building: string

  /** With `trust`, only releases can be read that are signed as it says. */
  constructor(home: string, trust?: Trust) {
    this.home = home
    this.trust = trust
    this.#releases = join(home, 'releases')
    this.#entities = join(home, 'entities')
    this.#building = join(home, 'building')
  }

  currentDigest(): string | undefined {
    return this.history()[0]
  }

  /** The current release first, then those that were current before. */
  history(): string[] {
    return this.#parsedHistory(readTextSync(this.currentFile, MAX_HISTORY_BYTES))
  }

  /** The history; empty if it cannot be read, so that a release can be found to mend it with. */
  knownHistory(): string[] {
    try {
      return this.history()
    } catch (error) {
      if (error instanceof OperationalError) return []
      throw error
    }
  }

  /** The history, read on another thread: a process that serves never waits for the home. */
  async historyAsync(): Promise<string[]> {
    return this.#parsedHistory(await readText(this.currentFile, MAX_HISTORY_BYTES))
  }

  #parsedHistory(text: string | undefined): string[] {
    const digests = text?.trim().split('\n') ?? []
    if (digests.every((digest) => DIGEST.test(digest))) return digests
    throw new OperationalError(`${this.currentFile} does not hold digests; mend it with nomenclator activate DIGEST`)
  }

  /** A release to be served: what it holds stays readable even if it is removed. */
  open(digest: string): Release {
    return this.read(digest).map()
  }

  /** A release to be read once, or only in part. */
  read(digest: string): Release {
    return releaseWithProof(this, readRelease(this, digest))
  }

  openCurrent(): Release | undefined {
    const digest = this.currentDigest()
    return digest === undefined ? undefined : this.open(digest)
  }

  /** The one release whose digest begins like this. */
  find(prefix: string): string {
    const matches = this.digests().filter((digest) => digest.startsWith(prefix.toLowerCase()))
    const [digest, ...others] = matches
    if (digest !== undefined && others.length === 0) return digest
    if (matches.length > 1)
      throw new OperationalError(`${prefix} is not enough: ${matches.map((one) => one.slice(0, 16)).join(', ')}`)
    throw new OperationalError(`there is no release ${prefix}; nomenclator releases lists those that are there`)
  }

  /** The digests of all releases on disk, in no order. */
  digests(): string[] {
    return existsSync(this.#releases) ? readdirSync(this.#releases).filter((name) => DIGEST.test(name)) : []
  }

  /** The digests of all releases, read on another thread; none if the home cannot be read. */
  async digestsAsync(): Promise<string[]> {
    const names = await readdir(this.#releases).catch(() => [])
    return names.filter((name) => DIGEST.test(name))
  }

  /** All releases, newest first. */
  list(current = this.knownHistory()[0]): Listed[] {
    const releases = this.digests().map((digest) => ({ digest, manifest: this.manifestOrReason(digest) }))
    const uses = new Map<string, number>()
    for (const { manifest } of releases)
      for (const { digest } of entitiesOf(manifest)) uses.set(digest, (uses.get(digest) ?? 0) + 1)
    const ownBytes = (manifest: Listed['manifest']) =>
      entitiesOf(manifest).reduce((sum, { digest, bytes }) => (uses.get(digest) === 1 ? sum + bytes : sum), 0)
    return releases
      .map((one) => ({ ...one, current: one.digest === current, ownBytes: ownBytes(one.manifest) }))
      .sort((a, b) => builtAt(b).localeCompare(builtAt(a)) || a.digest.localeCompare(b.digest))
  }

  /** The manifest of a release, or why it cannot be read. */
  manifestOrReason(digest: string): Listed['manifest'] {
    try {
      return this.read(digest).manifest
    } catch (error) {
      if (!(error instanceof OperationalError)) throw error
      return { unreadable: error.message }
    }
  }

  /** The file with the manifest of a release as it is, also of another version; undefined where there is none. */
  manifestText(digest: string): string | undefined {
    try {
      return contentOf(join(this.releaseDirectory(digest), MANIFEST_FILE))
    } catch (error) {
      if (error instanceof DamagedRelease) return undefined
      throw error
    }
  }

  /** Makes a release current; it must be sound. */
  activate(digest: string): void {
    this.read(digest)
    const before = readTextSync(this.currentFile)?.trim().split('\n') ?? []
    const earlier = before.filter((one) => DIGEST.test(one))
    // Written even if nothing changes: a server that follows it then looks again at a release that was mended.
    this.#setHistory([digest, ...(earlier[0] === digest ? earlier.slice(1) : earlier)].slice(0, HISTORY_KEPT))
  }

  /** Goes back to the release that was current before this one and is still there. */
  rollback(): string {
    const [current, ...before] = this.history()
    const isReadable = (digest: string) => !('unreadable' in this.manifestOrReason(digest))
    const position = before.findIndex((digest) => digest !== current && isReadable(digest))
    const digest = before[position]
    if (digest === undefined)
      throw new OperationalError(
        'there is no earlier release to go back to; nomenclator releases lists those on disk, and nomenclator activate DIGEST makes one of them current',
      )
    this.#setHistory(before.slice(position))
    return digest
  }

  /** An empty directory to build in; whatever an earlier build left is removed. */
  newBuilding(): string {
    this.sweep()
    for (const directory of [this.#releases, this.#entities]) mkdirSync(directory, { recursive: true })
    const directory = join(this.#building, crypto.randomUUID())
    mkdirSync(directory, { recursive: true })
    return directory
  }

  /** Removes what builds that were cut short have left, and entities that no release names. */
  sweep(): void {
    rmSync(this.#building, { recursive: true, force: true })
    const files = this.digests().flatMap((digest) =>
      RELEASE_FILES.map((name) => join(this.releaseDirectory(digest), name)),
    )
    for (const path of [this.currentFile, this.idRegistryFile, ...files]) discardReplacement(path)
    const named = this.#namedEntities()
    if (named === undefined || !existsSync(this.#entities)) return
    for (const digest of readdirSync(this.#entities))
      if (!named.has(digest)) rmSync(this.entityDirectory(digest), { recursive: true, force: true })
  }

  /**
   * Moves an entity from where it was built to where it belongs. The same content has the same digest: what is there
   * already stays, unless it is damaged. Says whether it was.
   */
  async placeEntity(directory: string, digest: string): Promise<'placed' | 'was there' | 'mended'> {
    const target = this.entityDirectory(digest)
    mkdirSync(this.#entities, { recursive: true })
    const isThere = existsSync(target)
    if (isThere) {
      if ((await verifyEntity(target, digest)).length === 0) return 'was there'
      this.#discard(target, `damaged-${digest}`)
    }
    makeReadOnly(directory)
    renameDurably(directory, target)
    return isThere ? 'mended' : 'placed'
  }

  /** Writes the manifest of a release, all of whose entities are in their places. */
  placeRelease(manifest: Manifest): void {
    this.#placeFiles(manifest.digest, { [MANIFEST_FILE]: manifestText(manifest) })
  }

  /** A release that is not there yet appears with all of its files at once. */
  #placeFiles(digest: string, files: Readonly<Record<string, string>>): void {
    const target = this.releaseDirectory(digest)
    const isThere = existsSync(target)
    const directory = isThere ? target : join(this.#building, `release-${digest}`)
    if (!isThere) {
      rmSync(directory, { recursive: true, force: true })
      for (const path of [this.#releases, directory]) mkdirSync(path, { recursive: true })
    }
    for (const [name, text] of Object.entries(files))
      (isThere ? replaceDurably : writeDurably)(join(directory, name), text)
    if (!isThere) syncDirectory(directory)
    makeReadOnly(directory)
    if (!isThere) renameDurably(directory, target)
  }

  /** The content of its signature file; undefined where it is not signed. */
  signatureOf(digest: string): string | undefined {
    return readTextSync(this.#signatureFile(digest))
  }

  /** Keeps the signature of a release that is there, with the rotations of keys that lead to it. */
  placeSignature(digest: string, signature: string, rotations = rotationsOf(this)): void {
    if (rotations !== undefined) replaceDurably(join(this.releaseDirectory(digest), KEYS_FILE), rotations)
    replaceDurably(this.#signatureFile(digest), signature)
    makeReadOnly(this.releaseDirectory(digest))
  }

  /** The files of the directory of a release by name. */
  releaseFiles(digest: string): Record<string, string> {
    const textOf = (name: string) => readTextSync(join(this.releaseDirectory(digest), name), MAX_MANIFEST_BYTES)
    const files = RELEASE_FILES.map((name) => [name, textOf(name)] as const)
    return Object.fromEntries(files.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])))
  }

  hasReleaseFiles(digest: string, files: Readonly<Record<string, string>>): boolean {
    const there = this.releaseFiles(digest)
    const names = Object.keys(files)
    return names.length === Object.keys(there).length && names.every((name) => there[name] === files[name])
  }

  /** Puts the files of a release that comes from another machine in place, all of whose entities are in theirs. */
  placeReleaseFiles(digest: string, files: Readonly<Record<string, string>>): void {
    const unknown = Object.keys(files).find((name) => !RELEASE_FILES.includes(name))
    if (unknown !== undefined)
      throw new DamagedRelease(this.releaseDirectory(digest), `must not have a file ${JSON.stringify(unknown)}`)
    for (const name of RELEASE_FILES)
      if (!(name in files)) rmSync(join(this.releaseDirectory(digest), name), { force: true })
    this.#placeFiles(digest, files)
  }

  /** Takes over which releases are current, and the identifiers, as another machine has them. */
  adopt({ history, idRegistry }: { readonly history: string; readonly idRegistry: string }, touch: boolean): void {
    // The registry first, as an import does it.
    if (idRegistry !== '' && !hasText(this.idRegistryFile, idRegistry)) replaceDurably(this.idRegistryFile, idRegistry)
    // A server that follows it looks again at a release that was replaced under the same digest.
    if (touch || !hasText(this.currentFile, history)) replaceDurably(this.currentFile, history)
  }

  /** Keeps the identifiers that this home gave before it took over those of another. */
  keepOwnIdRegistry(): void {
    const registry = this.idRegistryText()
    if (registry !== undefined) replaceDurably(join(this.home, 'id-registry.own.json'), registry)
  }

  /** Removes a release, and the entities that no other release names. */
  remove(digest: string): void {
    // Gone at once under its name, so that a removal cut short leaves nothing that looks like a release.
    this.#discard(this.releaseDirectory(digest), `removed-${digest}`)
    // For good before its entities go, or a power cut could bring it back without them.
    syncDirectory(this.#releases)
    this.sweep()
  }

  /** The file with the id registry as it is; undefined where there is none. */
  idRegistryText(): string | undefined {
    return readTextSync(this.idRegistryFile, MAX_REGISTRY_BYTES)
  }

  loadIdRegistry(): IdRegistry {
    const saved = this.idRegistryText()
    if (saved === undefined) return new IdRegistry()
    const parsed = parsedAs(savedIds, saved, MAX_REGISTRY_VALUES)
    if ('value' in parsed) return new IdRegistry(parsed.value)
    throw new OperationalError(
      `${this.idRegistryFile} is damaged (it ${parsed.wrong}): it says which identifier belongs to which code. Restore it ` +
        'from a backup; without it, identifiers that were published could be given to other records.',
    )
  }

  /** The digest of the id registry as signatures name it; undefined where there is none. */
  idRegistryDigest(): string | undefined {
    const text = this.idRegistryText()
    return text === undefined ? undefined : new Bun.CryptoHasher('sha256').update(text).digest('hex')
  }

  saveIdRegistry(registry: IdRegistry): void {
    replaceDurably(this.idRegistryFile, `${JSON.stringify(registry.save())}\n`)
  }

  releaseDirectory = (digest: string): string => join(this.#releases, digest)

  entityDirectory = (digest: string): string => join(this.#entities, digest)

  get idRegistryFile(): string {
    return join(this.home, 'id-registry.json')
  }

  get currentFile(): string {
    return join(this.home, 'current')
  }

  #setHistory(digests: readonly string[]): void {
    replaceDurably(this.currentFile, `${digests.join('\n')}\n`)
  }

  /** The digests of all entities that a release names; undefined where a release does not say which it names. */
  #namedEntities(): Set<string> | undefined {
    const named = new Set<string>()
    for (const release of this.digests()) {
      const { entities } = outlineOf(this.manifestText(release))
      if (entities === undefined) return undefined
      for (const { digest } of Object.values(entities)) if (digest !== undefined) named.add(digest)
    }
    return named
  }

  #signatureFile = (digest: string): string => join(this.releaseDirectory(digest), SIGNATURE_FILE)

  #discard(path: string, name: string): void {
    mkdirSync(this.#building, { recursive: true })
    const discarded = join(this.#building, name)
    rmSync(discarded, { recursive: true, force: true })
    renameSync(path, discarded)
    rmSync(discarded, { recursive: true, force: true })
  }
}

/** Placed files are never written to again. The directory stays as it is, so that it can be removed. */
function makeReadOnly(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isFile()) chmodSync(path, statSync(path).mode & READ_ONLY)
  }
}

const entitiesOf = (manifest: Listed['manifest']) =>
  'unreadable' in manifest ? [] : Object.values(manifest.entities ?? {})

const builtAt = ({ manifest }: Pick<Listed, 'manifest'>) => ('unreadable' in manifest ? '' : manifest.built)
