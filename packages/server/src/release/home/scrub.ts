// The scrub: reads all releases again in the background, slowly, and reports damage.
//
// It reads on other threads: the supervisor, in which it runs, must not wait for a disk that does not respond.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../base/log.ts'
import { messageOf, OperationalError } from '../../base/operational-error.ts'
import { openFile } from '../files/regular-file.ts'
import { DamagedRelease, readManifest } from '../release.ts'
import type { ReleaseStore } from './release-store.ts'
import type { Damage } from './release-to-serve.ts'
import { touchFiles, touchRelease } from './touch-files.ts'
import { verifyEntity } from './verify.ts'

/** The result of the scrubs so far, as plain JSON: it goes from process to process. */
export type ScrubState = {
  /** Faults by the digest of an entity or of a release. */
  readonly damage: Readonly<Record<string, string>>
  /** True if the last scrub found everything sound; undefined before the first has ended. */
  readonly sound?: boolean
  /** When it ended, in seconds since 1970; 0 before. */
  readonly ended: number
}

export const notScrubbed: ScrubState = { damage: {}, ended: 0 }

export const damageIn = ({ damage }: ScrubState): Damage => new Map(Object.entries(damage))

const MAX_SHOWN = 5

/** The damage in words for an operator, some of it where there is much. */
export function damageWords({ damage }: ScrubState): readonly string[] {
  const all = Object.values(damage)
  const more =
    all.length > MAX_SHOWN ? [`${all.length - MAX_SHOWN} more are damaged; see nomenclator releases verify`] : []
  return [...all.slice(0, MAX_SHOWN), ...more]
}

type ScrubOptions = {
  readonly store: ReleaseStore
  readonly log: Log
  /** Called whenever the state is another. */
  readonly onChange: (state: ScrubState) => void
  /** Reads what is kept beside the releases, and reports the damage itself. */
  readonly besides?: (sha256: (path: string, bytes: number) => Promise<string>) => Promise<void>
  /** Waits after so many milliseconds of work. */
  readonly rest?: (worked: number) => Promise<void>
}

const SLICE = 1 << 19
/** A slice of work is followed by this many times as much rest: less than half a percent of a core is used. */
const REST = 250
/** The shortest rest. Work that is not measured, such as opening a file, takes less than half a percent of it. */
const MIN_REST_MILLISECONDS = 40
const RECHECK_MILLISECONDS = 1_000
const HOUR_MILLISECONDS = 3_600_000

/** Something damaged: what is wrong, how its files looked then, and how to find out whether it still is. */
type Found = { readonly message: string; readonly files: string; readonly verify: () => Promise<void> }

export class Scrub implements Disposable {
  readonly #options: ScrubOptions
  readonly #damage = new Map<string, Found>()
  readonly #timers: ReturnType<typeof setInterval>[] = []
  #sound: boolean | undefined
  #ended = 0
  #running: Promise<void> | undefined
  /** The fastest slice so far, in milliseconds. */
  #fastestSlice = Number.POSITIVE_INFINITY
  #isRechecking = false
  #isStopped = false

  constructor(options: ScrubOptions) {
    this.#options = options
    // A release that was mended is served again soon, and not only after the next scrub.
    this.#timers.push(setInterval(() => void this.#recheck(), RECHECK_MILLISECONDS))
  }

