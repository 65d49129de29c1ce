// A body that is owned is freed when it is sent.
import { describe, expect, test } from 'bun:test'
import { SendBuffer } from './send-buffer.ts'

describe('a body', () => {
  const HEAD = Buffer.from('head')
  const BODY_BYTES = 1 << 17

  /** Sends a head and a body to a socket that takes so many bytes, and then all; returns what is left of the body each time. */
  function leftOf(room: number, ownsBody: boolean, end: (buffer: SendBuffer) => void): number[] {
    const body = new Uint8Array(BODY_BYTES)
    let left = room
    const write = (_: Uint8Array, start: number, length: number) => {
      const taken = Math.min(length - start, left)
      left -= taken
      return taken
    }
    const buffer = new SendBuffer({ write } as ConstructorParameters<typeof SendBuffer>[0], { terminate: () => {} })
    buffer.send(HEAD, HEAD.length, body, ownsBody)
    const unsent = body.length
    left = Number.POSITIVE_INFINITY
    end(buffer)
    return [unsent, body.length]
  }
  const sendRest = (buffer: SendBuffer) => buffer.sendRest()
  const close = (buffer: SendBuffer) => buffer.close()

  test.each([
    ['sent at once', Number.POSITIVE_INFINITY, true, sendRest, [0, 0]],
    ['sent in two', 1_000, true, sendRest, [BODY_BYTES, 0]],
    ['sent after its head', 2, true, sendRest, [BODY_BYTES, 0]],
    ['not sent to a client that is gone', 2, true, close, [BODY_BYTES, 0]],
    ['of others', 1_000, false, sendRest, [BODY_BYTES, BODY_BYTES]],
  ])('%s', (_, room, ownsBody, end, expected) => expect(leftOf(room, ownsBody, end)).toEqual(expected))
})
