// npm run bench:shelf: the cost of a shelf in PostgreSQL at the size of the contract, into bench/results/shelf.md.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../packages/server/src/cli/run.ts'
import { parseShelfAddress, type ShelfAddress } from '../packages/server/src/distribution/postgres/address.ts'
import { openPgShelf } from '../packages/server/src/distribution/postgres/pg-shelf.ts'
import { ShelfFollower } from '../packages/server/src/distribution/shelf/follower.ts'
import { ReleaseStore } from '../packages/server/src/release/home/release-store.ts'
import { TestPostgres } from '../test/support/postgres.ts'
import { TestDirectory, TestHome, ThreeReleases, writeTables } from '../test/support/releases.ts'
import { eventually } from '../test/support/service.ts'
import { TcpProxy } from '../test/support/tcp-proxy.ts'
import { megabytes } from './report.ts'
import { ChangingCatalog, command, conditions, ShelfNode, seconds, Watch } from './shelf-node.ts'

const OUT = join(import.meta.dir, 'results', 'shelf.md')
const TITLE = '# What the shelf in PostgreSQL costs'
const ABOUT =
  'Written by `npm run bench:shelf`; do not edit. [scaling.md](../../docs/scaling.md#what-it-costs) says what it means.'
const DATABASE = 'shelf'
const NODES = 3
const MANY = 100
const AWAY_MILLISECONDS = 15_000
const SLOT_MILLISECONDS = 100
const YEARS = 10
const WATCH_MILLISECONDS = 20
const SLOW_BYTES = 12.5e6

const log = (line: string) => console.error(`bench shelf: ${line}`)

