// All commands: in which file each is, and in which section of the help.
import type { Command } from './command.ts'

/** A file of commands, the first words that call them, and one line for all of them if the overview has no more. */
export type CommandFile = {
  readonly words: readonly string[]
  readonly summary?: string
  readonly load: () => Promise<readonly Command[]>
}

/** All commands in the order of the help. A file is loaded when a command of it is called or described. */
export const sections: readonly { readonly title: string; readonly files: readonly CommandFile[] }[] = [
  {
    title: 'Serve',
    files: [
      { words: ['serve'], load: async () => [(await import('./commands/serve.ts')).serveCommand] },
      { words: ['health'], load: async () => [(await import('./commands/health.ts')).health] },
      { words: ['doctor'], load: async () => [(await import('./commands/doctor.ts')).doctor] },
    ],
  },
  {
    title: 'Your lists',
    files: [
      { words: ['resolve'], load: async () => [(await import('./commands/resolve.ts')).resolveCommand] },
      { words: ['describe'], load: async () => [(await import('./commands/describe.ts')).describeCommand] },
      { words: ['check'], load: async () => [(await import('./commands/check-package.ts')).checkPackageCommand] },
      { words: ['import'], load: async () => [(await import('./commands/import-package.ts')).importPackage] },
      { words: ['import'], load: async () => [(await import('./commands/import-inegi.ts')).importInegi] },
      { words: ['import'], load: async () => [(await import('./commands/import-sepomex.ts')).importSepomex] },
      { words: ['import'], load: async () => [(await import('./commands/import-boundaries.ts')).importBoundaries] },
      { words: ['import'], load: async () => [(await import('./commands/import-v1.ts')).importV1] },
      { words: ['import'], load: async () => [(await import('./commands/import-bundled.ts')).importBundled] },
      { words: ['packages', 'remove'], load: async () => (await import('./commands/packages.ts')).packageCommands },
      { words: ['export'], load: async () => [(await import('./commands/export-package.ts')).exportPackageCommand] },
    ],
  },
  {
    title: 'Releases',
    files: [
      {
        words: ['releases', 'activate', 'rollback'],
        load: async () => (await import('./commands/releases.ts')).releaseCommands,
      },
      { words: ['diff'], load: async () => [(await import('./commands/diff.ts')).diff] },
      { words: ['upgrade'], load: async () => [(await import('./commands/upgrade.ts')).upgrade] },
      {
        words: ['keygen', 'sign', 'verify-release', 'rotate-keys'],
        load: async () => (await import('./commands/signing.ts')).signingCommands,
      },
    ],
  },
  {
    title: 'Many machines',
    files: [
      { words: ['import'], load: async () => [(await import('./commands/import-mirror.ts')).importMirror] },
      { words: ['export'], load: async () => [(await import('./commands/export-shelf.ts')).exportShelfCommand] },
      {
        words: ['shelf'],
        summary: 'Make, inspect and repair a shelf in PostgreSQL',
        load: async () => (await import('./commands/shelf.ts')).shelfCommands,
      },
    ],
  },
  {
    title: 'For developers',
    files: [
      { words: ['verify'], load: async () => [(await import('./commands/verify.ts')).verifyCommand] },
      { words: ['types'], load: async () => [(await import('./commands/print-types.ts')).typesCommand] },
      { words: ['profile'], load: async () => [(await import('./commands/profile.ts')).profileCommand] },
      { words: ['import'], load: async () => [(await import('./commands/import-synthetic.ts')).importSynthetic] },
      { words: ['completion'], load: async () => [(await import('./commands/completion.ts')).completionCommand] },
    ],
  },
]
const files = sections.flatMap((section) => section.files)

const loaded = async (wanted: readonly CommandFile[]): Promise<readonly Command[]> =>
  (await Promise.all(wanted.map(({ load }) => load()))).flat()

export const allCommands = (): Promise<readonly Command[]> => loaded(files)

/** The commands of the files that have one with this first word. */
export const commandsWith = (word = ''): Promise<readonly Command[]> =>
  loaded(files.filter(({ words }) => words.includes(word)))

/** The first words of all commands, in the order of the help. */
export const firstWords: readonly string[] = [...new Set(files.flatMap(({ words }) => words))]

/** The command with the longest name that the words begin with. */
export const commandOf = (commands: readonly Command[], words: readonly string[]): Command | undefined =>
  commands
    .filter(({ name }) => name.split(' ').every((word, position) => words[position] === word))
    .sort((a, b) => b.name.length - a.name.length)[0]
