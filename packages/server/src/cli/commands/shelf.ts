// nomenclator shelf: makes a shared shelf in PostgreSQL, shows its state, and repairs it after a backup was restored.
import { OperationalError } from '../../base/operational-error.ts'
import type { PostgresOptions } from '../../distribution/postgres/connection.ts'
import type { ShelfReport } from '../../distribution/postgres/status.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import { columns, command, type Terminal } from '../command.ts'
import { yes } from '../flags/flags.ts'
import { homeOf } from '../flags/home-flag.ts'
import { wait } from '../flags/import-flags.ts'
import { jsonFlag, jsonText } from '../flags/json-flag.ts'
import { type HomeValues, homeFlags, loginOf } from '../flags/shelf-flags.ts'
import { lockFor, writingOf } from '../home/open-home.ts'

const number = new Intl.NumberFormat('en')
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

const { shelf: address, 'shelf-password-file': passwordFile } = homeFlags
const shelfFlags = { shelf: address, 'shelf-password-file': passwordFile } as const

function givenShelf<V extends Pick<HomeValues, 'shelf'>>(values: V): V & { readonly shelf: NonNullable<V['shelf']> } {
  const { shelf } = values
  if (shelf === undefined)
    throw new OperationalError(
      'which shelf? Name it with --shelf postgres://user@host/database?sslmode=verify-full, or with NOMENCLATOR_SHELF',
    )
  return { ...values, shelf }
}

/** The home of a command, and the options with which it writes to the shelf. */
const homeAndShelf = (values: HomeValues & { readonly wait: number }, doing: string, terminal: Terminal) => ({
  store: new ReleaseStore(homeOf(values.home)),
  writing: writingOf(givenShelf(values), doing, terminal),
})

function connectOptions(values: Omit<HomeValues, 'home'>, changes: boolean): PostgresOptions {
  const { shelf } = givenShelf(values)
  return { ...loginOf(shelf, { ...values, home: undefined }), changes, name: 'nomenclator shelf' }
}

const shelfMigrate = command({
  name: 'shelf migrate',
  summary: 'Make or update the tables of a shelf in PostgreSQL',
  description: 'Tables that are up to date stay as they are.',
  flags: { ...shelfFlags, ...jsonFlag('the report') },
  examples: ['shelf migrate --shelf postgres://admin@db.example.org/nomenclator?sslmode=verify-full'],
  run: async ({ values, terminal }) => {
    const { ShelfConnection } = await import('../../distribution/postgres/connection.ts')
    const { migrate } = await import('../../distribution/postgres/schema.ts')
    await using connection = await ShelfConnection.open(connectOptions(values, true))
    const applied = (await migrate(connection)).map(({ number, name }) => ({ number, name }))
    if (values.json) terminal.out(jsonText({ applied }))
    else if (applied.length === 0) terminal.out('Nothing to do: the shelf is up to date.\n')
    else for (const { number, name } of applied) terminal.out(`Applied migration ${number}, ${name}.\n`)
  },
})

const shelfRoles = command({
  name: 'shelf roles',
  summary: 'Print the SQL of the roles for nodes and publishers',
  description: 'Nodes can only read and listen; publishers can also change the shelf.',
  flags: { apply: { description: 'also run it, as the user of --shelf', parse: yes }, ...shelfFlags },
  examples: [
    'shelf roles',
    'shelf roles --apply --shelf postgres://admin@db.example.org/nomenclator?sslmode=verify-full',
  ],
  run: async ({ values, terminal }) => {
    const { rolesSql } = await import('../../distribution/postgres/schema.ts')
    if (values.apply) {
      const { ShelfConnection } = await import('../../distribution/postgres/connection.ts')
      await using connection = await ShelfConnection.open(connectOptions(values, true))
      await connection.query(rolesSql)
    }
    terminal.out(rolesSql)
  },
})

const shelfStatus = command({
  name: 'shelf status',
  summary: 'Show the releases, size, writer and nodes of a shelf',
  description: 'The exit code is 1 if a chunk is damaged or the shelf has forked.',
  flags: {
    verify: { description: 'also let the database check the digest of every chunk', parse: yes },
    ...shelfFlags,
    ...jsonFlag('the report'),
  },
  examples: ['shelf status', 'shelf status --verify --json'],
  run: async ({ values, terminal }) => {
    const { openShelf } = await import('../../distribution/postgres/session.ts')
    const { shelfReport } = await import('../../distribution/postgres/status.ts')
    const { openPgShelf } = await import('../../distribution/postgres/pg-shelf.ts')
    const { compareStates } = await import('../../distribution/shelf/pointer.ts')
    const options = connectOptions(values, false)
    await using hosts = await openPgShelf(options)('', () => {})
    const fork = compareStates(await hosts.pointers(''), undefined).trouble?.message ?? null
    await using connection = await openShelf(options)
    const report = await shelfReport(connection, values.verify)
    terminal.out(values.json ? jsonText({ ...report, fork }) : statusText(report))
    if (fork !== null) terminal.err(`${fork}\n`)
    return fork === null && (report.damagedChunks ?? []).length === 0 ? 0 : 1
  },
})

