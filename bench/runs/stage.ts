// Everything up and checked before the first window is measured.

import { type Load, PER_PAGE } from '../load/loads.ts'
import { generatorFor } from '../load/run.ts'
import { type Cores, coreCount, pinSelf, shareCores } from '../machine/cores.ts'
import type { Contest } from '../measure/window.ts'
import type { Options } from '../options.ts'
import type { Contender } from '../servers/contender.ts'
import { whoIsHere } from '../servers/contenders.ts'
import { NOMENCLATOR, nomenclatorOn, serveFrom } from '../servers/nomenclator.ts'
import { type Pages, pagesOf } from '../servers/pages.ts'
import { RunningServer } from '../servers/running-server.ts'
import { type Built, syntheticRelease } from '../servers/synthetic-release.ts'
import { verifySame } from '../verify/same-answers.ts'

const SHARED = 'There are not enough cores: the servers and the load share them, and requests/s say little.'

export type Stage = AsyncDisposable & {
  readonly cores: Cores
  readonly built: Built
  readonly pages: Pages
  /** This service first. */
  readonly contenders: readonly Contender[]
  readonly servers: readonly RunningServer[]
  readonly defaultValue: readonly string[]
  readonly notes: readonly string[]
}

/** Starts this service and every peer that is installed, and makes sure that all give the same answers. */
export async function setStage(options: Options, wanted: readonly Contender[]): Promise<Stage> {
  const cores = shareCores(coreCount(), options.workers)
  pinSelf(cores.load)
  const { present, defaultValue } = whoIsHere(wanted)
  for (const sentence of defaultValue) console.log(`! ${sentence}`)
  if (!cores.apart) console.log(`! ${SHARED}`)
  const built = await syntheticRelease(1, options.fresh)
  const pages = await pagesOf(built, cores.server)
  const contenders = [nomenclatorOn(built.home), ...present]
  await using stack = new AsyncDisposableStack()
  const servers: RunningServer[] = []
  for (const contender of contenders) {
    const setting = { name: contender.name, launch: await contender.prepare(pages), cores: cores.server }
    servers.push(stack.use(await RunningServer.start({ ...setting, workers: options.workers })))
  }
  const [ours, ...theirs] = servers as [RunningServer, ...RunningServer[]]
  for (const server of theirs) await verifySame(ours, server, pages.totalPages)
  if (theirs.length > 0)
    console.log(`Same bytes and headers as nomenclator: ${theirs.map(({ name }) => name).join(', ')}`)
  const kept = stack.move()
  const notes = cores.apart ? [] : [SHARED]
  return {
    cores,
    built,
    pages,
    contenders,
    servers,
    defaultValue,
    notes,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

export const COMPARED_CONNECTIONS = 64

export function contest(server: RunningServer, load: Load, totalPages: number, how: Partial<Contest> = {}): Contest {
  const { connections = COMPARED_CONNECTIONS, reuse = true } = how
  return { server, load, totalPages, connections, reuse, generator: generatorFor(load, reuse) }
}

export const scaledName = (scale: number): string => `${NOMENCLATOR} ×${scale}`

/** This service over a release of another size. */
export const startScaled = (
  { home, scale }: Built,
  { server: cores }: Cores,
  workers: number,
): Promise<RunningServer> => RunningServer.start({ name: scaledName(scale), launch: serveFrom(home), cores, workers })

export const pagesAtScale = ({ localities }: Built): number => Math.ceil(localities / PER_PAGE)
