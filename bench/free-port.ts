// A port for a program that cannot take a free one itself.

/** Ports below those that the kernel gives to connections and to port 0, on every usual system: no other program gets one by chance. */
const [LOWEST, COUNT] = [10_000, 20_000]
const MAX_TRIES = 100

/** A port of 127.0.0.1 that no program listens on. */
export function freePort(): number {
  for (let turn = 0; turn < MAX_TRIES; turn++)
    try {
      const port = LOWEST + Math.floor(Math.random() * COUNT)
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => {} } }).stop(true)
      return port
    } catch {
      // Another program listens there.
    }
  throw new Error(`none of ${MAX_TRIES} ports is free`)
}
