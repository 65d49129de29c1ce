// The program in processes of its own: run to its end, struck by a mishap, killed at some moment, or serving.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ran } from '../../support/command.ts'
import { PROGRAM } from '../../support/releases.ts'
import { MISHAP_VARIABLE, type Mishap } from './mishap.ts'

const PRELOAD = join(import.meta.dir, 'mishap.ts')

export type Killed = Ran & { readonly killed: boolean; readonly milliseconds: number }

/** Starts the program with arguments; with a mishap, it is prepared for it. */
function start(argv: readonly string[], mishap?: Mishap) {
  const struck = mishap && { BUN_OPTIONS: `--preload=${PRELOAD}`, [MISHAP_VARIABLE]: JSON.stringify(mishap) }
  return Bun.spawn([...PROGRAM, ...argv], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...struck } })
}

async function ended(child: ReturnType<typeof start>, started: number): Promise<Killed> {
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err, killed: child.signalCode === 'SIGKILL', milliseconds: performance.now() - started }
}

export function runWhole(...argv: readonly string[]): Promise<Killed> {
  return ended(start(argv), performance.now())
}

export function runStruck(mishap: Mishap, ...argv: readonly string[]): Promise<Killed> {
  return ended(start(argv, mishap), performance.now())
}

/** Kills the program after a time, or when something can be seen; unless it ends first. */
export async function runAndKill(when: number | (() => boolean), ...argv: readonly string[]): Promise<Killed> {
  const started = performance.now()
  const child = start(argv)
  const end = ended(child, started)
  if (typeof when === 'number') {
    const timer = setTimeout(() => child.kill('SIGKILL'), when)
    return end.finally(() => clearTimeout(timer))
  }
  // Some files are there for less than a millisecond.
  while (child.exitCode === null && child.signalCode === null) {
    if (when()) child.kill('SIGKILL')
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return end
}

/** Whether a file is there and begins like this; a star stands for any one directory. */
export function isSeen(path: string, description = ''): boolean {
  const [above = path, ...below] = path.split('/*/')
  try {
    if (below.length > 0) return readdirSync(above).some((name) => isSeen(join(above, name, ...below)))
    return existsSync(path) && (description === '' || readFileSync(path, 'utf8').startsWith(description))
  } catch (error) {
    // Whatever was there a moment ago may be gone.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

export type Server = AsyncDisposable & {
  readonly url: string
  /** What it has said on the error stream so far, but for swaps. */
  readonly complaints: () => string
}

/** The server as it is started by hand, on a free port. */
export async function startServer(home: string): Promise<Server> {
  const child = start(['serve', '--workers', '1', '--port', '0', '--scrub', 'off', '--home', home])
  let complaints = ''
  const listening = async () => {
    for await (const chunk of child.stderr) complaints += new TextDecoder().decode(chunk)
  }
  void listening()
  const { promise: url, resolve, reject } = Promise.withResolvers<string>()
  const reading = async () => {
    let said = ''
    for await (const chunk of child.stdout) {
      said += new TextDecoder().decode(chunk)
      const [, found] = said.match(/ on (http:\S+):[ \n]/) ?? []
      if (found !== undefined) resolve(found)
    }
    reject(new Error(`the server ended: ${said}${complaints}`))
  }
  void reading()
  return {
    url: await url,
    complaints: () => complaints.replace(/^\{.*"level":"info".*\}\n/gm, ''),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}
