// What looks at a body while it arrives, and what it can find wrong with it.

export type BodyProblem =
  | { readonly kind: 'bad-parameter'; readonly name: string; readonly value: string; readonly allowed: string }
  | { readonly kind: 'bad-request'; readonly wrong: string }
  | { readonly kind: 'bad-body'; readonly wrong: string }
  /** The number of the row, from 1, or 0 for the header of a table; what is wrong with it, and what is allowed. */
  | { readonly kind: 'bad-row'; readonly row: number; readonly wrong: string; readonly allowed: string }
  | { readonly kind: 'too-many-rows'; readonly max: number }
  /** The unit is that of what is counted in a body; by default bytes. */
  | { readonly kind: 'content-too-large'; readonly max: number; readonly unit?: string }
  | { readonly kind: 'unsupported-media-type'; readonly type: string; readonly allowed: string }

export type BodyScanner = {
  /** Takes the bytes that come next, and gives what is wrong with the body so far. After a problem, it takes no more. */
  scan(bytes: Uint8Array): BodyProblem | undefined
}
