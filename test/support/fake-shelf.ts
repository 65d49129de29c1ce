// A shared shelf without PostgreSQL: the tables hold what a home has, a test changes them, and a reader reads them.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pack } from '../../packages/server/src/base/zstd.ts'
import { chunksOf, sha256 } from '../../packages/server/src/distribution/shelf/chunks.ts'
import { entityOf, listingOf } from '../../packages/server/src/distribution/shelf/layout.ts'
import type { ReleaseFiles } from '../../packages/server/src/distribution/shelf/pointer.ts'
import type { ShelfReader } from '../../packages/server/src/distribution/shelf/shelf-reader.ts'
import type { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { travelName } from '../../packages/server/src/release/index/delta-form.ts'
import {
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  MANIFEST_FILE,
  type Manifest,
  manifestText,
  releasedEntity,
} from '../../packages/server/src/release/manifest.ts'
import { TestDirectory } from './releases.ts'

type EntityChunk = { readonly entity: string; readonly file: string; readonly start: number; readonly chunk: string }
type PackedChunk = { readonly size: number; readonly packed: Uint8Array }

export class FakeShelf {
  generation = 1
  change = 'first'
  chain: readonly string[] = []
  history = ''
  idRegistry = ''
  releases = new Map<string, ReleaseFiles>()
  /** Manifests by the digest of the entity. */
  entities = new Map<string, string>()
  entityChunks: EntityChunk[] = []
  chunks = new Map<string, PackedChunk>()
  /** Chunks that are not sent. */
  readonly withheld = new Set<string>()

  /** Everything that a home has. */
  static async of(home: ReleaseStore): Promise<FakeShelf> {
    const fake = new FakeShelf()
    fake.history = readFileSync(home.currentFile, 'utf8')
    fake.idRegistry = readFileSync(home.idRegistryFile, 'utf8')
    for (const digest of home.digests()) {
      fake.releases.set(digest, home.releaseFiles(digest))
      for (const entity of Object.values(home.read(digest).manifest.entities)) await fake.#add(home, entity.digest)
    }
    return fake
  }

  /** Another shelf with the same content. */
  copy(): FakeShelf {
    const { generation, change, chain, history, idRegistry } = this
    const [releases, entities, chunks] = [new Map(this.releases), new Map(this.entities), new Map(this.chunks)]
    const entityChunks = [...this.entityChunks]
    return Object.assign(new FakeShelf(), {
      ...{ generation, change, chain, history, idRegistry },
      ...{ releases, entities, entityChunks, chunks },
    })
  }

  async #add(home: ReleaseStore, entity: string): Promise<void> {
    if (this.entities.has(entity)) return
    const directory = home.entityDirectory(entity)
    const manifest = readFileSync(join(directory, ENTITY_MANIFEST_FILE), 'utf8')
    this.entities.set(entity, manifest)
    for (const file of Object.keys((JSON.parse(manifest) as EntityManifest).files))
      await this.#addFile(directory, entity, file)
  }

  async #addFile(directory: string, entity: string, file: string): Promise<void> {
    for (const { digest: chunk, file: name, start, size, bytes } of chunksOf(directory, file)) {
      this.entityChunks.push({ entity, file: name, start, chunk })
      this.chunks.set(chunk, { size, packed: await pack(new Uint8Array(bytes)) })
    }
  }

  /** Cuts the files of an entity, in the form in which they travel, into chunks of `size` bytes. */
  async cut(home: ReleaseStore, entity: string, size: number): Promise<void> {
    this.entityChunks = this.entityChunks.filter((one) => one.entity !== entity)
    const { files } = JSON.parse(this.entities.get(entity) ?? '') as EntityManifest
    for (const file of Object.keys(files)) {
      const pieces = chunksOf(home.entityDirectory(entity), file).map(({ bytes }) => Buffer.from(bytes))
      const bytes = Buffer.concat([...pieces])
      for (let start = 0; start < bytes.length; start += size) {
        const piece = bytes.subarray(start, start + size)
        const chunk = sha256(piece)
        this.entityChunks.push({ entity, file: travelName(file), start, chunk })
        this.chunks.set(chunk, { size: piece.length, packed: await pack(piece) })
      }
    }
  }

  /** Changes the manifest of a release, which keeps its place. */
  changeRelease(digest: string, change: (manifest: Manifest) => object): void {
    const manifest: Manifest = JSON.parse(this.releases.get(digest)?.[MANIFEST_FILE] ?? '')
    this.releases.set(digest, {
      ...this.releases.get(digest),
      [MANIFEST_FILE]: manifestText(change(manifest) as Manifest),
    })
  }

  /** Replaces a file of an entity of a release, as anyone who can write to the shelf could: every digest fits. */
  async forgeFile(
    release: string,
    name: string,
    file: keyof EntityManifest['files'],
    bytes: Uint8Array,
  ): Promise<void> {
    const summary = { size: bytes.length, sha256: sha256(bytes) }
    const { digest } = this.forgeEntity(release, name, (manifest) => ({
      ...manifest,
      files: { ...manifest.files, [file]: summary },
    }))
    this.entityChunks = this.entityChunks.filter((one) => one.entity !== digest || one.file !== travelName(file))
    using directory = new TestDirectory()
    writeFileSync(join(directory.path, file), bytes)
    await this.#addFile(directory.path, digest, file)
  }

  /** Puts an entity of a release beside itself with another manifest, and lets the release name that one. */
  forgeEntity(
    release: string,
    name: string,
    change: (manifest: EntityManifest) => EntityManifest,
  ): { readonly digest: string } {
    let digest = ''
    this.changeRelease(release, (manifest) => {
      const released = manifest.entities[name] as Manifest['entities'][string]
      const forged = change(JSON.parse(this.entities.get(released.digest) ?? ''))
      digest = releasedEntity(forged).digest
      this.entities.set(digest, manifestText(forged))
      const chunks = this.entityChunks.filter(({ entity }) => entity === released.digest)
      this.entityChunks.push(...chunks.map((chunk) => ({ ...chunk, entity: digest })))
      const { collection, bytes } = releasedEntity(forged)
      return { ...manifest, entities: { ...manifest.entities, [name]: { ...released, digest, collection, bytes } } }
    })
    return { digest }
  }

  /** Reads the shelf; `onDownload` is called for each chunk. */
  reader(onDownload: (chunk: string) => void = () => {}): ShelfReader {
    const { chunks, withheld, entityChunks, generation, change, chain, history, idRegistry, releases } = this
    return {
      listing: async () =>
        listingOf({ history, idRegistry, releases: Object.fromEntries(releases) }, { generation, change, chain }),
      entity: async (digest) => {
        const manifest = this.entities.get(digest)
        const own = entityChunks.filter(({ entity }) => entity === digest)
        return manifest === undefined
          ? undefined
          : entityOf({
              manifest,
              chunks: own.map(({ file, start, chunk }) => ({
                ...{ file, start, digest: chunk },
                size: chunks.get(chunk)?.size ?? 0,
              })),
            })
      },
      chunks: async function* (_, digests) {
        for (const digest of digests) {
          const chunk = chunks.get(digest)
          if (chunk === undefined || withheld.has(digest)) continue
          onDownload(digest)
          yield [digest, chunk.packed]
        }
      },
    }
  }
}
