// What may stand where a file should, each of which a careless reader waits for or stumbles over.
import { mkdirSync } from 'node:fs'
import { ran } from './command.ts'

/** Makes one at a path. */
export const IRREGULAR: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'a FIFO': (path) => ran(['mkfifo', path]),
  'a socket': async (path) => Bun.listen({ unix: path, socket: { data: () => {} } }).unref(),
  'a directory': async (path) => mkdirSync(path),
}
