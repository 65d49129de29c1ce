// What a fleet that is tried is made of: catalogs, what their pages are, nodes, and nginx in front of them.
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/free-port.ts'
import { type Ran, ran } from '../support/command.ts'
import { PROGRAM, sourceIn, TestDirectory, TestHome } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { eventually, Service } from '../support/service.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { fingerprintOf } from './traffic.ts'

export const ROOT = join(import.meta.dir, '..', '..')
const PAGES = ['1', '2', '7']
const ASKING_MILLISECONDS = 2_000
/** Everything runs on one machine, and a node that could not reach its shelf may wait before it tries again. */
const PATIENCE_MILLISECONDS = 120_000

/** Small catalogs differ in one audience; large ones in the name of a state, which is in every locality of it. */
export const SMALL = ['one', 'two', 'three', 'four'] as const
export const LARGE = ['Alfa', 'Beta'] as const
export type Name = (typeof SMALL)[number] | (typeof LARGE)[number]

export type Random = () => number

/** The same numbers for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export const pick = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T

/** The bundled data with one change, as a directory to import. */
function writeCatalog(directory: string, name: Name): string {
  const to = join(directory, name)
  cpSync(join(ROOT, 'data'), to, {
    recursive: true,
    filter: (path) => path === join(ROOT, 'data') || /\/data\/[^/]+\.csv$/.test(path),
  })
  const isSmall = (SMALL as readonly string[]).includes(name)
  const file = join(to, isSmall ? 'audiencia.csv' : 'estado.csv')
  const [head = '', first = '', ...rest] = readFileSync(file, 'utf8').split('\n')
  const column = head.split(',').indexOf(isSmall ? 'descCorta' : 'descEstado')
  const fields = first.split(',')
  fields[column] = `${fields[column]} ${name}`
  writeFileSync(file, [head, fields.join(','), ...rest].join('\n'))
  return to
}

/** The directories of all catalogs, by name. */
export type Catalogs = ReadonlyMap<Name, string>

export const catalogsIn = (directory: string): Catalogs =>
  new Map([...SMALL, ...LARGE].map((name) => [name, writeCatalog(directory, name)]))

/** All catalogs as releases, what each page of each of them is, and what it may be in any. */
export async function modelOf(directories: Catalogs) {
  using home = new TestHome()
  const digests = new Map<string, Name>()
  /** By release and target. */
  const truth = new Map<string, Map<string, string>>()
  for (const [name, directory] of directories) {
    const { digest } = await home.import(await sourceIn(directory), { acceptChanges: true })
    digests.set(digest, name)
    const pages = new Map<string, string>()
    truth.set(digest, pages)
    const release = home.store.open(digest)
    const server = serverOf(() => release)
    for (const path of [...release.catalog.collections.keys()].map((plural) => `/api/v1/${plural}`))
      for (const page of PAGES) {
        const target = `${path}?page=${page}`
        const fingerprint = await pageAt(server.url + target)
        if (fingerprint !== undefined) pages.set(target, fingerprint)
      }
    await server.close()
  }
  const all = [...truth.values()]
  const targets = [...(all[0]?.keys() ?? [])].filter((target) => all.every((pages) => pages.has(target)))
  const versions = Object.fromEntries(
    targets.map((target) => [target, [...new Set(all.map((pages) => pages.get(target) as string))]]),
  )
  return { digests, truth, versions }
}

export type Model = Awaited<ReturnType<typeof modelOf>>

/** The fingerprint of a page; undefined where it is none. */
export async function pageAt(url: string): Promise<string | undefined> {
  const response = await fetch(url)
  const bytes = await response.bytes()
  return response.status === 200 ? fingerprintOf(200, (name) => response.headers.get(name), bytes) : undefined
}

type Told = { readonly release: string | null; readonly shelf?: { readonly trouble: { readonly kind: string } | null } }

type NodeOptions = {
  /** The port of its shelf, which it reaches through a proxy. */
  readonly to: number
  /** The address of the shelf at the port of the proxy. */
  readonly shelf: (port: number) => string
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export class FleetNode implements AsyncDisposable {
  readonly home = new TestDirectory()
  readonly port = freePort()
  readonly admin = freePort()
  readonly proxy: TcpProxy
  readonly #options: NodeOptions
  #service: Service | undefined
  /** All that it has logged. */
  log = ''

  private constructor(proxy: TcpProxy, options: NodeOptions) {
    this.proxy = proxy
    this.#options = options
  }

  static async create(options: NodeOptions): Promise<FleetNode> {
    const node = new FleetNode(await TcpProxy.to(options.to), options)
    await node.start()
    return node
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const { shelf, flags = [], env } = this.#options
    const ports = ['--port', String(this.port), '--admin', String(this.admin)]
    this.#service = await Service.serving({
      flags: ['--home', this.home.path, '--workers', '2', ...ports, ...flags],
      env: { ...env, NOMENCLATOR_SHELF: shelf(this.proxy.port) },
      patienceMilliseconds: PATIENCE_MILLISECONDS,
    })
  }

  /** The supervisor and its workers, as if the machine lost its power. */
  async kill(): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]()
    this.log += `${this.#service?.said.out}${this.#service?.said.err}`
  }

  get isFetching(): boolean {
    return existsSync(join(this.home.path, 'fetching'))
  }

  /** What it tells operators; undefined where it does not respond. */
  async asked<T>(path: string): Promise<T | undefined> {
    try {
      const signal = AbortSignal.timeout(ASKING_MILLISECONDS)
      return (await (await fetch(`http://127.0.0.1:${this.admin}${path}`, { signal })).json()) as T
    } catch {
      return undefined
    }
  }

  told = () => this.asked<Told>('/release')

  serves = (digest: string) =>
    eventually(
      `node ${this.port} serves ${digest.slice(0, 12)}`,
      async () => (await this.told())?.release === digest,
      PATIENCE_MILLISECONDS,
    )

  inTrouble = (kind: string | undefined) =>
    eventually(
      `the trouble of node ${this.port} is ${kind}`,
      async () => ((await this.told())?.shelf?.trouble?.kind ?? undefined) === kind,
      PATIENCE_MILLISECONDS,
    )

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await this.proxy[Symbol.asyncDispose]()
    this.home[Symbol.dispose]()
  }
}

/** As in deploy/nginx.conf. */
export const inFrontOf = (port: number, nodes: readonly FleetNode[]): string =>
  `upstream nodes { ${nodes.map((node) => `server 127.0.0.1:${node.port} max_fails=0;`).join(' ')} keepalive 16; }
server {
  listen 127.0.0.1:${port};
  location / {
    proxy_pass http://nodes; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_connect_timeout 1s;
    proxy_next_upstream error timeout http_503; proxy_next_upstream_tries 3;
  }
}
`

export const command = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  ran([...PROGRAM, ...argv], { env })

export const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(2)} s`
