// Commands run to their end, in processes of their own or in this one.
import { diskFailure, OperationalError } from '../../packages/server/src/base/operational-error.ts'
import { visibleText } from '../../packages/server/src/base/visible-text.ts'
import type { Terminal } from '../../packages/server/src/cli/command.ts'
import { UsageError } from '../../packages/server/src/cli/flags/flags.ts'
import { run } from '../../packages/server/src/cli/run.ts'

export type Ran = { readonly code: number; readonly out: string; readonly err: string }

type Options = {
  readonly cwd?: string
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The standard input of the command. */
  readonly input?: string
}

/**
 * Runs a command to its end, not by `Bun.spawnSync`: garbage that is collected while that waits leaves its descriptors watched,
 * and later descriptors of the same number, in any test, then fail (oven-sh/bun#40078).
 */
export async function ran(command: readonly string[], { cwd, env, input }: Options = {}): Promise<Ran> {
  const child = Bun.spawn([...command], {
    stdio: [input === undefined ? 'ignore' : Buffer.from(input), 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}

/** A terminal that keeps its output. */
export function recordingTerminal() {
  const said = { out: '', err: '' }
  const out = (text: string) => {
    said.out += text
  }
  const terminal: Terminal = {
    out: (text) => out(visibleText(text)),
    err: (text) => {
      said.err += visibleText(text)
    },
    data: out,
    interactive: false,
  }
  return { said, terminal }
}

/** A command of the program in this process, with the words and the exit code of one of its own; it gets no variables. */
export async function runHere(...argv: readonly string[]): Promise<Ran> {
  const { said, terminal } = recordingTerminal()
  try {
    return { code: await run(argv, {}, terminal), ...said }
  } catch (error) {
    const failure = error instanceof OperationalError ? error : diskFailure(error)
    if (failure === undefined) throw error
    return {
      code: failure instanceof UsageError ? 2 : 1,
      out: said.out,
      err: `${said.err}nomenclator: ${failure.message}\n`,
    }
  }
}
