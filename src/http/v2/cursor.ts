// Where a walk through a list stands: the release, and the last record that was given. Opaque to clients.

export type Cursor = { readonly release: string; readonly position: number }

const TEXT = /^([0-9a-f]{16})-(0|[1-9][0-9]{0,9})$/

const DIGITS = 16

export const writeCursor = (digest: string, position: number): string =>
  Buffer.from(`${digest.slice(0, DIGITS)}-${position}`).toString('base64url')

export function readCursor(text: string): Cursor | undefined {
  const [, release, position] = TEXT.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  return release === undefined ? undefined : { release, position: Number(position) }
}
