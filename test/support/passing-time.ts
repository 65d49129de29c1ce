// Time that passes when a test says so: a limit is reached at once, and never by a machine that is slow.
import { spyOn } from 'bun:test'

const [now, interval] = [performance.now.bind(performance), setInterval]
const UNUSED_MILLISECONDS = 1_000_000_000

/** While it is there, what is to be done at intervals is done whenever time passes, and only then. */
export class PassingTime implements Disposable {
  readonly #ticks: (() => void)[] = []
  readonly #spies: readonly { mockRestore(): void }[]
  #passed = 0

  constructor() {
    this.#spies = [
      spyOn(performance, 'now').mockImplementation(() => now() + this.#passed),
      spyOn(globalThis, 'setInterval').mockImplementation(((tick: () => void) => {
        this.#ticks.push(tick)
        return interval(() => {}, UNUSED_MILLISECONDS).unref()
      }) as typeof setInterval),
    ]
  }

  pass(milliseconds: number): void {
    this.#passed += milliseconds
    for (const tick of this.#ticks) tick()
  }

  /** Lets it pass again and again until something is the case. */
  async passUntil(isSo: () => boolean, milliseconds: number): Promise<void> {
    for (; !isSo(); await Bun.sleep(1)) this.pass(milliseconds)
  }

  [Symbol.dispose](): void {
    for (const spy of this.#spies) spy.mockRestore()
  }
}
