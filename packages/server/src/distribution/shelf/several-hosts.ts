// A shelf on several hosts: all of them are polled, and a missing or damaged part is read from the next host.

import { JitteredBackoff } from '../../base/jittered-backoff.ts'
import { sha256 } from './chunks.ts'
import type { ShelvedEntity } from './layout.ts'
import { type HostPointer, type Listing, type Pointer, stateName } from './pointer.ts'
import { ShelfAway, ShelfRefused } from './shelf-failures.ts'
import type { FollowedShelf, OpenHost, OpenShelf, PackedChunk, ShelfHost } from './shelf-reader.ts'

type NamedHost = { readonly name: string; readonly open: OpenHost }

/** Opens a shelf on these hosts; at least one must respond. */
export const openHosts =
  (hosts: readonly NamedHost[]): OpenShelf =>
  async (report, onUpdate) => {
    const shelf = new SeveralHosts(hosts, onUpdate)
    try {
      await shelf.pointers(report)
      return shelf
    } catch (error) {
      await shelf[Symbol.asyncDispose]()
      throw error
    }
  }

/** The time that the other hosts get once one has responded. */
const OTHERS_MILLISECONDS = 1_000
const REOPEN = { first: 1_000, max: 30_000 }

class SeveralHosts implements FollowedShelf {
  readonly #hosts: readonly Host[]
  readonly #closed = Promise.withResolvers<void>()
  /** The hosts that have responded, the newest state first. */
  #found: readonly { readonly host: Host; readonly pointer: HostPointer }[] = []

  constructor(hosts: readonly NamedHost[], onUpdate: () => void) {
    this.#hosts = hosts.map((host) => new Host(host, onUpdate, this.#closed.resolve))
  }

  get attempts(): number {
    return this.#found.length
  }

  get pollMilliseconds(): number {
    return Math.min(...this.#found.flatMap(({ host }) => host.opened?.pollMilliseconds ?? []))
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  async pointers(report: string): Promise<readonly HostPointer[]> {
    const failures: unknown[] = []
    const found: { readonly host: Host; readonly pointer: HostPointer }[] = []
    const one = Promise.withResolvers<void>()
    const polls = this.#hosts.map(async (host) => {
      try {
        found.push({ host, pointer: { ...(await host.pointer(report)), host: host.name } })
        one.resolve()
      } catch (error) {
        failures.push(error)
      }
    })
    const all = Promise.all(polls)
    await Promise.race([all, one.promise.then(() => Promise.race([all, Bun.sleep(OTHERS_MILLISECONDS)]))])
    if (found.length === 0) throw failures.find((error) => error instanceof ShelfRefused) ?? failures[0]
    this.#found = found.toSorted((a, b) => b.pointer.generation - a.pointer.generation)
    return this.#found.map(({ pointer }) => pointer)
  }

  listing(state?: Pointer): Promise<Listing> {
    const wanted = state ?? this.#found[0]?.pointer
    return this.#first(
      (host) => host.listing(),
      this.#found.filter(({ pointer }) => wanted && stateName(pointer) === stateName(wanted)).map(({ host }) => host),
    ) as Promise<Listing>
  }

  entity(digest: string): Promise<ShelvedEntity | undefined> {
    return this.#first(async (host) => {
      const entity = await host.entity(digest)
      return entity !== undefined && sha256(entity.manifest) === digest ? entity : undefined
    })
  }

  async *chunks(entity: string, digests: readonly string[], attempt = 0): AsyncGenerator<PackedChunk> {
    const missing = new Set(digests)
    const hosts = this.#found.map(({ host }) => host)
    let failure: unknown
    for (const { opened } of [...hosts.slice(attempt), ...hosts.slice(0, attempt)]) {
      if (missing.size === 0 || opened === undefined) continue
      try {
        for await (const chunk of opened.chunks(entity, [...missing])) {
          missing.delete(chunk[0])
          yield chunk
        }
      } catch (error) {
        failure = error
      }
    }
    if (missing.size > 0 && failure !== undefined) throw failure
  }

  async awaits(digest: string): Promise<boolean> {
    const all = await Promise.all(this.#found.map(({ host }) => host.opened?.awaits?.(digest)))
    return all.includes(true)
  }

  /** Returns what the first host has; throws only if no host has responded. */
  async #first<T>(
    read: (host: ShelfHost) => Promise<T | undefined>,
    hosts = this.#found.map(({ host }) => host),
  ): Promise<T | undefined> {
    const failures: unknown[] = []
    const opened = hosts.flatMap((host) => host.opened ?? [])
    for (const host of opened) {
      try {
        const value = await read(host)
        if (value !== undefined) return value
      } catch (error) {
        failures.push(error)
      }
    }
    if (opened.length === failures.length) throw failures[0] ?? new ShelfAway('no host of the shelf responds')
    return undefined
  }

  destroy(): void {
    for (const host of this.#hosts) host.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#hosts.map(({ opened }) => opened?.[Symbol.asyncDispose]()))
    this.destroy()
  }
}

/** One of the hosts, which is opened again after its connection was lost. */
class Host {
  readonly name: string
  opened: ShelfHost | undefined
  readonly #open: (report: string) => Promise<ShelfHost>
  readonly #onClosed: () => void
  readonly #backoff = new JitteredBackoff(REOPEN.first, REOPEN.max)
  #opening: Promise<ShelfHost> | undefined
  #notBefore = 0
  #failure: unknown
  #isDestroyed = false

  constructor({ name, open }: NamedHost, onUpdate: () => void, onClosed: () => void) {
    this.name = name
    this.#open = (report) => open(report, onUpdate)
    this.#onClosed = onClosed
  }

  async pointer(report: string): Promise<Pointer> {
    if (this.#isDestroyed || (this.#opening === undefined && performance.now() < this.#notBefore)) throw this.#failure
    this.#opening ??= this.#open(report)
    const opening = this.#opening
    try {
      const shelf = await opening
      if (this.#isDestroyed) shelf.destroy()
      if (this.opened === undefined) void shelf.closed.then(this.#onClosed)
      this.opened = shelf
      const pointer = await shelf.pointer(report)
      this.#backoff.reset()
      return pointer
    } catch (error) {
      if (this.#opening === opening) {
        this.#failure = error
        this.#notBefore = performance.now() + this.#backoff.next()
        this.opened?.destroy()
        this.opened = undefined
        this.#opening = undefined
      }
      throw error
    }
  }

  destroy(): void {
    this.#isDestroyed = true
    this.#failure ??= new ShelfAway(`the connection with ${this.name} was closed`)
    this.opened?.destroy()
  }
}
