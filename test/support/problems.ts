// The outcome of a function that refuses requests by throwing problems.
import { type Problem, ProblemError } from '../../packages/server/src/http/problem.ts'

/** The result of a function, or the problem that it throws. */
export function outcomeOf<T>(run: () => T): T | Problem {
  try {
    return run()
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}
