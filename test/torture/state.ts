// Whatever stands in a package, an export, a home or a shelf: it is refused in words, or served soundly.
import { linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { diskFailure, OperationalError } from '../../packages/server/src/base/operational-error.ts'
import { exportShelf } from '../../packages/server/src/distribution/shelf/export-shelf.ts'
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { createApp } from '../../packages/server/src/http/app.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { openReleaseToServe } from '../../packages/server/src/release/home/release-to-serve.ts'
import { releaseVerifier } from '../../packages/server/src/release/home/verify.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { examinePackage } from '../../packages/server/src/source/package/open-package.ts'
import { type Random, randomFor, shuffled } from '../../packages/server/src/source/synthetic/random.ts'
import { nothing } from '../support/packages.ts'
import { attributes } from '../support/pages.ts'
import { TestHome, tinyNames } from '../support/releases.ts'
import { responseOf } from '../support/responses.ts'
import { forgeShelf } from './forged-shelf.ts'
import { changeOneFile, overwriteOneFile } from './state-changes.ts'
import { countriesWith, importRows, World } from './state-world.ts'
import type { Campaign } from './trial.ts'

const MAX_SECONDS = 2
const MAX_MEGABYTES = 300
const MAX_SHOWN = 20
const LOG_EVERY = 500

/** Thrown for what must never happen; other errors are looked at. */
class Unsound extends Error {}

/** The message of a refusal in words; any other error is thrown. */
function wordsOf(error: unknown): string {
  const failure = error instanceof OperationalError ? error : diskFailure(error)
  if (failure === undefined) throw error
  if (/\n\s+at /.test(failure.message)) throw new Unsound(`a stack in the words: ${failure.message}`)
  return failure.message
}

const ROOT = join(import.meta.dir, '..', '..')

/** An error and the place where it was thrown. */
const inspected = (error: unknown) =>
  error instanceof Error
    ? `${error.message} (${/\bat .*/.exec(error.stack ?? '')?.[0].replaceAll(`${ROOT}/`, '')})`
    : String(error)

const FIRST_PAGES = ['/', '/docs', '/releases', '/api/v1', '/api/v2', '/api/openapi.json', '/api/v2/search?q=of']
/** Where the request for a list may end: formats, records, filters, and pages of API v1, which others respond to with 404. */
const ENDS = ['', '.csv', '.xlsx', '.ndjson', '/A1', '/NO', '?sort=name', '?q=north', '/changes?since=']

/** One change, and what it is tried with. */
type Attempt = {
  readonly world: World
  /** The artefact after the change. */
  readonly directory: string
  readonly random: Random
  /** How many pages and files are requested. */
  readonly pages: number
}

/** Reads pages and files of a release, the links among them too. Returns the problems of damaged files, if those are expected. */
async function browse(
  { world, random, pages }: Attempt,
  store: ReleaseStore,
  release: Release,
  isDamaged = false,
): Promise<string[]> {
  const logged: unknown[] = []
  const problems: string[] = []
  const app = createApp({
    release: () => release,
    store,
    cache: world.cache,
    policy: { baseUrl: undefined, trustedProxies: undefined },
    pages: explorerPages,
    logError: (error) => logged.push(error),
  })
  const lists = [...release.catalog.entities.values()].flatMap(({ plural }) => [
    `/api/v1/${plural}?page=1`,
    ...ENDS.map((end) => `/api/v2/${plural}${end}`),
  ])
  const targets = shuffled(random, [...FIRST_PAGES, ...lists]).slice(0, pages)
  const links = new Set<string>()
  for (const target of targets) await visit(target, links)
  for (const target of shuffled(random, [...links]).slice(0, pages - targets.length)) await visit(target, new Set())
  return problems

  async function visit(target: string, links: Set<string>): Promise<void> {
    const [path = '', query = ''] = target.split('?')
    const headers = new Map([
      ['accept', 'text/html'],
      ['accept-language', 'es'],
    ])
    const connection = { listeningUrl: 'http://127.0.0.1:8080', peer: undefined }
    const given = await app({ method: 'GET', path, query, headers }, connection)
    if (/^x-owned/im.test(given.head)) throw new Unsound(`${target} has a header of the sender's`)
    const response = responseOf(given)
    const text = await response.text()
    const wrong = `${target} is ${given.status}: ${logged.splice(0).map(inspected).join()}`
    if (isDamaged && given.status === 500 && text.includes('nomenclator releases verify')) problems.push(wrong)
    else if (!wrong.endsWith(': ') || given.status >= 500) throw new Unsound(wrong)
    if (!response.headers.get('Content-Type')?.startsWith('text/html')) return
    if (text.includes('<script>owned')) throw new Unsound(`${target} has an element of the sender's`)
    for (const link of attributes(text, 'href')) if (/^\/(?!\/)/.test(link)) links.add(link.replace(/#.*/, ''))
  }
}

async function openAndBrowse(attempt: Attempt, store: ReleaseStore): Promise<string> {
  try {
    const opened = await openReleaseToServe(store)
    if (opened === undefined) return 'has nothing to serve'
    await browse(attempt, store, opened.release.map())
    return opened.reason === undefined ? 'served' : 'served another release'
  } catch (error) {
    return `refused: ${wordsOf(error)}`
  }
}

async function importAndBrowse(attempt: Attempt): Promise<string> {
  using home = new TestHome()
  try {
    const { source, faultCount } = await examinePackage(attempt.directory)
    if (source === undefined) return `refused: ${faultCount} faults`
    await home.import(source, { fallback: nothing, acceptChanges: true })
    source.close()
  } catch (error) {
    return `refused: ${wordsOf(error)}`
  }
  return await openAndBrowse(attempt, home.store)
}

/** Follows a shelf with a home as it is; whatever was adopted must be served. */
async function follow({ world, ...attempt }: Attempt, store: ReleaseStore, shelf: string): Promise<string> {
  let refused = ''
  try {
    await world.follow(store, shelf)
  } catch (error) {
    refused = `refused: ${wordsOf(error)}; `
  }
  const outcome = await openAndBrowse({ world, ...attempt }, store)
  if (refused === '' && !outcome.startsWith('served')) throw new Unsound(`adopted, and then ${outcome}`)
  return refused + outcome
}

async function followNew(attempt: Attempt): Promise<string> {
  using home = new TestHome()
  return await follow(attempt, home.store, attempt.directory)
}

/** Follows a shelf with keys: nothing but what was signed is adopted. */
async function followSigned(attempt: Attempt): Promise<string> {
  using home = new TestHome()
  const { world, directory } = attempt
  const store = new ReleaseStore(home.path, world.trust)
  const outcome = await follow({ ...attempt, pages: 1 }, store, directory)
  const signed = new ReleaseStore(world.directory('home'))
  for (const digest of store.digests())
    if (!Bun.deepEquals(store.manifestOrReason(digest), signed.manifestOrReason(digest)))
      throw new Unsound(`adopted a release ${digest.slice(0, 12)} that was not signed so`)
  return outcome
}

/** Opens a home one of whose files may be damaged: what fails is explained by it, and another release can be served. */
async function openDamaged(attempt: Attempt): Promise<string> {
  const store = new ReleaseStore(attempt.directory)
  let opened: Awaited<ReturnType<typeof openReleaseToServe>>
  try {
    opened = await openReleaseToServe(store)
  } catch (error) {
    return `refused: ${wordsOf(error)}`
  }
  if (opened === undefined) return 'has nothing to serve'
  const { release, reason } = opened
  const isCurrent = reason === undefined
  const problems = await browse(attempt, store, release.map(), isCurrent)
  const faults = await releaseVerifier(store)(release.digest)
  if (problems.length > 0 && faults.length === 0) throw new Unsound(`${problems.join()}; but no file is damaged`)
  return isCurrent && faults.length === 0 ? 'served' : 'served in spite of damage'
}

/** Opens a home as it is, and then imports into it. */
async function openNumbered(attempt: Attempt): Promise<string> {
  const store = new ReleaseStore(attempt.directory)
  const outcome = await openAndBrowse(attempt, store)
  try {
    await importRows(store, countriesWith('Méjico'))
  } catch (error) {
    return `${outcome}; refused: ${wordsOf(error)}`
  }
  const after = await openAndBrowse({ ...attempt, pages: 1 }, store)
  if (after !== 'served') throw new Unsound(`imported, and then ${after}`)
  return outcome
}

/** Writes an artefact with one change, and says what was changed. */
type Change = (random: Random, from: string, to: string, only?: RegExp) => string

type Artefact = {
  /** The artefact that is changed, and how, by default in one of its files. */
  readonly of: string
  readonly change?: Change
  readonly use: (attempt: Attempt) => Promise<string>
}

/** The files of a home that are parsed. */
const DOCUMENTS = /\.(?:json|minisig)$|^[\w-]+$/
const changeAnyFile: Change = (random, from, to, only = /./) => {
  linkFiles(from, to)
  return changeOneFile(random, to, only)
}
const changeDocument: Change = (random, from, to) => changeAnyFile(random, from, to, DOCUMENTS)

/** The files of a home that are mapped: their names in the directory of an entity. */
const MAPPED = /\/(?:records|offsets|etags|facts|index|words)$/

/** By its name: what is changed, and what is then done with it. */
const ARTEFACTS: Readonly<Record<string, Artefact>> = {
  package: { of: 'package', use: importAndBrowse },
  export: { of: 'export', use: importAndBrowse },
  home: {
    of: 'home',
    change: changeDocument,
    use: (attempt) => openAndBrowse(attempt, new ReleaseStore(attempt.directory)),
  },
  'home with identifiers': { of: 'numbered', change: changeDocument, use: openNumbered },
  'mapped files': {
    of: 'numbered',
    change: (random, from, to) => {
      linkFiles(from, to)
      return overwriteOneFile(random, to, MAPPED)
    },
    use: openDamaged,
  },
  shelf: {
    of: 'shelf',
    use: followNew,
  },
  'forged shelf': { of: 'shelf', change: forgeShelf, use: followNew },
  'forged shelf with identifiers': { of: 'numbered shelf', change: forgeShelf, use: followNew },
  'forged and signed shelf': { of: 'shelf', change: forgeShelf, use: followSigned },
  'signed shelf': { of: 'shelf', use: followSigned },
  'home that follows': {
    of: 'followed',
    change: changeDocument,
    use: (attempt) => follow(attempt, new ReleaseStore(attempt.directory), attempt.world.directory('shelf')),
  },
  // A publisher that lies: what it has changed in its home has the right digests in its shelf.
  published: {
    of: 'home',
    change: changeDocument,
    use: async (attempt) => {
      using home = new TestHome()
      const shelf = join(attempt.directory, 'shelf')
      try {
        await exportShelf(new ReleaseStore(attempt.directory), shelf)
      } catch (error) {
        return `refused: ${wordsOf(error)}`
      }
      return await follow(attempt, home.store, shelf)
    },
  },
}
const NAMES = Object.keys(ARTEFACTS)

/** A copy that shares its files: a home replaces files, and never writes into one. */
function linkFiles(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true }))
    (entry.isDirectory() ? linkFiles : linkSync)(join(from, entry.name), join(to, entry.name))
}

