// npm run check:packages -- DIR: imports every package below a directory into one scratch home, serves it, and requests all that a
// list offers. Prints a table, and faults below it; exits with 1 if there are any.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { OPENAPI_PATH } from '../../packages/server/src/http/routes.ts'
import type { ImportReport } from '../../packages/server/src/release/import.ts'
import type { ReleasedPackage } from '../../packages/server/src/release/manifest.ts'
import type { Note } from '../../packages/server/src/source/package/infer/inference.ts'
import { Documented } from '../support/openapi.ts'
import { nomenclator, TestDirectory, TestHome } from '../support/releases.ts'
import { Service } from '../support/service.ts'
import { CHECKS, type ServedList } from './list-checks.ts'

type Imported = {
  readonly path: string
  /** Absent where it was refused. */
  readonly report?: ImportReport & { readonly notes?: readonly Note[]; readonly package?: string }
  readonly refusal?: string
  readonly seconds: number
}

const DESCRIPTORS = ['datapackage.json', 'datapackage.yaml', 'datapackage.yml']

/** Directories with a descriptor or tables, and zips; those within a package are a part of it. */
function packagesBelow(directory: string): string[] {
  if (DESCRIPTORS.some((name) => existsSync(join(directory, name)))) return [directory]
  const below = readdirSync(directory)
    .sort()
    .map((name) => join(directory, name))
  const folders = below.filter((path) => statSync(path).isDirectory()).flatMap(packagesBelow)
  const tables = below.some((path) => /\.(csv|xlsx)$/i.test(path)) ? [directory] : []
  return [...tables, ...folders, ...below.filter((path) => path.endsWith('.zip'))]
}

async function importPackage(home: TestHome, path: string): Promise<Imported> {
  const started = performance.now()
  const flags = ['--home', home.path, '--alone', '--accept-changes', '--json']
  const { code, out, err } = await nomenclator('import', 'package', path, ...flags)
  const seconds = (performance.now() - started) / 1_000
  return code === 0
    ? { path, report: JSON.parse(out), seconds }
    : { path, refusal: err.trim().replace(/^nomenclator: /, ''), seconds }
}

/** All of them, and again those that came before a package that they refer to. */
async function importAll(home: TestHome, paths: readonly string[]): Promise<Imported[]> {
  for (const path of paths) await importPackage(home, path)
  const again: Imported[] = []
  for (const path of paths) again.push(await importPackage(home, path))
  return again
}

/** A release that is there before all others, so that there are changes since. */
async function firstRelease(home: TestHome): Promise<string> {
  using directory = new TestDirectory()
  writeFileSync(join(directory.path, 'letters-before-all.csv'), 'code,name\na,Alpha\nb,Beta\n')
  const { refusal } = await importPackage(home, directory.path)
  if (refusal !== undefined) throw new Error(refusal)
  return home.current().digest
}

type Verdict = { readonly list: string; readonly check: string; readonly faults: readonly string[] }

async function checkList(list: ServedList): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const [check, run] of Object.entries(CHECKS)) {
    const faults = await run(list).catch((error: unknown) => [`it failed: ${String(error).slice(0, 300)}`])
    verdicts.push({ list: list.entity.plural, check, faults })
  }
  return verdicts
}

/** Checks all lists of the packages that have come since a release, by package; and that another home can have the same. */
async function checkServed(home: TestHome, before: string): Promise<ReadonlyMap<string, Verdict[]>> {
  await using service = await Service.over(home, { flags: ['--workers', '1'] })
  const release = home.current()
  const documented = new Documented((await (await fetch(service.url + OPENAPI_PATH)).json()) as object)
  const found = new Map<string, Verdict[]>()
  const earlier = new Set(home.store.read(before).manifest.packages?.map(({ name }) => name))
  for (const { name, lists } of release.manifest.packages ?? []) {
    if (earlier.has(name)) continue
    const verdicts: Verdict[] = []
    for (const one of lists) {
      const { definition: entity, count } = release.entity(one)
      verdicts.push(...(await checkList({ url: service.url, entity, count, before, documented })))
    }
    found.set(name, verdicts)
  }
  found.set(WHOLE, await checkWhole(home, service.url))
  return found
}

