// How much others used the cores while something was measured on them.
import { readFileSync } from 'node:fs'

const TICK_MICROS = 10_000

/** Above this share of the cores, figures say as much of the neighbours as of what was measured. */
export const NOISY = 0.05

/** From /proc/stat: user, nice, system and stolen time of the cores given, in microseconds; interrupts are left out. */
export function parseBusy(text: string, cores: readonly number[]): number {
  const ticks = cores.map((core) => {
    const line = text.split('\n').find((candidate) => candidate.startsWith(`cpu${core} `))
    if (line === undefined) throw new Error(`/proc/stat has no line for core ${core}`)
    const fields = line.split(' ').slice(1).map(Number)
    return (fields[0] ?? 0) + (fields[1] ?? 0) + (fields[2] ?? 0) + (fields[7] ?? 0)
  })
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MICROS
}

/** From /proc/stat: how many ticks all cores had, and how many of them the host gave to other machines. */
export function parseStolen(text: string): { readonly ticks: number; readonly stolen: number } {
  const fields = (text.split('\n')[0] ?? '').trim().split(/\s+/).slice(1, 9).map(Number)
  return { ticks: fields.reduce((sum, each) => sum + each, 0), stolen: fields[7] ?? 0 }
}

/** To be called when something begins; what it gives is called in the end, and tells which share was stolen meanwhile. */
export function watchStolen(): () => number {
  const read = () => parseStolen(readFileSync('/proc/stat', 'utf8'))
  const before = read()
  return () => {
    const after = read()
    return (after.stolen - before.stolen) / Math.max(after.ticks - before.ticks, 1)
  }
}

export const busyMicros = (cores: readonly number[]): number => parseBusy(readFileSync('/proc/stat', 'utf8'), cores)
