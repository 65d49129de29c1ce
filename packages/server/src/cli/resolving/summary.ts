// The summary of a resolved table: rows by verdict, and the values that were not resolved.
import { VERDICTS, type Verdict } from '../../query/resolve/verdict.ts'

/** The most values in the summary. */
const MAX_UNRESOLVED = 10
/** The most different values that are counted. */
const MAX_COUNTED = 100_000
const number = new Intl.NumberFormat('en')
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

export class Summary {
  rows = 0
  readonly #started = performance.now()
  readonly #verdicts = new Map<Verdict, number>(VERDICTS.map((verdict) => [verdict, 0]))
  readonly #unresolved = new Map<string, number>()

  count(verdict: Verdict, cells: readonly string[]): void {
    this.rows++
    this.#verdicts.set(verdict, (this.#verdicts.get(verdict) ?? 0) + 1)
    if (verdict !== 'ambiguous' && verdict !== 'none') return
    const value = cells.join(', ')
    const rows = this.#unresolved.get(value) ?? 0
    if (rows > 0 || this.#unresolved.size < MAX_COUNTED) this.#unresolved.set(value, rows + 1)
  }

  get #mostFrequent() {
    return [...this.#unresolved]
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_UNRESOLVED)
      .map(([value, rows]) => ({ value, rows }))
  }

  get #seconds(): number {
    return Math.round(performance.now() - this.#started) / 1_000
  }

  json() {
    const { rows } = this
    const verdicts = Object.fromEntries(this.#verdicts)
    return { rows, ...verdicts, seconds: this.#seconds, unresolved: this.#mostFrequent }
  }

  text(): string {
    const lines = [`${number.format(this.rows)} ${this.rows === 1 ? 'row' : 'rows'} in ${this.#seconds.toFixed(1)} s`]
    for (const [verdict, rows] of this.#verdicts)
      lines.push(
        `  ${verdict.padEnd(10)}${number.format(rows).padStart(10)}  ${percent.format(this.rows === 0 ? 0 : rows / this.rows)}`,
      )
    const unresolved = this.#mostFrequent
    if (unresolved.length > 0) lines.push('Most frequent values that were not resolved:')
    for (const { value, rows } of unresolved) lines.push(`${number.format(rows).padStart(10)}  ${value}`)
    return `${lines.join('\n')}\n`
  }
}
