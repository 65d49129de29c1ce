// Where a walk through a list is: the release, and the position of the last record that was sent. Opaque to clients.
import { badParameter, type ProblemError } from '../../problem.ts'

type Cursor = { readonly release: string; readonly position: number }

const CURSOR = /^([0-9a-f]{16})-(0|[1-9][0-9]{0,9})$/
const CURSOR_DIGITS = 16

export const writeCursor = (digest: string, position: number): string =>
  Buffer.from(`${digest.slice(0, CURSOR_DIGITS)}-${position}`).toString('base64url')

export function readCursor(text: string): Cursor | undefined {
  const [, release, position] = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  return release === undefined ? undefined : { release, position: Number(position) }
}

export const badCursor = (after: string): ProblemError =>
  badParameter('after', after, 'a cursor out of the Link header of a page of the same list')
