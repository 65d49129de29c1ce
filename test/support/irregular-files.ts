// Irregular files in the place of a file, on which a careless reader would wait or fail.
import { mkdirSync } from 'node:fs'
import { ran } from './command.ts'

/** Makes one at a path. */
export const IRREGULAR: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'a FIFO': (path) => ran(['mkfifo', path]),
  'a socket': async (path) => Bun.listen({ unix: path, socket: { data: () => {} } }).unref(),
  'a directory': async (path) => mkdirSync(path),
}
