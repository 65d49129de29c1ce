// What the benchmark knows of a server that it compares.
import type { Pages } from './pages.ts'

export type Launch = {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export type Place = { readonly port: number; readonly workers: number }

export type Contender = {
  readonly name: string
  readonly description: string
  /** What has to be installed first, by name; empty when it can run. */
  readonly missing: () => readonly string[]
  readonly version: () => string
  /** Makes of the pages what the server answers from, and says how to start it. */
  readonly prepare: (pages: Pages) => Promise<(place: Place) => Launch>
}

/** The first line that a program says of its version, whichever stream it says it on. */
export function versionLine(command: readonly string[]): string {
  const { stdout, stderr } = Bun.spawnSync([...command], { stdio: ['ignore', 'pipe', 'pipe'] })
  const line = `${stdout}${stderr}`.split('\n')[0] ?? ''
  return line.match(/[0-9]+(?:\.[0-9]+)+/)?.[0] ?? line
}
