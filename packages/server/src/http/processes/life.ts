// The lives of the parts that serve, as state machines: of a worker, of a supervisor with its workers, and of a scheduler; and the
// times after which a worker is stuck, or is started again.

type Transitions<S extends string, E extends string> = Readonly<Record<S, Readonly<Partial<Record<E, NoInfer<S>>>>>>

/** The place of something in its life. An event for which its state has no transition changes nothing. */
export class Life<S extends string, E extends string> {
  readonly #transitions: Transitions<S, E>
  #state: S

  constructor(transitions: Transitions<S, E>, first: NoInfer<S>) {
    this.#transitions = transitions
    this.#state = first
  }

  get state(): S {
    return this.#state
  }

  is(...states: readonly S[]): boolean {
    return states.includes(this.#state)
  }

  /** Takes an event; returns true if it changes the state. */
  on(event: E): boolean {
    const next = this.#transitions[this.#state][event]
    if (next === undefined) return false
    this.#state = next
    return true
  }
}

type WorkerState = 'starting' | 'failed' | 'ready' | 'draining' | 'finishing' | 'stuck' | 'replaced'
type WorkerEvent = 'listens' | 'closes' | 'may finish' | 'is silent' | 'exits'

/**
 * A page worker or a compute worker, from its start until another is in its place. It listens, then stops listening and waits until
 * it may finish: at the end of the service no worker sends its last responses before all have stopped listening.
 */
const WORKER = {
  starting: { listens: 'ready', closes: 'draining', 'is silent': 'failed', exits: 'failed' },
  // It has never served: whoever started it tries again.
  failed: {},
  ready: { closes: 'draining', 'is silent': 'stuck', exits: 'replaced' },
  draining: { 'may finish': 'finishing', 'is silent': 'stuck', exits: 'replaced' },
  finishing: { 'is silent': 'stuck', exits: 'replaced' },
  // It is killed, and replaced like any that died.
  stuck: { exits: 'replaced' },
  replaced: {},
} as const satisfies Transitions<WorkerState, WorkerEvent>

export const workerLife = () => new Life<WorkerState, WorkerEvent>(WORKER, 'starting')

type SupervisorState = 'steady' | 'replacing' | 'replacing, and once more' | 'stopping'
type SupervisorEvent = 'replace' | 'replaced' | 'stop'

/** A supervisor. However often its workers are to be replaced while that goes on, they are replaced once more. */
const SUPERVISOR = {
  steady: { replace: 'replacing', stop: 'stopping' },
  replacing: { replace: 'replacing, and once more', replaced: 'steady', stop: 'stopping' },
  'replacing, and once more': { replaced: 'replacing', stop: 'stopping' },
  stopping: {},
} as const satisfies Transitions<SupervisorState, SupervisorEvent>

export const supervisorLife = () => new Life<SupervisorState, SupervisorEvent>(SUPERVISOR, 'steady')

type SchedulerState = 'idle' | 'due' | 'running'
type SchedulerEvent = 'work' | 'nothing to do' | 'step' | 'step ended'

/** A scheduler: a step is due as soon as something waits, and never more than one runs. */
const SCHEDULER = {
  idle: { work: 'due' },
  due: { step: 'running', 'nothing to do': 'idle' },
  running: { 'step ended': 'due' },
} as const satisfies Transitions<SchedulerState, SchedulerEvent>

export const schedulerLife = () => new Life<SchedulerState, SchedulerEvent>(SCHEDULER, 'idle')

/** The wait before a worker is started again: twice as long each time, until a worker has run steadily. */
export class Backoff {
  static readonly FIRST_MILLISECONDS = 100
  static readonly MAX_MILLISECONDS = 10_000
  static readonly STEADY_MILLISECONDS = 10_000
  /** While no worker is left, nothing is served, and clients wait. */
  static readonly NONE_LEFT_MILLISECONDS = 1_000
  #milliseconds = Backoff.FIRST_MILLISECONDS

  /** Returns the next wait. */
  next(isAnyLeft: boolean): number {
    return isAnyLeft ? this.#milliseconds : Math.min(this.#milliseconds, Backoff.NONE_LEFT_MILLISECONDS)
  }

  /** Gives the next wait, and doubles the one after it. */
  take(isAnyLeft: boolean): number {
    const wait = this.next(isAnyLeft)
    this.#milliseconds = Math.min(this.#milliseconds * 2, Backoff.MAX_MILLISECONDS)
    return wait
  }

  workerDied(afterMilliseconds: number): void {
    if (afterMilliseconds > Backoff.STEADY_MILLISECONDS) this.#milliseconds = Backoff.FIRST_MILLISECONDS
  }
}

/**
 * The silence of a worker. Checks without a message are counted and not seconds: when the machine sleeps or all processes are
 * stopped, none takes place. One before which the worker waited for a core most of the time counts little: another in its place would
 * wait as well, and begin anew.
 */
export class Silence {
  static readonly CHECK_MILLISECONDS = 1_000
  static readonly MAX_CHECKS = 5
  /** A process that starts loads its program before it can report. */
  static readonly MAX_STARTING_CHECKS = 10
  static readonly #STARVED_CHECK = 0.1
  #checks = 0
  #waited = 0

  /** Called with every message. */
  end(): void {
    this.#checks = 0
  }

  /** Takes the time that the worker has waited for a core in all; returns true if it has been silent for too long. */
  check(waitedMilliseconds: number, maxChecks: number): boolean {
    const isStarved = waitedMilliseconds - this.#waited > Silence.CHECK_MILLISECONDS / 2
    this.#waited = waitedMilliseconds
    this.#checks += isStarved ? Silence.#STARVED_CHECK : 1
    return this.#checks > maxChecks
  }
}
