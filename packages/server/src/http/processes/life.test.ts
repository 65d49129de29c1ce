// The lives of workers, supervisors and schedulers, a step at a time.
import { describe, expect, test } from 'bun:test'
import { type Life, Silence, schedulerLife, supervisorLife, workerLife } from './life.ts'

/** The states that some events lead through, from the first on. */
function statesOf<S extends string, E extends string>(life: Life<S, E>, events: readonly E[]): S[] {
  const stateAfter = (event: E) => {
    life.on(event)
    return life.state
  }
  return [life.state, ...events.map(stateAfter)]
}

describe('a worker', () => {
  test.each<[name: string, events: readonly Parameters<ReturnType<typeof workerLife>['on']>[0][], end: string]>([
    ['serves until it dies', ['listens', 'exits'], 'replaced'],
    ['finishes when it may', ['listens', 'closes', 'may finish', 'exits'], 'replaced'],
    ['may not finish while it listens', ['listens', 'may finish'], 'ready'],
    ['may finish once', ['listens', 'closes', 'may finish', 'may finish'], 'finishing'],
    ['is stuck if it is silent, and stays so', ['listens', 'is silent', 'listens', 'closes'], 'stuck'],
    ['is replaced when it was stuck', ['listens', 'is silent', 'exits'], 'replaced'],
    ['is stuck if it is silent while it drains', ['listens', 'closes', 'is silent'], 'stuck'],
    ['has failed if it never listened', ['exits'], 'failed'],
    ['has failed if it was silent before it listened', ['is silent', 'exits'], 'failed'],
    ['that is told to stop before it listens drains', ['closes', 'may finish', 'exits'], 'replaced'],
  ])('%s', (_name, events, end) => {
    expect(statesOf(workerLife(), events).at(-1)).toBe(end as never)
  })
})

describe('a supervisor', () => {
  test('replaces its workers once more, however often that is wanted meanwhile', () => {
    expect(statesOf(supervisorLife(), ['replace', 'replace', 'replace', 'replaced', 'replaced'])).toEqual([
      'steady',
      'replacing',
      'replacing, and once more',
      'replacing, and once more',
      'replacing',
      'steady',
    ])
  })

  test.each([[[]], [['replace']], [['replace', 'replace']]] as const)('stops after %j, and for good', (events) => {
    const life = supervisorLife()
    expect(statesOf(life, [...events, 'stop', 'replaced', 'replace']).slice(-3)).toEqual(Array(3).fill('stopping'))
  })
})

test('a scheduler has one step due or running', () => {
  const life = schedulerLife()
  expect(life.on('work')).toBe(true)
  expect(life.on('work')).toBe(false)
  expect(statesOf(life, ['step', 'work', 'step ended', 'nothing to do'])).toEqual([
    'due',
    'running',
    'running',
    'due',
    'idle',
  ])
})

describe('silence', () => {
  const checksUntilTooLong = (waited: (check: number) => number) => {
    const silence = new Silence()
    let checks = 0
    while (!silence.check(waited(++checks), Silence.MAX_CHECKS)) if (checks > 100) return Number.POSITIVE_INFINITY
    return checks
  }

  test('is too long after so many checks', () => expect(checksUntilTooLong(() => 0)).toBe(Silence.MAX_CHECKS + 1))

  test('lasts longer for a worker that waits for a core', () => {
    expect(checksUntilTooLong((check) => check * Silence.CHECK_MILLISECONDS)).toBeGreaterThan(Silence.MAX_CHECKS * 9)
  })

  test('ends with a message', () => {
    const silence = new Silence()
    for (let check = 0; check < 100; check++) {
      silence.end()
      expect(silence.check(0, Silence.MAX_CHECKS)).toBe(false)
    }
  })
})