/** Many nodes in one process, of a small catalog: how a notification and a return of PostgreSQL reach all of them. */
async function many(postgres: TestPostgres) {
  const database = 'many'
  await postgres.createDatabase(database)
  const url = postgres.url(database)
  using publisher = new TestHome()
  using room = new TestDirectory()
  const here = async (...argv: readonly string[]) => {
    const code = await run(
      [...argv, '--shelf', url],
      {},
      { out: () => {}, err: () => {}, data: () => {}, interactive: false },
    )
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}`)
  }
  const publish = async (name: string) => {
    const directory = writeTables(join(room.path, name), ThreeReleases.rows(name))
    await here('import', 'package', directory, '--accept-changes', '--home', publisher.path)
    const [row] = await postgres.query(
      database,
      'SELECT extract(epoch FROM changed) * 1000 AS changed FROM nomenclator.pointer',
    )
    return { digest: publisher.store.currentDigest(), changed: Number(row?.changed) }
  }
  await here('shelf', 'migrate')
  await publish('one')
  await using proxy = await TcpProxy.to(postgres.port)
  const address = parseShelfAddress(postgres.url(database, 'postgres', proxy.port)) as ShelfAddress
  await using stack = new AsyncDisposableStack()
  const nodes = Array.from({ length: MANY }, () => {
    const store = new ReleaseStore(stack.use(new TestDirectory()).path)
    const served = () => store.currentDigest()
    const open = openPgShelf({ address, password: () => address.password })
    const options = { open, store, log: () => {}, served, onTrouble: () => {} }
    const follower = stack.use(new ShelfFollower(options))
    follower.start()
    return { store, follower }
  })
  const all = (digest: string | undefined) =>
    eventually('all of them have it', () => nodes.every(({ store }) => store.currentDigest() === digest))
  await all(publisher.store.currentDigest())
  const { digest, changed } = await publish('two')
  await all(digest)
  const reached = Date.now() - changed
  await postgres.kill()
  await Bun.sleep(AWAY_MILLISECONDS)
  const slots: number[] = []
  let before = proxy.connections
  const counting = setInterval(() => {
    slots.push(proxy.connections - before)
    before = proxy.connections
  }, SLOT_MILLISECONDS)
  await postgres.start()
  const started = performance.now()
  await eventually('all of them are back', () => nodes.every(({ follower }) => follower.status.isConnected))
  const returned = performance.now() - started
  clearInterval(counting)
  return { reached, returned, busiest: Math.max(...slots) }
}

async function main(): Promise<void> {
  await using postgres = await TestPostgres.create()
  await postgres.createDatabase(DATABASE)
  using publisher = new TestDirectory()
  using files = new TestDirectory()
  const url = postgres.url(DATABASE)

  const change = (...argv: readonly string[]) => command(...argv, '--home', publisher.path, '--shelf', url)

  async function pointer() {
    const [row] = await postgres.query(
      DATABASE,
      "SELECT split_part(history, E'\\n', 1) AS current, extract(epoch FROM changed) * 1000 AS changed FROM nomenclator.pointer",
    )
    return { current: String(row?.current), changed: Number(row?.changed) }
  }

  /** The cost of a change: the command, the time from its commit until all nodes serve it, and the bytes that each node fetched. */
  async function measured(nodes: readonly ShelfNode[], ...argv: readonly string[]) {
    const before = await Promise.all(nodes.map((node) => node.fetched()))
    const cpuBefore = nodes.map(({ cpu }) => cpu)
    await using watch = new Watch(nodes, WATCH_MILLISECONDS)
    const command = await change(...argv)
    const took = `${seconds(command.wall)}, ${seconds(command.cpu)} of a core`
    const { current, changed } = await pointer()
    await eventually('all nodes serve it', () => watch.lastOf(current) !== undefined)
    const after = await Promise.all(nodes.map((node) => node.fetched()))
    const bytes = Math.max(...after.map((total, at) => total - (before[at] ?? 0)))
    const cpu = Math.max(...nodes.map((node, at) => node.cpu - (cpuBefore[at] ?? 0)))
    return { took, cpu, until: (watch.lastOf(current) ?? 0) - changed, bytes }
  }

  const catalog = new ChangingCatalog(files.path)

  /** A year of changes: one locality of a hundred is renamed, one of two hundred is gone. */
  function aYearLater(year: number): void {
    const [head = '', ...rows] = catalog.lines('localidad')
    const column = head.split(',').indexOf('descLocalidad')
    const changed = rows.flatMap((row, at) => {
      if ((at + year * 7) % 200 === 0) return []
      if ((at + year * 13) % 100 !== 0 || row.includes('"')) return [row]
      const fields = row.split(',')
      fields[column] = `${fields[column]} ${year}`
      return [fields.join(',')]
    })
    catalog.write('localidad', [head, ...changed])
  }

  const rows: string[][] = []
  await command('shelf', 'migrate', '--shelf', url)
  using scratch = new TestDirectory()
  const { cpu: building } = await command('import', 'synthetic', '--home', scratch.path)
  log('the first publication')
  await change('import', 'synthetic')
  await command('export', 'package', files.path, '--home', publisher.path)
  await using stack = new AsyncDisposableStack()
  const nodes: ShelfNode[] = []
  for (let at = 0; at < NODES; at++) nodes.push(stack.use(await new ShelfNode().start(url)))
  const whole = Math.max(...(await Promise.all(nodes.map((node) => node.fetched()))))

  log('one of everything')
  const other = await measured(nodes, 'import', 'synthetic', '--seed', '2', '--accept-changes')
  rows.push([
    'everything is another (300,137 localities)',
    other.took,
    seconds(other.until),
    seconds(other.cpu),
    megabytes(other.bytes),
  ])
  const back = await measured(nodes, 'rollback')
  rows.push(['rolled back', back.took, seconds(back.until), seconds(back.cpu), megabytes(back.bytes)])
  catalog.replaceAudience()
  const audience = await measured(nodes, 'import', 'package', files.path, '--accept-changes')
  rows.push([
    'one audience is another',
    audience.took,
    seconds(audience.until),
    seconds(audience.cpu),
    megabytes(audience.bytes),
  ])
  catalog.renameLocality()
  const locality = await measured(nodes, 'import', 'package', files.path, '--accept-changes')
  rows.push([
    'one locality of 300,137 is renamed',
    locality.took,
    seconds(locality.until),
    seconds(locality.cpu),
    megabytes(locality.bytes),
  ])

  log('a node on a slow line')
  await using proxy = await TcpProxy.to(postgres.port)
  proxy.slow(SLOW_BYTES)
  await change('releases', 'prune', '--keep', '0')
  const started = performance.now()
  stack.use(await new ShelfNode().start(postgres.url(DATABASE, 'postgres', proxy.port)))
  await stack.disposeAsync()
  const slow = performance.now() - started

  log('ten years')
  const room = async () => JSON.parse((await command('shelf', 'status', '--json', '--shelf', url)).out).room
  const years: number[] = []
  for (let year = 1; year <= YEARS; year++) {
    aYearLater(year)
    await change('import', 'package', files.path, '--accept-changes')
    if (year === 1) {
      await change('releases', 'prune', '--keep', '0')
      // Rows that were removed leave free room in the files of PostgreSQL.
      await postgres.query(DATABASE, 'VACUUM FULL nomenclator.chunk')
    }
    years.push((await room()).databaseBytes)
    log(`year ${year}: ${megabytes(years.at(-1) ?? 0)}`)
  }
  const stored = await postgres.query(
    DATABASE,
    `SELECT file, sum(size) AS plain, sum(length(packed)) AS packed FROM nomenclator.chunk JOIN nomenclator.entity_chunk ON chunk = digest
     WHERE entity IN (SELECT entity FROM nomenclator.release_entity JOIN nomenclator.pointer ON release = split_part(history, E'\\n', 1))
     GROUP BY file ORDER BY packed DESC`,
  )

  log('a hundred nodes')
  const { reached, returned, busiest } = await many(postgres)

  const report = `${TITLE}

${ABOUT}

| what is published | the command | from its commit until all workers of ${NODES} nodes serve it | s of a core at each node | each node fetches |
|---|---|---|---|---|
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}

A node with an empty home fetches ${megabytes(whole)}; over a line of 100 Mbit/s it serves ${seconds(slow)} after its start. The files of a release,
before and after compression: ${stored.map(({ file, plain, packed }) => `\`${file}\` ${megabytes(Number(plain))} as ${megabytes(Number(packed))}`).join(', ')}.
To build them takes ${seconds(building)} of a core, which is more than a node takes for all of it: they are fetched and not built.

Ten yearly releases, in each of which one locality of a hundred is renamed and one of two hundred is gone, take
${megabytes(years.at(-1) ?? 0)} of PostgreSQL's disk with all indexes, the first of them ${megabytes(years[0] ?? 0)}.

${MANY} nodes in one process, with a small catalog: a change reaches the last of them ${seconds(reached)} after its commit. After PostgreSQL was
away for ${AWAY_MILLISECONDS / 1_000} s, all were connected again within ${seconds(returned)}, and never more than ${busiest} tried in the same tenth of a second.

${conditions('npm run bench:shelf')}
`
  console.log(report)
  writeFileSync(OUT, report)
}

await main()
process.exit(0)
