// Imports that are killed at all kinds of moments while a server is being read from, and what must hold after each.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MANIFEST_FILE } from '../../../packages/server/src/release/manifest.ts'
import type { Ran } from '../../support/command.ts'
import { nomenclator, TestDirectory, TestHome } from '../../support/releases.ts'
import { type Plan, plansFor, planText } from './plan.ts'
import { isSeen, type Killed, runAndKill, runStruck, runWhole, type Server, startServer } from './program.ts'
import { Reader } from './reader.ts'
import { createWorld, type Limits, type Side, type World } from './world.ts'

export type Options = {
  readonly kills: number
  readonly seconds: number
  readonly limits: Limits
  /** When to kill the first imports; the others are spread. */
  readonly plans?: readonly Plan[]
  readonly log: (line: string) => void
}

/** What an import does that is left alone. */
type Usual = { readonly milliseconds: number; readonly changes: number }

const SWAP_MILLISECONDS = 10_000
const ALWAYS_THERE = [
  'built-here',
  'cache',
  'current',
  'entities',
  'id-registry.json',
  'lock',
  'lock.holder',
  'releases',
]
/** Every third import finds the release that it builds on the shelf already. */
const UNPRUNED = 3

class Campaign {
  readonly tally = {
    kills: { change: 0, moment: 0, sight: 0 },
    /** Which release was current after a kill. */
    left: { before: 0, after: 0 },
    /** Kills after which something half done lay about. */
    remains: 0,
    /** Imports that were done before they could be killed. */
    late: 0,
    slowestSwap: 0,
  }
  readonly #home: TestHome
  readonly #world: World
  readonly #server: Server
  readonly #reader: Reader
  #usual: Usual

  constructor(home: TestHome, world: World, server: Server, reader: Reader, usual: Usual) {
    this.#home = home
    this.#world = world
    this.#server = server
    this.#reader = reader
    this.#usual = usual
  }

  get kills(): number {
    return Object.values(this.tally.kills).reduce((sum, count) => sum + count, 0)
  }

