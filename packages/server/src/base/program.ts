// Finds the files of the program itself: sources in a checkout or an installed package, which the launcher may have compiled, or one
// executable with its files inside.
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

const PROGRAM_DIRECTORY = dirname(process.execPath)
/** The launcher keeps the compiled sources of a package in this directory among what is installed for it. */
const isCompiled = Bun.isStandaloneExecutable && basename(PROGRAM_DIRECTORY) === '.compiled'
const standsAlone = Bun.isStandaloneExecutable && !isCompiled

const PACKAGE = join(isCompiled ? PROGRAM_DIRECTORY : import.meta.dir, '..', '..')
/** A checkout has what ships with the program beside its packages; packing copies it into the package. */
const isCheckout = PACKAGE.endsWith(join('/packages', 'server'))

/** The directory of shipped files. In an executable all modules are one, and the files that it was built with are beside it. */
const ROOT = standsAlone ? import.meta.dir : isCheckout ? join(PACKAGE, '..', '..') : PACKAGE

/** The path of a file or directory that ships with the program. In an executable, read it with Bun.file or readFileSync. */
export const shippedFile = (path: string): string => join(ROOT, path)

/** The beginning of a command line that runs this program. */
export const programCommand: readonly string[] = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, join(PACKAGE, 'src', 'main.ts')]

/** The home that is used if none is given. */
export const defaultHome = (): string =>
  standsAlone
    ? join(process.env.XDG_DATA_HOME || join(process.env.HOME || homedir(), '.local', 'share'), 'nomenclator')
    : join(ROOT, 'var')
