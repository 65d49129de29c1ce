// PgBouncer in front of the PostgreSQL of a test; where it is not installed, what stands in for it.
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/free-port.ts'
import type { TestPostgres } from './postgres.ts'
import { TestDirectory } from './releases.ts'
import { eventually } from './service.ts'
import { TransactionPool } from './transaction-pool.ts'

export class PgBouncer implements AsyncDisposable {
  readonly port: number
  readonly #stack: AsyncDisposableStack

  private constructor(port: number, stack: AsyncDisposableStack) {
    this.port = port
    this.#stack = stack
  }

  /** Its users have the password of the test. */
  static async inTransactionMode(postgres: TestPostgres, database: string): Promise<PgBouncer> {
    const stack = new AsyncDisposableStack()
    if (Bun.which('pgbouncer') === null)
      return new PgBouncer(stack.use(await TransactionPool.to(postgres.port)).port, stack)
    const { path } = stack.use(new TestDirectory())
    chmodSync(path, 0o755)
    const port = freePort()
    const [settings, users] = [join(path, 'pgbouncer.ini'), join(path, 'users')]
    writeFileSync(users, `"publisher" "${postgres.password}"\n`)
    writeFileSync(
      settings,
      `[databases]
${database} = host=127.0.0.1 port=${postgres.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
`,
    )
    // PgBouncer refuses to run as root.
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
    const child = Bun.spawn(['pgbouncer', '-q', ...user, settings], { stdio: ['ignore', 'ignore', 'ignore'] })
    stack.defer(async () => {
      child.kill()
      await child.exited
    })
    await eventually('PgBouncer listens', () =>
      Bun.connect({ hostname: '127.0.0.1', port, socket: { data: () => {} } }).then(
        (socket) => {
          socket.end()
          return true
        },
        () => false,
      ),
    )
    return new PgBouncer(port, stack)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}
