// What a thread does: takes one message after the other, and replies to those that want a reply.
import type { FromThread, ToThread } from './thread.ts'

declare const self: Worker

export function work<M, R>(done: (message: M) => R): void {
  self.onmessage = ({ data: { message, wantsReply } }: MessageEvent<ToThread<M>>) => {
    try {
      const reply = done(message)
      if (wantsReply) postMessage({ reply } satisfies FromThread<R>)
    } catch (error) {
      // An error arrives without its code, by which a full disk is told from other troubles.
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
      const reason = error instanceof Error ? error.message : String(error)
      postMessage({ failed: { reason, code } } satisfies FromThread<R>)
    }
  }
}
