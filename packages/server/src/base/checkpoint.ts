// Checkpoints of long work: a process that works for many clients checks again and again whether the job under way should go on.

/** Why work does not go on: no one waits for it any more, or it has used all the time that it may. */
export type StopReason = 'gone' | 'deadline'

/** Thrown out of work that is not to go on. */
export class WorkStopped extends Error {
  readonly reason: StopReason

  constructor(reason: StopReason) {
    super(reason === 'gone' ? 'no one waits for this work any more' : 'this work takes too long')
    this.reason = reason
  }
}

/** Throws WorkStopped if the work at hand is not to go on. */
export type Checkpoint = () => void

let atHand: Checkpoint | undefined

/** Says whose work the process goes on with; undefined when it is no one's. */
export function workOn(check: Checkpoint | undefined): void {
  atHand = check
}

/** Called by loops that may run for more than a millisecond or so, every few microseconds of their work. */
export function checkpoint(): void {
  atHand?.()
}
