// Writes to the two output streams, whole and in order, whatever they are connected to.
import { fstatSync, writeSync } from 'node:fs'
import { tty } from '../../base/built-ins.ts'
import { visibleText } from '../../base/visible-text.ts'
import type { Terminal } from '../command.ts'

const OUT = 1
const ERR = 2
const encoder = new TextEncoder()
const PAUSE_MILLISECONDS = 1

/** The only control characters of our own. It is written alone. */
export const ERASE_LINE = '\r\x1b[2K'

/** A command ends when the reader of its output is gone, as in a pipe to head; a service goes on. */
export function processTerminal(isService: (argv: readonly string[]) => boolean): Terminal {
  const onReaderGone = isService(process.argv.slice(2)) ? () => {} : () => process.exit(0)
  return {
    out: (text) => writeAll(OUT, visibleText(text), onReaderGone),
    err: (text) => writeAll(ERR, text === ERASE_LINE ? text : visibleText(text), onReaderGone),
    data: (text) => writeAll(OUT, isTerminal(OUT) ? visibleText(text) : text, onReaderGone),
    interactive: isTerminal(ERR),
  }
}

/** A pipe or a file is none, without a further look. */
const isTerminal = (descriptor: number) => fstatSync(descriptor).isCharacterDevice() && tty().isatty(descriptor)

/** process.stdout and process.stderr keep a position each, and overwrite one another in a file that both go to. */
function writeAll(descriptor: number, text: string, onReaderGone: () => void): void {
  const bytes = encoder.encode(text)
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EPIPE') {
        onReaderGone()
        return
      }
      if (code !== 'EAGAIN') throw error
      Bun.sleepSync(PAUSE_MILLISECONDS)
    }
  }
}
