// The memory of a service and all its processes, as the kernel accounts it, watched while something happens.
import { readFileSync } from 'node:fs'
import { processTree } from '../../bench/machine.ts'

export type Memory = {
  /** Proportional: what several processes share counts once. */
  readonly pss: number
  /** The part of it that is no file, such as heaps and buffers. */
  readonly anonymous: number
}

const NONE: Memory = { pss: 0, anonymous: 0 }
const MEGABYTE = 1_000_000

/** Of a process and those below it, in megabytes. */
export function memoryOf(root: number): Memory {
  return processTree(root).reduce((sum, { pid }) => {
    const one = memoryOfOne(pid)
    return { pss: sum.pss + one.pss, anonymous: sum.anonymous + one.anonymous }
  }, NONE)
}

function memoryOfOne(pid: number): Memory {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const megabytes = (name: string) =>
      Number(text.match(new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm'))?.[1] ?? 0) * (1_024 / MEGABYTE)
    return { pss: megabytes('Pss'), anonymous: megabytes('Pss_Anon') }
  } catch {
    // It ended while the list was being read.
    return NONE
  }
}

export type MemorySeen = { readonly before: Memory; readonly peak: Memory; readonly after: Memory }

/** Looks at the memory several times a second, and keeps the largest. */
export class MemoryWatch implements Disposable {
  static readonly #MILLISECONDS = 200
  readonly #root: number
  readonly #watching: Timer
  readonly before: Memory
  peak: Memory

  constructor(root: number) {
    this.#root = root
    this.before = memoryOf(root)
    this.peak = this.before
    this.#watching = setInterval(() => this.look(), MemoryWatch.#MILLISECONDS)
  }

  look(): Memory {
    const seen = memoryOf(this.#root)
    this.peak = {
      pss: Math.max(this.peak.pss, seen.pss),
      anonymous: Math.max(this.peak.anonymous, seen.anonymous),
    }
    return seen
  }

  [Symbol.dispose](): void {
    clearInterval(this.#watching)
  }
}

/** The slope of the straight line that is nearest to the points, by least squares. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  const [covariance, variance] = points.reduce(
    ([xy, xx], [x, y]) => [xy + (x - meanX) * (y - meanY), xx + (x - meanX) ** 2],
    [0, 0],
  )
  return variance === 0 ? 0 : covariance / variance
}
