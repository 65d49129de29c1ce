// A progress line on a terminal; nothing in a pipe.
import type { OnProgress } from '../release/build.ts'
import type { Terminal } from './command.ts'

const EVERY_MILLISECONDS = 100
const BAR = 24
const ERASE_LINE = '\r\x1b[2K'
const number = new Intl.NumberFormat('en')

export function progressLine(terminal: Terminal): { readonly onProgress: OnProgress; readonly clear: () => void } {
  if (!terminal.interactive) return { onProgress: () => {}, clear: () => {} }
  let drawn = 0
  return {
    onProgress: (entity, done, expected) => {
      const now = performance.now()
      if (now - drawn < EVERY_MILLISECONDS) return
      drawn = now
      terminal.err(`${ERASE_LINE}${bar(done, expected)} ${entity} ${number.format(done)}`)
    },
    clear: () => terminal.err(ERASE_LINE),
  }
}

function bar(done: number, expected: number | undefined): string {
  if (expected === undefined || expected === 0) return 'building'
  const filled = Math.round(Math.min(done / expected, 1) * BAR)
  return `building ${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`
}
