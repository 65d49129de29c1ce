// The service over releases of different sizes: what each cost to build, and what it needs to serve.
import { rmSync } from 'node:fs'
import { loads } from '../load/loads.ts'
import { memoryOf } from '../machine/memory.ts'
import { NOISY } from '../machine/noise.ts'
import { workPath } from '../machine/places.ts'
import type { Measured } from '../measure/findings.ts'
import type { Growth } from '../measure/results.ts'
import { type Spread, spreadOf } from '../measure/spread.ts'
import { startTimes } from '../measure/start-time.ts'
import type { Options } from '../options.ts'
import type { RunningServer } from '../servers/running-server.ts'
import { type Building, type Built, buildRelease, diskBytes, homeOf } from '../servers/synthetic-release.ts'
import { pagesAtScale, type Stage, startScaled } from './stage.ts'

const STARTS = 11
const MAX_DISTURBED = 2

export type Size = {
  readonly built: Built
  readonly build: Building
  readonly server: RunningServer
  readonly start: Spread
}

export type TimedBuilds = { readonly builds: readonly Building[]; readonly rate: Spread; readonly note: string }

/**
 * Builds of the usual size, in a place of their own: the release that is served stays as it is. Those during which the
 * host gave the processors to other machines do not count, unless there are too many of them.
 */
export async function timedBuilds(count: number): Promise<TimedBuilds> {
  const all: Building[] = []
  const quiet = () => all.filter(({ stolen }) => stolen <= NOISY)
  while (quiet().length < count && all.length < count * (1 + MAX_DISTURBED)) {
    all.push(await buildRelease(1, workPath('build')))
  }
  rmSync(workPath('build'), { recursive: true })
  const builds = quiet().length < count ? all : quiet()
  const rate = spreadOf(builds.map(({ localities, seconds }) => localities / seconds))
  return { builds, rate, note: buildNote(all, builds) }
}

function buildNote(all: readonly Building[], counted: readonly Building[]): string {
  const disturbed = all.filter(({ stolen }) => stolen > NOISY)
  const { median } = spreadOf(all.map(({ localities, seconds }) => localities / seconds))
  const outcome = counted.length === all.length ? 'all of them count' : 'they do not count'
  return (
    `Release build: the time is that of the build alone, as the import reports it. In ${disturbed.length} of ` +
    `${all.length} builds the host gave more than ${NOISY * 100} % of the processors to other machines; ${outcome}. ` +
    `The median of all is ${Math.round(median).toLocaleString('en')} localities/s.`
  )
}

/** The usual size is on stage already; larger ones are built anew and started beside it. */
export async function sizes(stage: Stage, builds: readonly Building[], options: Options): Promise<Size[]> {
  const middle = builds.toSorted((a, b) => a.seconds - b.seconds)[builds.length >> 1] as Building
  const [server] = stage.servers as [RunningServer]
  const start = await startTimes(stage.built.home, STARTS, stage.cores.server)
  const found: Size[] = [{ built: stage.built, build: middle, server, start }]
  for (const scale of [10, 100].filter((each) => each <= options.growth)) {
    console.log(`Building ${scale} times the localities`)
    const build = await buildRelease(scale, homeOf(scale))
    const scaled = await startTimes(build.home, STARTS, stage.cores.server)
    found.push({ built: build, build, server: await startScaled(build, stage.cores, options.workers), start: scaled })
  }
  return found
}

export const sizeContests = (all: readonly Size[]) =>
  all.slice(1).map(({ built, server }) => ({ server, load: loads.random, totalPages: pagesAtScale(built) }))

/** Once the loads at 64 connections are over, so that every page has been read that will be. */
export function growthOf(all: readonly Size[], measured: Measured): Growth[] {
  return all.map(({ built, build, server, start }) => {
    const random = [...measured].find(([each]) => each.server === server && each.load.name === 'random')
    const memory = memoryOf(server.pid)
    return {
      scale: built.scale,
      localities: built.localities,
      cpuMicros: spreadOf((random?.[1] ?? []).map(({ cpuMicros }) => cpuMicros)),
      startMilliseconds: start,
      build: { seconds: build.seconds, peakBytes: build.peakBytes },
      diskBytes: diskBytes(built.home),
      residentBytes: memory.residentBytes,
      anonymousBytes: memory.anonymousBytes,
    }
  })
}
