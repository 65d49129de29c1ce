// The memory that is kept for the client of a connection, as it is counted towards the budget of that client.
import type { Budget } from '../limits/budget.ts'

export class KeptBytes {
  readonly #budget: Budget
  #counted = 0
  #client = ''

  constructor(budget: Budget) {
    this.#budget = budget
  }

  get counted(): number {
    return this.#counted
  }

  /**
   * Counts what is kept now; the client is named when its first bytes are. Returns the refusal of one that has used up its budget,
   * needs still more, and may be refused.
   */
  count(kept: number, clientOf: () => string, mayRefuse: boolean, isBody: boolean): ReturnType<Budget['refusal']> {
    const more = kept - this.#counted
    if (this.#counted === 0) this.#client = clientOf()
    const refusal = more > 0 && mayRefuse ? this.#budget.refusal(this.#client, isBody) : undefined
    this.#counted = kept
    this.#budget.keepBytes(this.#client, more)
    if (refusal !== undefined) this.#budget.countRefusal('bytes')
    return refusal
  }
}
