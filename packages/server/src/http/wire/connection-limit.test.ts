// The limit on connections of a process, and the connections that it refuses.
import { describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { FakeSocket } from '../../../../../test/support/fake-socket.ts'
import { connectionLimit, descriptorLimit, RefusedConnections } from './connection-limit.ts'

const limits = (soft: string) =>
  `Limit   Soft Limit   Hard Limit   Units\nMax open files            ${soft}   99   files\n`

test.each([
  ['a number', limits('256'), 256],
  ['no limit', limits('unlimited'), Number.MAX_SAFE_INTEGER],
  ['a system that does not say', '', 1_024],
])('the limit on descriptors: %s', (_name, text, limit) => {
  expect(descriptorLimit(text)).toBe(limit)
})

test.each([
  ['leaves a quarter for files', undefined, 1_024, 768],
  ['leaves at least 64 for files', undefined, 128, 64],
  ['is never nothing', undefined, 20, 16],
  ['does not grow with the descriptors for ever', undefined, 1 << 30, 65_536],
  ['is the configured one', 10, 1_024, 10],
  ['is the configured one, also beyond the default', 900, 1_024, 900],
  ['is less if there are not enough descriptors', 2_000, 1_024, 960],
])('the limit on connections %s', (_name, wanted, descriptors, limit) => {
  expect(connectionLimit(wanted, descriptors)).toBe(limit)
})

describe('connections that were refused', () => {
  /** Refused one after the other, a millisecond apart. */
  function refuse(count: number) {
    const refused = new RefusedConnections()
    const sockets = Array.from({ length: count }, () => new FakeSocket())
    for (const [now, socket] of sockets.entries())
      refused.add(socket as unknown as Socket<unknown>, Buffer.from('no'), now)
    return { refused, sockets, closed: () => sockets.map((socket) => socket.closed) }
  }

  test('are shut at once, and closed when there are more than 16, the oldest first', () => {
    expect(refuse(16).sockets.every(({ shut, closed }) => shut && !closed)).toBe(true)
    expect(refuse(18).closed()).toEqual([true, true, ...Array(16).fill(false)])
  })

  test('are closed after a second', () => {
    const { refused, closed } = refuse(3)
    refused.closeExpired(1_000)
    expect(closed()).toEqual([false, false, false])
    refused.closeExpired(1_001)
    expect(closed()).toEqual([true, false, false])
    refused.closeAll()
    expect(closed()).toEqual([true, true, true])
  })

  test('leave room when their clients close them', () => {
    const { refused, sockets, closed } = refuse(16)
    refused.delete(sockets[0] as unknown as Socket<unknown>)
    refused.add(new FakeSocket() as unknown as Socket<unknown>, Buffer.from('no'), 16)
    expect(closed()).not.toContain(true)
  })
})
