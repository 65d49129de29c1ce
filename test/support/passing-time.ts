// Time that passes when a test says so: a limit is reached at once, and never by a machine that is slow.
import { spyOn } from 'bun:test'

const real = { now: performance.now.bind(performance), setInterval, setTimeout, clearTimeout }
/** A pause that is waited for; whatever is longer is a limit. */
const PAUSE_MILLISECONDS = 1_000

/** While it is there, limits are reached when so much time has passed, and what is to be done at intervals is done once when one or more have. */
export class PassingTime implements Disposable {
  readonly #ticks: { readonly every: number; readonly tick: () => void; last: number }[] = []
  readonly #limits = new Map<unknown, { readonly at: number; readonly reached: () => void }>()
  readonly #spies: readonly { mockRestore(): void }[]
  #passed = 0

  constructor() {
    this.#spies = [
      spyOn(performance, 'now').mockImplementation(() => real.now() + this.#passed),
      spyOn(globalThis, 'setInterval').mockImplementation(((tick: () => void, every = 0) => {
        this.#ticks.push({ every, tick, last: this.#passed })
        return unused()
      }) as typeof setInterval),
      spyOn(globalThis, 'setTimeout').mockImplementation(((reached: () => void, milliseconds = 0) => {
        if (milliseconds <= PAUSE_MILLISECONDS) return real.setTimeout(reached, milliseconds)
        const timer = unused()
        this.#limits.set(timer, { at: this.#passed + milliseconds, reached })
        return timer
      }) as typeof setTimeout),
      spyOn(globalThis, 'clearTimeout').mockImplementation(((timer?: Timer) => {
        this.#limits.delete(timer)
        real.clearTimeout(timer)
      }) as typeof clearTimeout),
    ]
  }

  pass(milliseconds: number): void {
    this.#passed += milliseconds
    for (const one of this.#ticks) {
      if (this.#passed - one.last < one.every) continue
      one.last = this.#passed
      one.tick()
    }
    for (const [timer, { at, reached }] of this.#limits) if (at <= this.#passed && this.#limits.delete(timer)) reached()
  }

  /** Lets it pass again and again until something is the case. */
  async passUntil(isSo: () => boolean, milliseconds: number): Promise<void> {
    for (; !isSo(); await Bun.sleep(1)) this.pass(milliseconds)
  }

  [Symbol.dispose](): void {
    for (const spy of this.#spies) spy.mockRestore()
  }
}

const unused = () => real.setInterval(() => {}, 1_000_000_000).unref()
