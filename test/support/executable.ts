// The executable of the program for tests of the executable itself.
import { type Architecture, buildExecutable } from '../../tools/build.ts'
import { executableOfRun } from './scratch.ts'

/** For this machine: the one that a run of all tests has built, or one that is built in this directory. */
export const executableFor = async (directory: string): Promise<string> =>
  executableOfRun ?? (await buildExecutable(process.arch as Architecture, directory))
