// What a thread does: takes one message after the other, and replies to those that want a reply.
import type { FromThread, ToThread } from './thread.ts'

declare const self: Worker

export function work<M, R>(done: (message: M) => R): void {
  self.onmessage = ({ data: { message, wantsReply } }: MessageEvent<ToThread<M>>) => {
    try {
      const reply = done(message)
      if (wantsReply) postMessage({ reply } satisfies FromThread<R>)
    } catch (error) {
      postMessage({ failed: error instanceof Error ? error.message : String(error) } satisfies FromThread<R>)
    }
  }
}
