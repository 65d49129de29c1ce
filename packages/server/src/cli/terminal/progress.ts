// A progress line on a terminal, with rate and time left; nothing in a pipe.
import type { Terminal } from '../command.ts'
import { ERASE_LINE } from './terminal.ts'

const EVERY_MILLISECONDS = 100
const BAR = 24
const number = new Intl.NumberFormat('en')
const megabytes = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** How an amount is written: of records, or of bytes. */
type AmountText = (amount: number) => string

const recordsText: AmountText = (records) => number.format(Math.round(records))
export const bytesText: AmountText = (bytes) => `${megabytes.format(bytes / 1e6)} MB`

/** A line that is cleared when it is disposed. */
type Progress = Disposable & {
  readonly show: (what: string, done: number, expected: number | undefined) => void
  readonly clear: () => void
}

export function progressLine(
  terminal: Terminal,
  amountText: AmountText = recordsText,
  now: () => number = () => performance.now(),
): Progress {
  if (!terminal.interactive) return { show: () => {}, clear: () => {}, [Symbol.dispose]: () => {} }
  const clear = () => terminal.err(ERASE_LINE)
  let drawn = Number.NEGATIVE_INFINITY
  let begun = { what: '', at: 0, done: 0 }
  return {
    show: (what, done, expected) => {
      const at = now()
      if (begun.what !== what || done < begun.done) begun = { what, at, done }
      if (at - drawn < EVERY_MILLISECONDS) return
      drawn = at
      const rate = at > begun.at ? ((done - begun.done) * 1_000) / (at - begun.at) : 0
      const total = expected === undefined ? '' : ` of ${amountText(expected)}`
      const amount = `${amountText(done)}${total}`
      clear()
      terminal.err(`${bar(done, expected)}${what} ${amount}${pace(rate, done, expected, amountText)}`)
    },
    clear,
    [Symbol.dispose]: clear,
  }
}

function bar(done: number, expected: number | undefined): string {
  if (expected === undefined || expected === 0) return ''
  const filled = Math.round(Math.min(done / expected, 1) * BAR)
  return `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} `
}

function pace(rate: number, done: number, expected: number | undefined, amountText: AmountText): string {
  if (rate <= 0) return ''
  const left = expected === undefined ? '' : `, ${Math.max(0, Math.ceil((expected - done) / rate))} s left`
  return `, ${amountText(rate)} a second${left}`
}
