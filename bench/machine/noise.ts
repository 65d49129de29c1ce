// How much others used the cores of the server while it was measured.
import { readFileSync } from 'node:fs'

const TICK_MICROS = 10_000

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

export const busyMicros = (cores: readonly number[]): number => parseBusy(readFileSync('/proc/stat', 'utf8'), cores)
