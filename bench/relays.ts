// npm run bench:relays: files of a shelf on a plain nginx, two relays that follow it, and twenty nodes that follow the relays, into bench/results/relays.md.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ReleaseStore } from '../packages/server/src/release/home/release-store.ts'
import { Nginx, staticHost } from '../test/support/nginx.ts'
import { TestDirectory } from '../test/support/releases.ts'
import { eventually } from '../test/support/service.ts'
import { TcpProxy } from '../test/support/tcp-proxy.ts'
import { freePort } from './free-port.ts'
import { cpuMicrosOf } from './machine.ts'
import { megabytes } from './report.ts'
import { ChangingCatalog, command, conditions, ShelfNode, seconds, Watch } from './shelf-node.ts'

const OUT = join(import.meta.dir, 'results', 'relays.md')
const RELAYS = 2
const NODES = 20
/** One locality of so many is taken: the homes of all nodes are in the memory of one machine. */
const SHARE = 10
/** Nodes that are started at a time. */
const AT_A_TIME = 4
const PATIENCE_MILLISECONDS = 600_000
const WATCH_MILLISECONDS = 250

const log = (line: string) => console.error(`bench relays: ${line}`)
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const cpuOf = (of: readonly { readonly pid: number }[]) => sum(of.map(({ pid }) => cpuMicrosOf(pid))) / 1_000

async function main(): Promise<void> {
  if (Bun.which('nginx') === null) throw new Error('it needs nginx')
  await using stack = new AsyncDisposableStack()
  const [publisher, room, files] = [1, 2, 3].map(() => stack.use(new TestDirectory())) as [
    TestDirectory,
    TestDirectory,
    TestDirectory,
  ]
  const shelf = join(room.path, 'shelf')
  const port = freePort()
  const nginx = stack.use(await Nginx.running(room.path, staticHost(port, room.path), `http://127.0.0.1:${port}`))
  const origin = stack.use(await TcpProxy.to(port))
  /** The command and the export after it, in milliseconds of a core. */
  const publish = async (...argv: readonly string[]) => {
    const changed = await command(...argv, '--home', publisher.path)
    const written = await command('export', 'shelf', shelf, '--home', publisher.path)
    return changed.cpu + written.cpu
  }
  log('the first publication')
  const packages: string[] = []
  for (const seed of ['1', '2']) {
    using scratch = new TestDirectory()
    await command('import', 'synthetic', '--seed', seed, '--home', scratch.path)
    const path = join(files.path, seed)
    await command('export', 'package', path, '--home', scratch.path)
    const catalog = new ChangingCatalog(path)
    const [head = '', ...rows] = catalog.lines('localidad')
    catalog.write('localidad', [head, ...rows.filter((_, at) => at % SHARE === 0)])
    packages.push(path)
  }
  const [first, second] = packages as [string, string]
  const importing = (path: string) => ['import', 'package', path, '--accept-changes']
  await publish(...importing(first))

  const relays: ShelfNode[] = []
  for (let at = 0; at < RELAYS; at++)
    relays.push(stack.use(await new ShelfNode().start(`http://127.0.0.1:${origin.port}/shelf`, 1)))
  const lines: TcpProxy[] = []
  for (const relay of relays) lines.push(stack.use(await TcpProxy.to(relay.port)))
  const nodes: ShelfNode[] = []
  const [one, other] = lines.map((line) => `http://127.0.0.1:${line.port}`) as [string, string]
  while (nodes.length < NODES) {
    // Each half of them has another relay first.
    const started = Array.from({ length: AT_A_TIME }, () => stack.use(new ShelfNode()))
    await Promise.all(started.map((node, at) => node.start(at % 2 === 0 ? `${one},${other}` : `${other},${one}`, 1)))
    nodes.push(...started)
    log(`${nodes.length} nodes serve`)
  }

  const state = () => ({
    fromOrigin: origin.received,
    fromRelays: sum(lines.map(({ received }) => received)),
    nginx: cpuOf([nginx]),
    relays: cpuOf(relays),
    nodes: cpuOf(nodes),
  })
  const whole = state()

  /** A change, what it takes, and when the last node serves it. */
  async function measured(what: string, ...argv: readonly string[]): Promise<string> {
    log(what)
    const before = state()
    await using watch = new Watch(nodes, WATCH_MILLISECONDS)
    await using atRelays = new Watch(relays, WATCH_MILLISECONDS)
    const took = await publish(...argv)
    const exported = Date.now()
    const digest = new ReleaseStore(publisher.path).currentDigest() ?? ''
    const isServed = () => [watch, atRelays].every((one) => one.lastOf(digest) !== undefined)
    await eventually('all nodes serve it', isServed, PATIENCE_MILLISECONDS)
    const after = state()
    const cells = [
      what,
      seconds(took),
      seconds(Math.max((atRelays.lastOf(digest) ?? 0) - exported, 0)),
      seconds((watch.lastOf(digest) ?? 0) - exported),
      megabytes(after.fromOrigin - before.fromOrigin),
      megabytes(after.fromRelays - before.fromRelays),
      ...[
        seconds(after.nginx - before.nginx),
        seconds((after.relays - before.relays) / RELAYS),
        seconds((after.nodes - before.nodes) / NODES),
      ],
    ]
    return `| ${cells.join(' | ')} |`
  }

  const catalog = new ChangingCatalog(first)
  const localities = (catalog.lines('localidad').length - 1).toLocaleString('en')
  const rows = [await measured(`everything is another (${localities} localities)`, ...importing(second))]
  rows.push(await measured('rolled back', 'rollback'))
  catalog.replaceAudience()
  rows.push(await measured('one audience is another', ...importing(first)))
  catalog.renameLocality()
  rows.push(await measured(`one locality of ${localities} is renamed`, ...importing(first)))

  const report = `# ${NODES} nodes behind ${RELAYS} relays

Written by \`npm run bench:relays\`; do not edit. [scaling.md](../../docs/scaling.md#what-it-costs) says what it means.

The origin is a directory that \`export shelf\` writes and a plain nginx serves. ${RELAYS} nodes follow it, and ${NODES} nodes follow these, half of
them with one of the two first. All are services of one worker, on the machine on which everything else runs too. All poll every 2 s,
give or take half of that, so that a change takes up to 6 s to pass both steps with nothing to fetch.

| what is published | the commands, s of a core | until the relays serve it | until all nodes serve it | bytes from the origin | bytes from the relays | nginx, s of a core | each relay | each node |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

Times are from the end of the export. With an empty home each, all of them fetched ${megabytes(whole.fromOrigin)} from the origin and ${megabytes(whole.fromRelays)} from
the relays until they served. The processor time is that of all processes of a service, with what it takes to say four times a second what it serves.

${conditions('npm run bench:relays')}
`
  console.log(report)
  writeFileSync(OUT, report)
}

await main()
process.exit(0)
