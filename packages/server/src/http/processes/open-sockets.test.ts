// Connections as the kernel has them, and when a process is said to leak them.
import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { connectedClients, LeakCheck } from './open-sockets.ts'

describe.skipIf(process.platform !== 'linux')('the connected clients of a process', () => {
  test.each(['127.0.0.1', '::'])('that listens on %s are counted, and nothing else', async (hostname) => {
    const opened: Bun.Socket[] = []
    using server = Bun.listen({
      hostname,
      port: 0,
      socket: { open: (socket) => void opened.push(socket), data: () => {} },
    })
    using other = Bun.listen({ hostname, port: 0, socket: { data: () => {} } })
    const { port } = server
    expect(connectedClients(process.pid, port)).toBe(0)
    const clients = [port, port, port, other.port].map((to) => connect({ port: to, host: '127.0.0.1' }))
    while (opened.length < 3) await Bun.sleep(1)
    expect([connectedClients(process.pid, port), connectedClients(process.ppid, port)]).toEqual([3, 0])
    for (const client of clients) client.destroy()
    while (connectedClients(process.pid, port) !== 0) await Bun.sleep(1)
  })

  test('of one that is not there are unknown', () => expect(connectedClients(2 ** 30, 80)).toBeUndefined())
})

describe('a leak', () => {
  type Look = { readonly counted: number; readonly before: number | undefined; readonly after?: number | undefined }
  const steady = (counted: number, connected: number | undefined): Look => ({ counted, before: connected })

  /** The finding of each check. */
  async function found(looks: readonly Look[]): Promise<unknown[]> {
    const check = new LeakCheck()
    const all: unknown[] = []
    for (const look of looks) {
      const { counted, before, after = before } = look
      const seen = [before, after]
      all.push(
        await check.run(
          counted,
          async () => counted,
          () => seen.shift(),
        ),
      )
    }
    return all
  }

  test.each<[name: string, looks: Look[], found: unknown[]]>([
    [
      'is one after three checks',
      Array(3).fill(steady(30, 20)),
      [undefined, undefined, { counted: 30, connected: 20 }],
    ],
    ['is none for as many as there are', Array(4).fill(steady(30, 30)), Array(4).fill(undefined)],
    ['is none for fewer than there are', Array(4).fill(steady(30, 60)), Array(4).fill(undefined)],
    ['is none for a few more', Array(4).fill(steady(30, 21)), Array(4).fill(undefined)],
    ['is none where the kernel does not say', Array(4).fill(steady(30, undefined)), Array(4).fill(undefined)],
    [
      'is none where clients go while it is looked at',
      Array(4).fill({ counted: 30, before: 30, after: 0 }),
      Array(4).fill(undefined),
    ],
    [
      'is none where clients come while it is looked at',
      Array(4).fill({ counted: 30, before: 0, after: 30 }),
      Array(4).fill(undefined),
    ],
    [
      'is none unless the checks are one after the other',
      [steady(30, 0), steady(30, 0), steady(30, 30), steady(30, 0), steady(30, 0)],
      Array(5).fill(undefined),
    ],
  ])('%s', async (_name, looks, expected) => expect(await found(looks)).toEqual(expected))

  test('is not looked for where few are counted', async () => {
    let looks = 0
    await new LeakCheck().run(
      9,
      async () => ++looks,
      () => ++looks,
    )
    expect(looks).toBe(0)
  })
})