/** Some of the changes of a run. */
type Part = {
  readonly seed: number
  readonly from: number
  readonly to: number
  readonly pages: number
  readonly lists: typeof tinyNames
}

/** The outcome of one change. */
type Outcome = {
  readonly number: number
  readonly isServed: boolean
  /** What did not hold; undefined if it was refused in words or served soundly. */
  readonly fault?: string
}

async function tryChanges(
  { seed, from, to, pages, lists }: Part,
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  using world = await World.create(lists)
  for (let number = from; number < to; number++) onOutcome(await outcomeOf(world, seed, number, pages))
}

async function outcomeOf(world: World, seed: number, number: number, pages: number): Promise<Outcome> {
  const name = NAMES[number % NAMES.length] as string
  const { of, change = changeAnyFile, use } = ARTEFACTS[name] as Artefact
  const directory = world.directory('changed')
  rmSync(directory, { recursive: true, force: true })
  const random = randomFor(seed, `${name} ${number}`)
  let what = 'not changed'
  const wrong = (fault: string) => ({ number, isServed: false, fault: `${name} ${number}, ${what}: ${fault}` })
  try {
    what = change(random, world.directory(of), directory)
    const [cpu, memory] = [process.cpuUsage(), process.memoryUsage.rss()]
    const isServed = (await use({ world, directory, random, pages })).endsWith('served')
    const { user, system } = process.cpuUsage(cpu)
    const [seconds, megabytes] = [(user + system) / 1e6, (process.memoryUsage.rss() - memory) / 1e6]
    if (seconds <= MAX_SECONDS && megabytes <= MAX_MEGABYTES) return { number, isServed }
    return wrong(`took ${seconds.toFixed(1)} s and ${megabytes.toFixed(0)} MB`)
  } catch (error) {
    return wrong(error instanceof Unsound ? error.message : inspected(error))
  }
}

