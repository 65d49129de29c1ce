// Builds the first release of a home, from the bundled data.

import type { Shelf } from '../../release/home/shelf.ts'
import type { Release } from '../../release/release.ts'
import { bundledSource } from '../../source/bundled.ts'
import type { Terminal } from '../command.ts'
import { importWithProgress } from './importing.ts'
import { lockFor } from './locking.ts'

const WAIT_SECONDS = 60

export async function firstRelease(shelf: Shelf, terminal: Terminal): Promise<Release> {
  terminal.err('No release yet: building one from the bundled data.\n')
  using _lock = await lockFor(shelf, 'serve', WAIT_SECONDS, terminal)
  const meanwhile = shelf.openCurrent()
  if (meanwhile !== undefined) return meanwhile
  await importWithProgress(shelf, bundledSource(), terminal, { 'accept-changes': false, 'dry-run': false })
  return shelf.openCurrent() as Release
}
