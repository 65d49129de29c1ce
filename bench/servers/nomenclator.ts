// This service, started as anyone would start it.
import { BASE_URL } from '../load/loads.ts'
import { BUN, MAIN, ROOT } from '../machine/places.ts'
import type { Contender, Launch, Place } from './contender.ts'

const said = (...words: readonly string[]): string =>
  Bun.spawnSync([BUN, MAIN, ...words], { cwd: ROOT })
    .stdout.toString()
    .trim()

let workersKnown: boolean | undefined

/** A version of the service without worker processes is one worker. */
export function knowsWorkers(): boolean {
  workersKnown ??= /^\s*--workers\b/m.test(said('serve', '--help'))
  return workersKnown
}

export const serveFrom =
  (home: string) =>
  ({ port, workers }: Place): Launch => ({
    command: [
      ...[BUN, MAIN, 'serve', '--home', home, '--host', '127.0.0.1', '--port', String(port), '--base-url', BASE_URL],
      ...(knowsWorkers() ? ['--workers', String(workers)] : []),
    ],
    cwd: ROOT,
  })

export const NOMENCLATOR = 'nomenclator'

export const nomenclatorOn = (home: string): Contender => ({
  name: NOMENCLATOR,
  description: 'this service: a slice of a mapped file, on Bun',
  missing: () => [],
  version: () => `${said('--version')} on Bun ${Bun.version}`,
  prepare: async () => serveFrom(home),
})
