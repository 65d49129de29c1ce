// The progress line shows amounts, rate and time left; a pipe gets nothing.
import { describe, expect, test } from 'bun:test'
import { bytesText, progressLine } from './progress.ts'
import { ERASE_LINE } from './terminal.ts'

/** The lines that are drawn for amounts by the millisecond at which they were done. */
function shown(interactive: boolean, amountText: typeof bytesText | undefined, total: number | undefined, done: Done) {
  const written: string[] = []
  const terminal = { out: () => {}, err: (text: string) => written.push(text), data: () => {}, interactive }
  let time = 0
  const progress = progressLine(terminal, amountText, () => time)
  for (const [at, amount] of Object.entries(done)) {
    time = Number(at)
    progress.show('read', amount, total)
  }
  return written.filter((text) => text !== ERASE_LINE).map((text) => text.replace(/^[█░]+ /, ''))
}
type Done = Readonly<Record<number, number>>

describe('a progress line', () => {
  test.each<[string, typeof bytesText | undefined, total: number | undefined, Done, string]>([
    ['of records', undefined, 9_000, { 0: 0, 1000: 3_000 }, 'read 3,000 of 9,000, 3,000 a second, 2 s left'],
    ['of bytes', bytesText, 55e6, { 0: 0, 4000: 12.34e6 }, 'read 12.3 MB of 55.0 MB, 3.1 MB a second, 14 s left'],
    ['of an unknown total', bytesText, undefined, { 0: 0, 2000: 3e6 }, 'read 3.0 MB, 1.5 MB a second'],
    ['continued', bytesText, 55e6, { 0: 50e6, 1000: 51e6 }, 'read 51.0 MB of 55.0 MB, 1.0 MB a second, 4 s left'],
    [
      'that begins anew',
      bytesText,
      60e6,
      { 0: 50e6, 1000: 0, 2000: 6e6 },
      'read 6.0 MB of 60.0 MB, 6.0 MB a second, 9 s left',
    ],
  ])('%s', (_, amountText, total, done, expected) => expect(shown(true, amountText, total, done).at(-1)).toBe(expected))

  test.each([
    ['nothing done', 0, 0],
    ['half done', 50, 12],
    ['all done', 100, 24],
    ['more than expected', 150, 24],
  ])('has a bar: %s', (_, done, filled) => {
    const written: string[] = []
    const terminal = { out: () => {}, err: (text: string) => written.push(text), data: () => {}, interactive: true }
    progressLine(terminal).show('read', done, 100)
    expect(written[0]).toBe(ERASE_LINE)
    expect(written[1]).toStartWith(`${'█'.repeat(filled)}${'░'.repeat(24 - filled)} read`)
  })

  test('has no time left when all is done, or more', () => {
    const lines = shown(true, undefined, 10, { 0: 0, 1000: 10, 2000: 30 })
    expect(lines.slice(1)).toEqual(['read 10 of 10, 10 a second, 0 s left', 'read 30 of 10, 15 a second, 0 s left'])
  })

  test('begins anew with other work', () => {
    const written: string[] = []
    const terminal = { out: () => {}, err: (text: string) => written.push(text), data: () => {}, interactive: true }
    let time = 0
    const progress = progressLine(terminal, undefined, () => time)
    progress.show('one', 0, undefined)
    time = 1_000
    progress.show('other', 500, undefined)
    time = 2_000
    progress.show('other', 600, undefined)
    expect(written.at(-1)).toEndWith('other 600, 100 a second')
    progress.clear()
    expect(written.at(-1)).toBe(ERASE_LINE)
  })

  test('is drawn ten times a second at most', () => {
    const times = (...at: number[]) =>
      shown(true, undefined, 1_000, Object.fromEntries(at.map((one) => [one, one]))).length
    expect([times(0, 99), times(0, 100), times(0, 50, 150)]).toEqual([1, 2, 2])
    expect(times(...Array.from({ length: 1_000 }, (_, at) => at))).toBe(10)
  })

  test('is not written to a pipe', () => expect(shown(false, bytesText, 10, { 0: 0 })).toEqual([]))
})
