// Makes a command of a source, with the flags that all imports share.
import { type Command, command, type Invocation } from '../command.ts'
import type { Flags } from '../flags/flags.ts'
import { importFlags } from '../flags/import-flags.ts'
import type { OpenSource } from './run-import.ts'

type ImportFlags<F extends Flags> = F & typeof importFlags

type SourceCommand<F extends Flags> = Pick<
  Command<F>,
  'summary' | 'description' | 'operands' | 'flags' | 'examples'
> & {
  /** The word after `import`. */
  readonly source: string
  /** True if the source depends on what the home has. */
  readonly readsHome?: true
  /** Opens the source, with the home to keep work files in; the lock of the home is not held. */
  readonly open: (invocation: Invocation<ImportFlags<F>>, ...given: Parameters<OpenSource>) => ReturnType<OpenSource>
}

export function importCommand<const F extends Flags>({
  source,
  open,
  readsHome,
  ...declared
}: SourceCommand<F>): Command {
  const name = `import ${source}`
  return command<ImportFlags<F>>({
    ...declared,
    name,
    flags: { ...declared.flags, ...importFlags },
    run: async (invocation) => {
      const { runImport } = await import('./run-import.ts')
      const { values, terminal } = invocation
      return runImport(name, values, terminal, (...given) => open(invocation, ...given), readsHome)
    },
  })
}
