// The directory for files of tests: in memory if there is room, since a flush to the disk is most of the time of a small import.
// Also the executable that a run of all tests has built for them.
import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** The environment variable with the directory of a run of all tests, which removes it at its end. */
export const SCRATCH_VARIABLE = 'NOMENCLATOR_TEST_SCRATCH'

/** The directory that all test processes of a run share; undefined where a test file runs on its own. */
export const scratchOfRun = process.env[SCRATCH_VARIABLE]

/** The environment variable with the executable that a run of all tests has built. */
export const EXECUTABLE_VARIABLE = 'NOMENCLATOR_TEST_EXECUTABLE'

/** The executable, which starts in a third of the time of the sources; undefined where a test file runs on its own. */
export const executableOfRun = process.env[EXECUTABLE_VARIABLE]

const MEMORY = '/dev/shm'
/** Many times the size of the files of all tests at any moment. */
const NEEDED_BYTES = 4 * 2 ** 30

/** True if the path is a file system in memory that has room and from which programs can be started. */
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
