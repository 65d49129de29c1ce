// One request over a connection of its own, with the answer as it stood on the wire.
import { type Head, parseHead, ResponseReader } from './response-reader.ts'

export type HttpResponse = Head & { readonly body: Uint8Array }
export type Question = {
  readonly port: number
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

const TIMEOUT_SECONDS = 30

export const requestText = (method: string, path: string, headers: Readonly<Record<string, string>>): string =>
  `${method} ${path} HTTP/1.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

/** Rejects when no connection can be made or it ends before the answer is whole. */
export function ask({ port, path, method = 'GET', headers = {} }: Question): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  const reader = new ResponseReader(method)
  const connecting = Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: (socket) => {
        socket.timeout(TIMEOUT_SECONDS)
        socket.write(requestText(method, path, { Host: `127.0.0.1:${port}`, ...headers }))
      },
      data: (socket, chunk) => {
        try {
          if (!reader.take(chunk, true)) return
          resolve(answerOf(reader))
        } catch (error) {
          reject(error)
        }
        socket.end()
      },
      timeout: (socket) => {
        reject(new Error(`no whole answer to ${path} on port ${port} within ${TIMEOUT_SECONDS} seconds`))
        socket.end()
      },
      close: () => reject(new Error(`the connection to port ${port} ended before the answer to ${path} was whole`)),
      connectError: (_socket, error) => reject(error),
      error: (_socket, error) => reject(error),
    },
  })
  connecting.catch(reject)
  return promise
}

function answerOf(reader: ResponseReader): HttpResponse {
  const bytes = reader.bytes()
  const head = Buffer.from(bytes.subarray(0, reader.headLength)).toString('latin1')
  return { ...parseHead(head), body: bytes.subarray(reader.headLength) }
}

export function fieldOf(answer: HttpResponse, name: string): string {
  const found = answer.fields.find(([field]) => field.toLowerCase() === name.toLowerCase())
  if (found === undefined) throw new Error(`the answer has no ${name}`)
  return found[1]
}