/** The release as a whole: sound on disk, and the same again when it is exported and imported, and when it is mirrored. */
async function checkWhole(home: TestHome, url: string): Promise<Verdict[]> {
  const { digest } = home.current()
  using exported = new TestDirectory()
  const sameIn = async (...steps: readonly (readonly string[])[]) => {
    using other = new TestHome()
    for (const step of steps) {
      const { code, err } = await nomenclator(...step.map((word) => (word === HOME ? other.path : word)))
      if (code !== 0) return [err.trim()]
    }
    return other.current().digest === digest ? [] : ['it is another release there']
  }
  const directory = join(exported.path, 'package')
  const exporting = await nomenclator('export', 'package', directory, '--home', home.path)
  return [
    { list: 'the home', check: 'verified', faults: await home.verify(digest) },
    { list: 'the home', check: 'mirrored', faults: await sameIn(['import', 'mirror', url, '--home', HOME]) },
    {
      list: 'the home',
      check: 'exported',
      faults: exporting.code === 0 ? await sameIn(['import', 'package', directory, '--home', HOME]) : [exporting.err],
    },
  ]
}

/** Under which the verdicts about all packages together are. */
const WHOLE = ''

/** Stands for the home that a step is to have. */
const HOME = 'HOME'

function rowOf(imported: Imported, packages: readonly ReleasedPackage[], home: TestHome, verdicts: readonly Verdict[]) {
  const { path, report, refusal = '', seconds } = imported
  if (report === undefined)
    return [basename(path), '', '', 'refused', '', `${seconds.toFixed(1)} s`, refusal.split('\n')[0] ?? '']
  const lists = packages.find(({ name }) => name === report.package)?.lists ?? []
  const rows = lists.reduce((sum, list) => sum + home.current().entity(list).count, 0)
  const findings = (home.current().manifest.findings ?? []).filter(({ entity = '' }) => lists.includes(entity))
  const checks = Object.keys(CHECKS).map((check) => {
    const wrong = verdicts.filter((one) => one.check === check && one.faults.length > 0).length
    return wrong === 0 ? check : `${check.toUpperCase()}:${wrong}`
  })
  const odd = findings.reduce((sum, { count }) => sum + count, 0)
  return [basename(path), lists.length, rows, report.outcome, odd, `${seconds.toFixed(1)} s`, checks.join(' ')]
}

function tableOf(rows: readonly (readonly (string | number)[])[]): string {
  const texts = [
    ['package', 'lists', 'rows', 'import', 'findings', 'time', 'checks; in capitals what is not sound'],
    ...rows,
  ].map((row) => row.map(String))
  const widths = (texts[0] as string[]).map((_, at) => Math.max(...texts.map((row) => (row[at] as string).length)))
  return texts
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Gives the exit code. */
async function main(directory: string | undefined): Promise<number> {
  if (directory === undefined || !existsSync(directory)) {
    console.error('Usage: npm run check:packages -- DIR, a directory with packages in it')
    return 2
  }
  using home = new TestHome()
  const paths = packagesBelow(directory)
  const before = await firstRelease(home)
  const imported = await importAll(home, paths)
  const verdicts = await checkServed(home, before)
  const { packages = [] } = home.current().manifest
  console.log(
    tableOf(imported.map((one) => rowOf(one, packages, home, verdicts.get(one.report?.package ?? '-') ?? []))),
  )
  return printFaults(imported, verdicts) ? 1 : 0
}

/** Says whether there are any. */
function printFaults(imported: readonly Imported[], verdicts: ReadonlyMap<string, Verdict[]>): boolean {
  for (const { path, refusal } of imported)
    if (refusal !== undefined) console.log(`\n${basename(path)} is refused:\n${refusal.replace(/^/gm, '  ')}`)
  const faults = [...verdicts.values()]
    .flat()
    .flatMap(({ list, check, faults: all }) => all.slice(0, MAX_SHOWN).map((fault) => `${list}, ${check}: ${fault}`))
  if (faults.length > 0) console.log(`\nNot sound:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  const unstable = imported.filter(({ report }) => report !== undefined && report.outcome !== 'nothing to do')
  for (const { path } of unstable) console.log(`${basename(path)} is another release when it is imported again`)
  const ofHome = verdicts.get(WHOLE) ?? []
  const whole = ofHome.map(({ check, faults: all }) => (all.length === 0 ? check : check.toUpperCase()))
  console.log(`\nThe home with all of them: ${whole.join(', ')}`)
  const notes = imported.flatMap(({ report }) => report?.notes ?? []).length
  console.log(`${imported.length} packages, ${notes} notes, ${faults.length} faults`)
  return faults.length + unstable.length > 0
}

const MAX_SHOWN = 5

// What waits for lines of the service that was stopped would keep the process alive.
process.exit(await main(process.argv[2]))
