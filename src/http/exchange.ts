// What is asked of the service and what it answers: plain values, with no socket in them.

/** The headers of a request by lower-case name. */
export type RequestHeaders = { get(name: string): string | undefined }

export type Connection = {
  /** The address of the client, or of the proxy before it. */
  readonly peer: string | undefined
  /** The address under which the service listens. */
  readonly own: string
}

export type HttpRequest = {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: RequestHeaders
}

export type HttpResponse = {
  readonly status: number
  /** The header lines as they go on the wire, each with its line end. */
  readonly head: string
  readonly body: Uint8Array | Streamed | undefined
}

/** A body that comes in pieces, for what is too large to be held in memory. */
export type Streamed = {
  /** In bytes, if it is known beforehand; then the chunks must have exactly so many. */
  readonly length: number | undefined
  /** Asked for the next only when the client has taken the last; returned early when the client is gone. */
  readonly chunks: () => AsyncIterable<Uint8Array>
  /** Asked for after the last chunk, and sent only where the length is not known beforehand. */
  readonly trailers?: () => Readonly<Record<string, string>>
  /** The head tells the client which trailers to expect, at a time when they cannot be asked for. */
  readonly trailerNames?: readonly string[]
}

export const isStreamed = (body: HttpResponse['body']): body is Streamed =>
  body !== undefined && !(body instanceof Uint8Array)

const encoder = new TextEncoder()

/** Headers as lines. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  let lines = ''
  for (const name of Object.keys(headers)) lines += `${name}: ${headers[name]}\r\n`
  return lines
}

export const textResponse = (
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
): HttpResponse => ({
  status,
  head: headerLines(headers),
  body: encoder.encode(text),
})

export const emptyResponse = (status: number, headers: Readonly<Record<string, string>>): HttpResponse => ({
  status,
  head: headerLines(headers),
  body: undefined,
})
