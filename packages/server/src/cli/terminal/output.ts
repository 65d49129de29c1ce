// Long output of a command: to standard output, or to a file that appears once it is complete.
import { closeSync, existsSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import type { Terminal } from '../command.ts'

/** The name that stands for standard input and standard output. */
export const STANDARD = '-'

type Output = {
  readonly write: (text: string) => void
  readonly end: () => void
  /** Ends an output that is not complete. */
  readonly discard: () => void
}

/** Writes a text that is complete. */
export function writeOutput(path: string, text: string, terminal: Terminal): void {
  const { write, end } = outputTo(path, terminal)
  write(text)
  end()
}

const MAX_BUFFERED = 1 << 16

export function outputTo(path: string, terminal: Terminal): Output {
  if (path === STANDARD) {
    const { write, flush } = buffered(terminal.data)
    return { write, end: flush, discard: flush }
  }
  if (!existsSync(dirname(path)))
    throw new OperationalError(`there is no directory ${dirname(path)}; make it, or give another file than ${path}`)
  const unfinished = `${path}.unfinished`
  const file = openSync(unfinished, 'w')
  const { write, flush } = buffered((text) => writeFileSync(file, text))
  return {
    write,
    end: () => {
      flush()
      renameSync(unfinished, path)
      closeSync(file)
    },
    discard: () => {
      closeSync(file)
      rmSync(unfinished, { force: true })
    },
  }
}

function buffered(send: (text: string) => void) {
  let pending = ''
  const flush = () => {
    if (pending !== '') send(pending)
    pending = ''
  }
  return {
    write: (text: string) => {
      pending += text
      if (pending.length >= MAX_BUFFERED) flush()
    },
    flush,
  }
}