  get state(): ScrubState {
    const damage = Object.fromEntries([...this.#damage].map(([digest, { message }]) => [digest, message]))
    return { damage, ended: this.#ended, ...(this.#sound === undefined ? {} : { sound: this.#sound }) }
  }

  /** Scrubs at once, and then every so many hours. */
  start(hours: number): void {
    void this.run()
    this.#timers.push(setInterval(() => void this.run(), hours * HOUR_MILLISECONDS))
  }

  /** Scrubs everything once, the current release first. While one scrub runs, no other begins. */
  run(): Promise<void> {
    this.#running ??= this.#scrubAll()
      .catch((error: unknown) => {
        const message = `The scrub was cut short: ${messageOf(error)}. The next one begins from the start.`
        this.#options.log({ level: 'error', event: 'scrub-failed', message })
      })
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  /** Verifies the current release as fast as it can be read, because what serves it has crashed or failed. */
  async verifyCurrent(): Promise<void> {
    const [digest] = await this.#history()
    if (digest === undefined) return
    await touchRelease(this.#options.store, digest)
    // Damage that shows without reading the contents is found by every process that opens the release.
    if ('unreadable' in this.#options.store.manifestOrReason(digest)) return
    for (const entity of await this.#entitiesOf(digest)) await this.#verifyEntity(entity)
  }

  [Symbol.dispose](): void {
    this.#isStopped = true
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #scrubAll(): Promise<void> {
    const { store, log } = this.#options
    const entities = new Set<string>()
    for (const release of new Set([...(await this.#history()), ...(await store.digestsAsync())])) {
      for (const digest of await this.#entitiesOf(release)) {
        if (entities.has(digest) || this.#isStopped) continue
        entities.add(digest)
        await this.#verifyEntity(digest, { sha256: (path) => this.#sha256Slowly(path) })
      }
    }
    await this.#options.besides?.((path, bytes) => this.#sha256Slowly(path, bytes))
    // A home that cannot be reached is neither sound nor damaged.
    if (this.#isStopped || !(await exists(store.currentFile))) return
    const damaged = this.#damage.size
    this.#sound = damaged === 0
    this.#ended = Math.floor(Date.now() / 1_000)
    const outcome = this.#sound
      ? 'everything is sound'
      : `${damaged} ${damaged === 1 ? 'is' : 'are'} damaged, see the messages before`
    const message = `Read ${entities.size} entities of all releases again: ${outcome}.`
    log({ level: this.#sound ? 'info' : 'error', event: 'scrub-ended', message, damaged })
    this.#options.onChange(this.state)
  }

  /** The releases on disk, the current one first. */
  async #history(): Promise<string[]> {
    const { store } = this.#options
    const there = new Set(await store.digestsAsync())
    const history = await store.historyAsync().catch(() => [])
    return history.filter((digest) => there.has(digest))
  }

  /** The entities of a release; none where its manifest is damaged, or of another version of the program. */
  async #entitiesOf(digest: string): Promise<string[]> {
    const directory = this.#options.store.releaseDirectory(digest)
    const files = await filesIn(directory)
    await touchFiles(directory)
    try {
      const { entities } = readManifest(directory, digest)
      this.#sounds(digest)
      return Object.values(entities).map((entity) => entity.digest)
    } catch (error) {
      const verify = async () => void (await this.#entitiesOf(digest))
      if (error instanceof DamagedRelease && (await exists(directory)))
        this.#found(digest, { message: error.message, files, verify })
      else if (!(error instanceof OperationalError)) throw error
      return []
    }
  }

  async #verifyEntity(digest: string, options: Parameters<typeof verifyEntity>[2] = {}): Promise<void> {
    const directory = this.#options.store.entityDirectory(digest)
    const files = await filesIn(directory)
    await touchFiles(directory)
    const [wrong] = await verifyEntity(directory, digest, options)
    if (this.#isStopped) return
    if (wrong === undefined) this.#sounds(digest)
    // Else it was removed with its release, or is out of reach with the whole home.
    else if (await exists(directory))
      this.#found(digest, { message: wrong.message, files, verify: () => this.#verifyEntity(digest) })
  }

  #found(digest: string, found: Found): void {
    const known = this.#damage.get(digest)
    this.#damage.set(digest, found)
    if (known?.message === found.message) return
    this.#sound = false
    this.#options.log({ level: 'error', event: 'damage-found', message: `DAMAGE FOUND: ${found.message}`, digest })
    this.#options.onChange(this.state)
  }

  #sounds(digest: string): void {
    const known = this.#damage.get(digest)
    if (known === undefined) return
    this.#damage.delete(digest)
    if (this.#damage.size === 0) this.#sound = true
    const message = `Mended or removed, what was damaged: ${known.message}`
    this.#options.log({ level: 'info', event: 'damage-mended', message, digest })
    this.#options.onChange(this.state)
  }

  /** Verifies damaged entities and releases again once their files have changed. */
  async #recheck(): Promise<void> {
    const { store } = this.#options
    if (this.#isRechecking || this.#damage.size === 0) return
    this.#isRechecking = true
    try {
      if (!(await exists(store.currentFile))) return
      for (const [digest, { files, verify }] of [...this.#damage]) {
        const isEntity = await exists(store.entityDirectory(digest))
        const directory = isEntity ? store.entityDirectory(digest) : store.releaseDirectory(digest)
        if (!isEntity && !(await exists(directory))) this.#sounds(digest)
        else if ((await filesIn(directory)) !== files) await verify()
      }
    } catch {
      // A file that cannot be read now is tried again later.
    } finally {
      this.#isRechecking = false
    }
  }

  /** The digest of a file, or of so many bytes at its beginning. */
  async #sha256Slowly(path: string, bytes = Number.POSITIVE_INFINITY): Promise<string> {
    const { rest = restAfter } = this.#options
    const hasher = new Bun.CryptoHasher('sha256')
    const buffer = new Uint8Array(SLICE)
    await using file = await openFile(path)
    for (let left = bytes; ; left -= SLICE) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(SLICE, left), null)
      const started = performance.now()
      hasher.update(buffer.subarray(0, bytesRead))
      const worked = performance.now() - started
      // A slice takes longer while others use the processor, but costs the same, so the fastest one counts.
      if (bytesRead === SLICE) this.#fastestSlice = Math.min(this.#fastestSlice, worked)
      await rest(Math.min(worked, this.#fastestSlice))
      if (bytesRead < SLICE || left === SLICE || this.#isStopped) return hasher.digest('hex')
    }
  }
}

const restAfter = (worked: number) => Bun.sleep(Math.max(worked * REST, MIN_REST_MILLISECONDS))

/** A text that changes when the files of a directory change, made without reading them. */
async function filesIn(directory: string): Promise<string> {
  const lines: string[] = []
  try {
    for (const name of await readdir(directory)) {
      const { ino, size, ctimeMs } = await stat(join(directory, name))
      lines.push(`${name} ${ino} ${size} ${ctimeMs}`)
    }
    return lines.join('\n')
  } catch {
    return ''
  }
}

const exists = (path: string): Promise<boolean> => stat(path).then(Boolean, () => false)