function statusText(report: ShelfReport): string {
  const { generation, changed, changedBy, releases, room, writer, nodes, damagedChunks } = report
  const pointer = generation === 0 ? 'nothing was published yet' : `changed ${changed} UTC by ${changedBy}`
  const listed = releases.map(({ digest, current, built, source, bytes, ownBytes }) => [
    `${current ? '*' : ' '} ${digest.slice(0, 12)}`,
    `${built?.slice(0, 16).replace('T', ' ') ?? ''}  ${(source ?? '').padEnd(9)}  ${megabytes(bytes).padStart(10)}  ${megabytes(ownBytes).padStart(10)} its own`,
  ])
  const following = nodes.map(({ host, pid, release, state, reportedSecondsAgo }) => [
    `${host}, process ${pid}`,
    `${release ?? 'no release yet'}  ${state.padEnd(9)}  reported ${reportedSecondsAgo} s ago`,
  ])
  const section = (title: string, rows: string[][]) =>
    rows.length === 0 ? '' : `${title}\n${columns(rows as [string, string][])}\n`
  return [
    `Generation ${generation}: ${pointer}.\n`,
    section('Releases:', listed),
    `Room: ${number.format(room.chunks)} chunks, ${megabytes(room.plainBytes)} as ${megabytes(room.packedBytes)}, ${megabytes(room.databaseBytes)} on disk.\n`,
    writer === null
      ? ''
      : `Being changed by ${writer.doing} (process ${writer.pid} on ${writer.host}, since ${writer.since}).\n`,
    nodes.length === 0 ? 'No node is connected.\n' : section('Nodes:', following),
    damagedChunks === undefined
      ? ''
      : damagedChunks.length === 0
        ? 'Every chunk is as it was written.\n'
        : `DAMAGED: ${damagedChunks.length} chunks, such as ${damagedChunks[0]?.slice(0, 12)}; replace them with nomenclator shelf mend.\n`,
  ].join('')
}

const shelfPublish = command({
  name: 'shelf publish',
  summary: 'Publish all releases of this home to a shelf',
  description: 'Use it for a shelf that is empty, or that has lost releases of this home.',
  flags: { wait, ...homeFlags },
  examples: [
    'shelf publish --home /var/lib/nomenclator --shelf postgres://publisher@db.example.org/nomenclator?sslmode=verify-full',
  ],
  run: async ({ values, terminal }) => {
    const { publishHome } = await import('../../distribution/postgres/session.ts')
    const { store, writing } = homeAndShelf(values, 'shelf publish', terminal)
    using _lock = await lockFor(store, 'shelf publish', values.wait, terminal)
    const { put, skipped } = await publishHome(store, writing)
    for (const digest of skipped) terminal.err(`NOT PUBLISHED: release ${digest.slice(0, 12)} cannot be read.\n`)
    for (const digest of put) terminal.out(`Published ${digest.slice(0, 12)}.\n`)
  },
})

const shelfMend = command({
  name: 'shelf mend',
  summary: 'Replace damaged chunks of a shelf by those of this home',
  flags: { wait, ...homeFlags },
  examples: [
    'shelf mend --home /var/lib/nomenclator --shelf postgres://publisher@db.example.org/nomenclator?sslmode=verify-full',
  ],
  run: async ({ values, terminal }) => {
    const { mendShelf } = await import('../../distribution/postgres/session.ts')
    const { store, writing } = homeAndShelf(values, 'shelf mend', terminal)
    const { damaged, mended } = await mendShelf(store, writing)
    terminal.out(damaged === 0 ? 'Every chunk is as it was written.\n' : `Replaced ${mended} of ${damaged} chunks.\n`)
    if (mended < damaged)
      throw new OperationalError(`this home does not have ${damaged - mended} of them; try the home of another machine`)
  },
})

const shelfAccept = command({
  name: 'shelf accept',
  summary: 'Let all nodes follow a shelf that was restored or forked',
  description: 'For a restored backup, or after two shelves went apart: the present state of this one counts.',
  flags: { wait, ...homeFlags },
  examples: ['shelf accept --shelf postgres://publisher@db.example.org/nomenclator?sslmode=verify-full'],
  run: async ({ values, terminal }) => {
    const { acceptShelf } = await import('../../distribution/postgres/session.ts')
    const { store, writing } = homeAndShelf(values, 'shelf accept', terminal)
    const generation = await acceptShelf(store, writing)
    terminal.out(`The shelf has generation ${generation} now; all nodes follow it.\n`)
  },
})

export const shelfCommands = [shelfMigrate, shelfRoles, shelfStatus, shelfPublish, shelfMend, shelfAccept] as const