/** Tries changes in a process of its own. Throws if it crashes. */
async function tryElsewhere(part: Part, onOutcome: (outcome: Outcome) => void): Promise<void> {
  let last = part.from
  const child = Bun.spawn([process.execPath, import.meta.path, JSON.stringify(part)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (outcome: Outcome) => {
      last = outcome.number
      onOutcome(outcome)
    },
  })
  if ((await child.exited) === 0) return
  throw new Error(`a process ended with ${child.signalCode ?? child.exitCode} after change ${last}`)
}

export const state: Campaign = {
  name: 'state',
  title: 'Changed artefacts',
  description:
    'A package, an exported package, a home and a shelf of files are changed in one place: a field by its type, size, depth, name, control characters or the value of another, or a file that is cut, flipped, overwritten, lengthened or exchanged. A package is checked and imported; a home is opened, imported into, and brought to the state of a shelf; a shelf is followed with and without keys, also one that was published with the change, or whose digests a liar has made to fit; then pages and files of each format are requested. It must end in a refusal in words or in a sound service: no 5xx, no stack, no header or element of the sender, nothing adopted that was not signed where keys are given, at most 300 MB and 2 s of a processor. Only records and indexes that were changed on disk may lead to a 500, which names the release and what to type.',
  run: async (trial) => {
    const total = trial.size({ full: 20_000, quick: 1_500, test: 300 })
    const lists = trial.size({ full: tinyNames, quick: tinyNames, test: ['pais', 'estado', 'audiencia'] as const })
    const pages = trial.size({ full: 10, quick: 10, test: 6 })
    const counts = { all: 0, served: 0, faults: 0 }
    const onOutcome = ({ isServed, fault }: Outcome) => {
      if (isServed) counts.served++
      if (fault !== undefined && counts.faults++ < MAX_SHOWN) trial.require(false, fault.slice(0, 500))
      if (++counts.all % LOG_EVERY === 0) trial.log(`${counts.all} changes, ${counts.faults} of them not sound`)
    }
    const processes = trial.size({ full: 4, quick: 2, test: 1 })
    const end = (at: number) => Math.floor((total * at) / processes)
    const parts = Array.from({ length: processes }, (_, at) => {
      return { seed: trial.seed, from: end(at), to: end(at + 1), pages, lists }
    })
    const ended = parts.map((part) => (processes === 1 ? tryChanges : tryElsewhere)(part, onOutcome))
    for (const part of await Promise.allSettled(ended))
      trial.require(part.status === 'fulfilled', part.status === 'rejected' ? String(part.reason) : '')
    const { served, faults } = counts
    trial.require(faults === 0, `${faults} of ${total} changes were neither refused in words nor served soundly`)
    trial.require(served > 0 && served < total, 'a part of the changes is refused, and a part is not')
    trial.fact(
      `${total.toLocaleString('en')} changes of ${NAMES.join(', ')}: ${served.toLocaleString('en')} served, the others refused in words`,
    )
  },
}

if (import.meta.main) {
  await tryChanges(JSON.parse(process.argv[2] ?? ''), (outcome) => process.send?.(outcome))
  process.disconnect?.()
}
