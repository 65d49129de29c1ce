// A streamed body is as long as it says: one byte more or less is a failure.
import { expect, test } from 'bun:test'
import { sendStream } from './send-buffer.ts'
import { Turns } from './turns.ts'

async function sentOf(length: number, chunks: readonly string[]): Promise<string> {
  const sent: string[] = []
  const keep = async (text: string) => sent.push(text) > 0
  const writer = {
    send: (bytes: Uint8Array, count: number) => keep(Buffer.from(bytes.subarray(0, count)).toString()),
    sendKept: (bytes: Uint8Array) => keep(Buffer.from(bytes).toString()),
    unlessClosed: <T>(promised: Promise<T>) => promised,
  }
  async function* pieces() {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  await sendStream({ length, chunks: pieces }, false, writer, new Turns())
  return sent.join('')
}

test('as long as it says', async () => expect(await sentOf(5, ['he', '', 'llo'])).toBe('hello'))

test.each([
  ['a byte more', 4, 'a body of 4 bytes has 5 or more'],
  ['a byte less', 6, 'a body of 6 bytes has only 5'],
])('%s', (_, length, message) => expect(sentOf(length, ['he', 'llo'])).rejects.toThrow(message))
