// What comes of a function that refuses requests by throwing problems.
import { type Problem, ProblemError } from '../../packages/server/src/http/problem.ts'

/** What the work gives, or the problem that it throws. */
export function outcomeOf<T>(work: () => T): T | Problem {
  try {
    return work()
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}
