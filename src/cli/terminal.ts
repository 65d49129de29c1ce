// Writes to the two output streams, whole and in order, whatever they are connected to.
import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Terminal } from './command.ts'

const OUT = 1
const ERR = 2
const encoder = new TextEncoder()
const PAUSE_MILLISECONDS = 1

export function processTerminal(): Terminal {
  return { out: (text) => writeAll(OUT, text), err: (text) => writeAll(ERR, text), interactive: isatty(ERR) }
}

/** process.stdout and process.stderr keep a position each, and overwrite one another in a file that both go to. */
function writeAll(descriptor: number, text: string): void {
  const bytes = encoder.encode(text)
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      // Whoever read has seen enough.
      if (code === 'EPIPE') process.exit(0)
      if (code !== 'EAGAIN') throw error
      Bun.sleepSync(PAUSE_MILLISECONDS)
    }
  }
}
