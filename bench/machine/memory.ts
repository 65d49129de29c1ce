// The memory of a process and of all its children, as the kernel accounts it.
import { readFileSync } from 'node:fs'
import { treeOf } from './process-tree.ts'

export type Memory = {
  readonly residentBytes: number
  /** Mapped by no other process. Pages of a file count too while only one process maps them. */
  readonly privateBytes: number
  /** Heap and stacks: what no file stands behind, so the kernel cannot drop it. */
  readonly anonymousBytes: number
}

export type TreeMemory = Memory & { readonly processes: readonly Memory[] }

export function parseRollup(text: string): Memory {
  const bytes = (name: string): number => {
    const kilobytes = text.match(new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm'))?.[1]
    if (kilobytes === undefined) throw new Error(`smaps_rollup has no line ${name}`)
    return Number(kilobytes) * 1024
  }
  return {
    residentBytes: bytes('Rss'),
    privateBytes: bytes('Private_Clean') + bytes('Private_Dirty'),
    anonymousBytes: bytes('Anonymous'),
  }
}

/** Resident memory that processes share is counted once for each of them. */
export function memoryOf(root: number): TreeMemory {
  const processes = treeOf(root).map(({ pid }) => parseRollup(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')))
  const sum = (part: keyof Memory) => processes.reduce((total, memory) => total + memory[part], 0)
  return {
    residentBytes: sum('residentBytes'),
    privateBytes: sum('privateBytes'),
    anonymousBytes: sum('anonymousBytes'),
    processes,
  }
}
