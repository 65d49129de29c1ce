// Frames between processes: whole however they are cut, and in order however little the other end takes.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FRAME, type Frame, FrameSocket, packed, unpacked } from './frames.ts'

/** A socket that takes at most so many bytes at a time. */
class Pipe {
  readonly sent: Uint8Array[] = []
  #room: number
  constructor(room: number) {
    this.#room = room
  }
  write(bytes: Uint8Array, from: number, length: number): number {
    const taken = Math.min(length, this.#room)
    this.sent.push(Buffer.from(bytes.subarray(from, from + taken)))
    return taken
  }
  end(): number {
    return 0
  }
}

const frames = fc.array(
  fc.record({ kind: fc.constantFrom(...Object.values(FRAME)), id: fc.nat(0xffffffff), bytes: fc.uint8Array() }),
  { maxLength: 8 },
)

test('what is sent arrives, whatever is taken and received at a time', () => {
  fc.assert(
    fc.property(frames, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (all, room, cut) => {
      const pipe = new Pipe(room)
      const sender = new FrameSocket(pipe, () => {})
      for (const { kind, id, bytes } of all) sender.send(kind, id, bytes)
      for (let turn = 0; turn < 1_000; turn++) sender.sendRest()
      const received: Frame[] = []
      const receiver = new FrameSocket(pipe, (frame) => received.push({ ...frame, bytes: Buffer.from(frame.bytes) }))
      const sent = Buffer.concat(pipe.sent)
      for (let at = 0; at < sent.length; at += cut) receiver.receive(sent.subarray(at, at + cut))
      expect(received.map(({ kind, id, bytes }) => [kind, id, bytes.toHex()])).toEqual(
        all.map(({ kind, id, bytes }) => [kind, id, Buffer.from(bytes).toHex()]),
      )
    }),
  )
})

test('is full while much is unsent', () => {
  const bytes = new Uint8Array(3 << 20)
  const sender = new FrameSocket(new Pipe(1 << 20), () => {})
  sender.send(FRAME.response, 1, new Uint8Array(1))
  expect(sender.isFull).toBe(false)
  sender.send(FRAME.response, 2, bytes)
  expect(sender.isFull).toBe(true)
  sender.sendRest()
  expect(sender.isFull).toBe(false)
})

test.each([
  ['is copied', 1 << 16],
  ['is sent from where it is', 1 << 18],
])('a part that is owned and %s is freed when it is sent', (_, length) => {
  const pipe = new Pipe(length / 2)
  const sender = new FrameSocket(pipe, () => {})
  const bytes = new Uint8Array(length).fill(7)
  sender.sendOwned(FRAME.response, 1, Buffer.from('{}'), bytes)
  for (let turn = 0; turn < 3; turn++) sender.sendRest()
  expect(bytes.length).toBe(0)
  expect(Buffer.concat(pipe.sent).subarray(-length)).toEqual(Buffer.alloc(length, 7))
})

describe('a value and bytes', () => {
  test.each([
    ['no bytes', { a: 'ñ\u2028' }, Buffer.alloc(0)],
    ['bytes that look like JSON', { a: [1, null] }, Buffer.from('{"a":2}')],
  ])('%s', (_name, value, bytes) => {
    const { value: read, bytes: rest } = unpacked(Buffer.concat([packed(value), bytes]))
    expect([read, rest.toString()]).toEqual([value, bytes.toString()])
  })
})
