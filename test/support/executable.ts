// The executable of the program for tests of the executable itself.
import { type Architecture, buildExecutable } from '../../tools/build.ts'
import { executableOfRun } from './scratch.ts'

/** The executable for this machine: built by the run of all tests, or now in this directory. */
export const executableFor = async (directory: string): Promise<string> =>
  executableOfRun ?? (await buildExecutable(process.arch as Architecture, directory))
