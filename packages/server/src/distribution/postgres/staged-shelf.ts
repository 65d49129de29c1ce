// A home whose changes count only once they are published: until then, servers see neither the current release nor the id registry of it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ReleaseStore } from '../../release/home/release-store.ts'

/**
 * Releases and entities are written to their final places, since nobody reads them before they are current. The files `current` and
 * `id-registry.json` are changed in copies.
 */
export class StagedShelf extends ReleaseStore implements Disposable {
  constructor(home: string) {
    super(home)
    const { currentFile, idRegistryFile } = new ReleaseStore(home)
    // Copies that an interrupted change has left were never published.
    rmSync(this.#directory, { recursive: true, force: true })
    mkdirSync(this.#directory, { recursive: true })
    for (const [from, to] of [
      [currentFile, this.currentFile],
      [idRegistryFile, this.idRegistryFile],
    ] as const)
      if (existsSync(from)) writeFileSync(to, readFileSync(from))
  }

  override get currentFile(): string {
    return join(this.#directory, 'current')
  }

  override get idRegistryFile(): string {
    return join(this.#directory, 'id-registry.json')
  }

  /** The content of both files, for the shelf. */
  get state(): { readonly history: string; readonly idRegistry: string } {
    const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
    return { history: textOf(this.currentFile), idRegistry: textOf(this.idRegistryFile) }
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }

  get #directory(): string {
    return join(this.home, 'staged')
  }
}