  /** Kills one import, looks at everything, and imports again. */
  async round(plan: Plan, prune: boolean): Promise<void> {
    const before = this.#current()
    const target = this.#other(before)
    if (prune && this.#shelved().includes(target.release.manifest.digest))
      this.#home.store.remove(target.release.manifest.digest)
    const shelved = this.#shelved()
    const identifiers = this.#identifiers()
    const ran = await this.#kill(plan, target)
    if (!ran.killed) {
      succeeded(ran)
      this.tally.late++
    } else {
      this.tally.kills[plan.way]++
      if (this.#remains().length > 0) this.tally.remains++
    }
    const current = this.#current()
    this.tally.left[current === before ? 'before' : 'after'] += ran.killed ? 1 : 0
    expectAll(shelved, this.#shelved(), 'releases are lost')
    expectAll(identifiers, this.#identifiers(), 'identifiers are lost')
    succeeded(await nomenclator('releases', 'verify', '--home', this.#home.path))
    await this.#served(current)
    await this.#importAgain(target)
  }

  async #importAgain(target: Side): Promise<void> {
    const ran = await runWhole('import', 'package', target.directory, '--wait', '0', '--home', this.#home.path)
    succeeded(ran)
    // The machine may be busier or quieter than at the beginning.
    this.#usual = { ...this.#usual, milliseconds: ran.milliseconds }
    if (this.#current() !== target) throw new Error(`the next import did not make ${target.letter} current`)
    const remains = this.#remains()
    if (remains.length > 0) throw new Error(`the next import left ${remains.join(', ')}`)
    await this.#served(target)
  }

  #kill(plan: Plan, { directory }: Side): Promise<Killed> {
    const home = this.#home.path
    const argv = ['import', 'package', directory, '--home', home]
    if (plan.way === 'moment') return runAndKill(plan.part * this.#usual.milliseconds, ...argv)
    if (plan.way === 'sight') return runAndKill(() => isSeen(join(home, plan.path), plan.description), ...argv)
    const { changes } = this.#usual
    const at = 'last' in plan ? changes + 1 - plan.last : 1 + Math.floor(plan.part * changes)
    return runStruck({ kind: 'killed', at }, ...argv)
  }

  /** The server must get to it, and must not have given anything else than one of the two meanwhile. */
  async #served(side: Side): Promise<void> {
    const milliseconds = await this.#reader.until(side, SWAP_MILLISECONDS)
    this.tally.slowestSwap = Math.max(this.tally.slowestSwap, milliseconds)
    this.#reader.check()
    if (this.#server.complaints() !== '') throw new Error(`the server complains: ${this.#server.complaints()}`)
  }

  #current(): Side {
    const digest = this.#home.store.currentDigest()
    const side = [this.#world.a, this.#world.b].find(({ release }) => release.manifest.digest === digest)
    if (side === undefined) throw new Error(`current is ${digest}, which is neither A nor B`)
    return side
  }

  #other(side: Side): Side {
    return side === this.#world.a ? this.#world.b : this.#world.a
  }

  #shelved(): string[] {
    return readdirSync(join(this.#home.path, 'releases'))
  }

  #identifiers(): string[] {
    const saved = JSON.parse(readFileSync(this.#home.store.idRegistryFile, 'utf8'))
    return Object.entries(saved).flatMap(([entity, pairs]) =>
      (pairs as unknown[]).map((pair) => `${entity} ${JSON.stringify(pair)}`),
    )
  }

  #remains(): string[] {
    const digests = [this.#world.a, this.#world.b].map(({ release }) => release.manifest.digest)
    const manifests = this.#shelved().map((digest) => this.#home.store.read(digest).manifest)
    const named = new Set(manifests.flatMap(({ entities }) => Object.values(entities).map(({ digest }) => digest)))
    return [
      ...readdirSync(this.#home.path).filter((name) => !ALWAYS_THERE.includes(name)),
      ...this.#shelved().filter((name) => !digests.includes(name)),
      ...this.#shelved().flatMap((name) => readdirSync(join(this.#home.path, 'releases', name)).filter(isPartial)),
      ...readdirSync(join(this.#home.path, 'entities')).filter((name) => !named.has(name)),
    ]
  }
}

const isPartial = (name: string) => name !== MANIFEST_FILE

function succeeded({ code, out, err }: Ran): void {
  if (code !== 0 || err !== '') throw new Error(`ended with ${code}: ${out}${err}`)
}

function expectAll(before: readonly string[], after: readonly string[], complaint: string): void {
  const there = new Set(after)
  const lost = before.filter((one) => !there.has(one))
  if (lost.length > 0) throw new Error(`${complaint}: ${lost.slice(0, 5).join(', ')}`)
}

/** Imports the second catalog over the first, unharmed: how long it takes, and how many changes to the disk it makes. */
async function measure(home: string, { a, b }: World): Promise<Usual> {
  using room = new TestDirectory()
  const count = join(room.path, 'count')
  const whole = await runWhole('import', 'package', b.directory, '--home', home)
  succeeded(whole)
  succeeded(await nomenclator('releases', 'prune', '--keep', '0', '--home', home))
  succeeded(await runStruck({ kind: 'none', at: 0, count }, 'import', 'package', a.directory, '--home', home))
  return { milliseconds: whole.milliseconds, changes: Number(readFileSync(count, 'utf8')) }
}

/** Kills as many imports as the plan has, or as there is time for; throws at the first thing that does not hold. */
export async function tortureImports({ kills, seconds, limits, plans: first = [], log }: Options) {
  const started = performance.now()
  using world = await createWorld(limits)
  using home = new TestHome()
  // It has far fewer records than the bundled data.
  succeeded(await nomenclator('import', 'package', world.a.directory, '--accept-changes', '--home', home.path))
  await using server = await startServer(home.path)
  await using reader = new Reader(server.url, world)
  const usual = await measure(home.path, world)
  const campaign = new Campaign(home, world, server, reader, usual)
  log(`an import takes ${Math.round(usual.milliseconds)} ms and makes ${usual.changes} changes to the disk`)

  const inTime = () => (performance.now() - started) / 1_000 < seconds
  // An import begins at A and leads to B, and the next the other way round.
  const targetOf = (at: number) => (at % 2 === 0 ? world.b : world.a).release.manifest
  const plans = [...first, ...plansFor(kills - first.length, (at) => targetOf(at + first.length))]
  for (let at = 0; campaign.kills < kills && inTime(); at++) {
    // Whatever could not be killed in time is made up for by further rounds at the end.
    const plan = plans[at] ?? ({ way: 'change', part: Math.random() } as const)
    const what = `import ${at + 1}, to be killed ${planText(plan)}`
    try {
      await campaign.round(plan, at % UNPRUNED !== 0)
    } catch (error) {
      throw new Error(what, { cause: error })
    }
    if ((at + 1) % 25 === 0) log(`${campaign.kills} kills after ${at + 1} imports`)
  }
  return {
    ...campaign.tally,
    ...usual,
    total: campaign.kills,
    pages: reader.pages,
    seconds: (performance.now() - started) / 1_000,
  }
}
