// Where tests put their files: in memory where there is room, since a flush to the disk is most of the time of a small import.
// And what a run of all tests has made for them before.
import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** In the environment: the directory of a run of all tests, which removes it at its end, whatever its tests left there. */
export const SCRATCH_VARIABLE = 'NOMENCLATOR_TEST_SCRATCH'

/** The directory that all test processes of a run share; undefined where a test file runs on its own. */
export const scratchOfRun = process.env[SCRATCH_VARIABLE]

/** In the environment: the executable of the program that a run of all tests has built. */
export const EXECUTABLE_VARIABLE = 'NOMENCLATOR_TEST_EXECUTABLE'

/** Its processes start in a third of the time that the sources take; undefined where a test file runs on its own. */
export const executableOfRun = process.env[EXECUTABLE_VARIABLE]

const MEMORY = '/dev/shm'
/** Many times what lies there at any moment. */
const NEEDED_BYTES = 4 * 2 ** 30

/** Whether it is a file system in memory from which programs can be started, and has room. */
function isRoomInMemory(path: string): boolean {
  try {
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
    const [, , type, options = 'noexec'] = mounts.findLast((line) => line.split(' ')[1] === path)?.split(' ') ?? []
    const { bavail, bsize } = statfsSync(path)
    return type === 'tmpfs' && !options.split(',').includes('noexec') && bavail * bsize >= NEEDED_BYTES
  } catch {
    return false
  }
}

export const scratch = scratchOfRun ?? (isRoomInMemory(MEMORY) ? MEMORY : tmpdir())
