// The service over releases of different sizes: what each cost to build, and what it needs to serve.
import { rmSync } from 'node:fs'
import { loads } from '../load/loads.ts'
import { memoryOf } from '../machine/memory.ts'
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
const BUILDS = 3

export type Size = {
  readonly built: Built
  readonly build: Building
  readonly server: RunningServer
  readonly start: Spread
}

/** Builds of the usual size, in a place of their own: the release that is served stays as it is. */
export async function timedBuilds(): Promise<Building[]> {
  const builds: Building[] = []
  for (let build = 0; build < BUILDS; build++) builds.push(await buildRelease(1, workPath('build')))
  rmSync(workPath('build'), { recursive: true })
  return builds
}

export const buildRate = (builds: readonly Building[]): Spread =>
  spreadOf(builds.map(({ localities, seconds }) => localities / seconds))

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
