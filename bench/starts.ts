// Starts side by side: the same release alone and with twenty packages beside it, in milliseconds and in processor time.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { times } from '../packages/server/src/source/synthetic/random.ts'
import { cpuMicrosOf, workPath } from './machine.ts'
import { figure, ranged, reproduction, table, targetTable, writtenBy } from './report.ts'
import { type Launch, nomenclator, runNomenclator, Server } from './servers.ts'
import { type Spread, spreadOf } from './spread.ts'
import { judge, type Verdict } from './targets.ts'

const PACKAGES = 20
const RECORDS = 500
const MAX_MILLISECONDS = 150

const WITH_PACKAGES = `nomenclator, ${PACKAGES} packages`

/** A copy of a home, with packages of three lists each: a plain one, a tree, and one that refers to both. */
export async function homeWithPackages(home: string): Promise<string> {
  const full = workPath('with-packages')
  rmSync(full, { recursive: true, force: true })
  cpSync(home, full, { recursive: true })
  for (const at of times(PACKAGES, (number) => number)) {
    const directory = workPath('packages', `package-${at}`)
    writePackage(directory, at)
    await runNomenclator('import', 'package', directory, '--home', full, '--json')
  }
  return full
}

function writePackage(directory: string, at: number): void {
  mkdirSync(directory, { recursive: true })
  const rows = (head: string, row: (number: number) => string) => [head, ...times(RECORDS, row), ''].join('\n')
  const tables = {
    kinds: rows('code,name_en,name_es', (n) => `K${n},Kind ${n} of ${at},Clase ${n} de ${at}`),
    groups: rows('code,name,parent', (n) => `G${n},Group ${n},${n === 0 ? '' : `G${n >> 2}`}`),
    things: rows('code,name,kind,group,amount,since', (n) => `T${n},Thing ${n},K${n},G${n},${n}.50,2020-01-31`),
  }
  const reference = (field: string, resource: string) => ({ fields: field, reference: { resource, fields: 'code' } })
  const foreignKeys = {
    kinds: [],
    groups: [{ fields: 'parent', reference: { fields: 'code' } }],
    things: [reference('kind', `kinds-${at}`), reference('group', `groups-${at}`)],
  }
  const names = ['kinds', 'groups', 'things'] as const
  const resources = names.map((name) => ({
    ...{ name: `${name}-${at}`, path: `${name}.csv` },
    schema: {
      fields: tables[name]
        .split('\n')[0]
        ?.split(',')
        .map((field) => ({ name: field })),
      ...{ primaryKey: 'code', foreignKeys: foreignKeys[name] },
    },
  }))
  for (const name of names) writeFileSync(join(directory, `${name}.csv`), tables[name])
  writeFileSync(join(directory, 'datapackage.json'), JSON.stringify({ name: `package-${at}`, resources }))
}

type Starts = { readonly name: string; readonly milliseconds: Spread; readonly cpuMilliseconds: Spread }

/** Starts them in turn, so that other load on the machine meets all of them; the first round fills the cache and does not count. */
async function startsOf(launches: readonly Launch[], rounds: number): Promise<Starts[]> {
  const found = launches.map(({ name }) => ({ name, wall: [] as number[], cpu: [] as number[] }))
  for (let round = 0; round <= rounds; round++)
    for (const [at, launch] of launches.entries()) {
      await using server = await Server.start(launch)
      const cpu = cpuMicrosOf(server.pid) / 1_000
      if (round === 0) continue
      found[at]?.wall.push(server.startMilliseconds)
      found[at]?.cpu.push(cpu)
    }
  return found.map(({ name, wall, cpu }) => ({ name, milliseconds: spreadOf(wall), cpuMilliseconds: spreadOf(cpu) }))
}

/** The starts with a home as it is, and with its copy that has packages. */
export async function compareStarts(
  home: string,
  withPackages: string,
  rounds: number,
): Promise<{ text: string; verdict: Verdict }> {
  const launches = [nomenclator(home), nomenclator(withPackages, { name: WITH_PACKAGES })]
  const starts = await startsOf(launches, rounds)
  const rows = starts.map(({ name, milliseconds, cpuMilliseconds }) => [
    ...[name, ranged(milliseconds, 0), figure(milliseconds.min), ranged(cpuMilliseconds, 0), String(rounds)],
  ])
  return {
    text: table(1, ['server', 'start ms', 'fastest', 'CPU ms to then', 'starts'], rows),
    verdict: judge(`start with ${PACKAGES} packages`, ['<', MAX_MILLISECONDS], 'ms', starts[1]?.milliseconds),
  }
}

type StartsReport = {
  readonly text: string
  readonly verdict: Verdict
  readonly command: string
  readonly machine: readonly string[]
}

export const startsReport = ({ text, verdict, command, machine }: StartsReport): string =>
  [
    '# Starts with packages',
    `${machine[0]}. ${writtenBy(command)}`,
    targetTable([verdict]),
    `Alternating, over a release of the size that the contract saw: alone, and with ${PACKAGES} packages of three lists of ${figure(RECORDS)} records. From
just before the process is made to the first whole response; processor time is that of all its processes until then.`,
    text,
    reproduction(machine, command),
  ].join('\n\n')
