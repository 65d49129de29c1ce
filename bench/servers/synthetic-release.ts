// Releases of invented data for the benchmark: built with the program itself, and kept between runs.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { coreCount, pinned } from '../machine/cores.ts'
import { watchStolen } from '../machine/noise.ts'
import { BUN, MAIN, ROOT, workPath } from '../machine/places.ts'

export type Built = {
  readonly home: string
  readonly scale: number
  readonly localities: number
  /** Names the release and the time of its building, so that copies made from it can be told to be fresh. */
  readonly key: string
}

export type Building = Built & {
  /** Of the build alone, as the program reports it: not its start, nor the activation. */
  readonly seconds: number
  /** The share of the processors that the host gave to other machines meanwhile. */
  readonly stolen: number
  readonly peakBytes: number
  readonly diskBytes: number
}

type Listed = {
  readonly digest: string
  readonly current: boolean
  readonly manifest: {
    readonly built?: string
    readonly source?: { readonly options?: { readonly scale?: number } }
    readonly entities?: { readonly localidad: { readonly count: number } }
  }
}

export const homeOf = (scale: number): string => workPath(`x${scale}`)

/** The release of that scale: the one that is there, if this program can read it, or else a new one. */
export async function syntheticRelease(scale: number, fresh = false): Promise<Built> {
  const found = fresh ? undefined : current(homeOf(scale), scale)
  return found ?? (await buildRelease(scale, homeOf(scale)))
}

/** Builds anew in a place of its own, and measures that. */
export async function buildRelease(scale: number, home: string): Promise<Building> {
  rmSync(home, { recursive: true, force: true })
  const command = [BUN, MAIN, 'import', 'synthetic', '--scale', String(scale), '--home', home, '--json']
  const everyCore = Array.from({ length: coreCount() }, (_, core) => core)
  const stolen = watchStolen()
  const child = Bun.spawn(pinned(everyCore, command), { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  const report = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error(`${command.slice(2).join(' ')} failed`)
  const { seconds } = JSON.parse(report) as { seconds: number }
  const built = current(home, scale)
  if (built === undefined) throw new Error(`there is no release of scale ${scale} after building it`)
  return {
    ...built,
    seconds,
    stolen: stolen(),
    peakBytes: child.resourceUsage()?.maxRSS ?? 0,
    diskBytes: diskBytes(home),
  }
}

function current(home: string, scale: number): Built | undefined {
  const { stdout, stderr, exitCode } = Bun.spawnSync([BUN, MAIN, 'releases', '--json', '--home', home], { cwd: ROOT })
  if (exitCode !== 0) throw new Error(`nomenclator releases failed: ${stderr}`)
  const listed: Listed[] = JSON.parse(stdout.toString())
  const found = listed.find((entry) => entry.current)
  if (found?.manifest.source?.options?.scale !== scale) return undefined
  const { digest, manifest } = found
  const localities = manifest.entities?.localidad.count
  if (localities === undefined || manifest.built === undefined) return undefined
  return { home, scale, localities, key: `${digest.slice(0, 12)}-${Date.parse(manifest.built)}` }
}

export function diskBytes(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
