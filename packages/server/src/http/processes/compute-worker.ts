// A process that thinks: takes requests from those that serve, works on them a step at a time, and sends back the responses.
import { rmSync } from 'node:fs'
import type { Socket, UnixSocketListener } from 'bun'
import { WorkStopped } from '../../base/checkpoint.ts'
import { messageOf } from '../../base/operational-error.ts'
import type { App } from '../app.ts'
import { type FilePart, type HttpRequest, type HttpResponse, isStreamed } from '../exchange.ts'
import { freeMemory } from '../free-memory.ts'
import { HeaderText } from '../wire/header-text.ts'
import { FRAME, type Frame, FrameSocket, packed, unixAddress, unpacked } from './frames.ts'
import { Job, Scheduler } from './scheduler.ts'

/** A request on its way to a process that thinks; its body follows. */
export type HandedRequest = Pick<HttpRequest, 'method' | 'path' | 'query'> & {
  readonly http10: boolean
  readonly headers: string
  readonly hasBody: boolean
  readonly peer: string
  readonly listeningUrl: string
  readonly requestId: string
  /** How much processor time it may take. */
  readonly maxMilliseconds: number
}

/** The head of a response on its way back. The body follows, unless it is pulled; then its length may be known. */
export type HandedResponse = {
  readonly status: number
  readonly head: string
  readonly body: 'none' | 'whole' | 'pulled'
  readonly length?: number | undefined
  /** The file that the body is in: whoever serves reads it there. */
  readonly file?: FilePart | undefined
  /** How much processor time it took so far. */
  readonly milliseconds: number
}

/** The last frame of a body that was pulled, or of a work that was stopped. */
export type HandedEnd = { readonly milliseconds: number; readonly message?: string; readonly stopped?: 'deadline' }

export type Thinking = {
  /** Goes on as long as processes that serve hand requests over, and stops when they do not or the time is over. */
  readonly stop: (milliseconds: number) => Promise<void>
  /** A work that no request is waiting for, until something says that it is no longer wanted. */
  readonly newWork: (isGone: () => boolean) => Job
}

export function think(app: App, path: string): Thinking {
  const works = new Scheduler()
  const open = new Set<HandedRequests>()
  const listener: UnixSocketListener<HandedRequests> = Bun.listen<HandedRequests>({
    unix: unixAddress(path),
    socket: {
      open: (socket) => {
        socket.data = new HandedRequests(socket, app, works)
        open.add(socket.data)
      },
      data: ({ data: served }, bytes) => served.receive(bytes),
      drain: ({ data: served }) => served.drain(),
      close: ({ data: served }) => {
        open.delete(served)
        served.close()
      },
    },
  })
  return {
    stop: async (milliseconds) => {
      const deadline = performance.now() + milliseconds
      // Those that serve close their sockets when they have been told of others, or have stopped themselves.
      while (open.size > 0 && performance.now() < deadline) await Bun.sleep(10)
      listener.stop(true)
      rmSync(path, { force: true })
    },
    newWork: (isGone) => new Job(works, Number.POSITIVE_INFINITY, isGone),
  }
}

/** A request that is worked on. */
type Task = { readonly work: Job; readonly frame: Buffer; chunks?: AsyncIterator<Uint8Array> }

/** The requests of one process that serves. */
class HandedRequests {
  readonly #frames: FrameSocket
  readonly #app: App
  readonly #works: Scheduler
  /** By the number of the request, whether its client is gone: shared with the process that serves. */
  #gone: Uint8Array = new Uint8Array()
  readonly #tasks = new Map<number, Task>()

  constructor(socket: Socket<HandedRequests>, app: App, works: Scheduler) {
    this.#frames = new FrameSocket(socket, (frame) => this.#take(frame))
    this.#app = app
    this.#works = works
  }

  receive(bytes: Buffer): void {
    this.#frames.receive(bytes)
  }

  drain(): void {
    this.#frames.sendRest()
    this.#works.goOn()
  }

  /** The process that serves is gone, and with it all its clients. */
  close(): void {
    for (const id of this.#tasks.keys()) this.#cancel(id)
  }

  #take({ kind, id, bytes }: Frame): void {
    if (kind === FRAME.hello) this.#share(bytes.toString())
    else if (kind === FRAME.request) this.#begin(id, bytes)
    else if (kind === FRAME.pull) this.#pull(id)
    else if (kind === FRAME.cancel) this.#cancel(id)
  }

  #share(path: string): void {
    if (path === '') return
    try {
      this.#gone = Bun.mmap(path, { shared: true })
    } catch {
      // It has ended meanwhile, and its file with it.
      this.#frames.end()
    }
  }

  #begin(id: number, bytes: Buffer): void {
    const { value, bytes: body } = unpacked<HandedRequest>(bytes)
    const { method, path, query, http10, headers, hasBody, peer, listeningUrl, maxMilliseconds } = value
    const work = new Job(
      this.#works,
      maxMilliseconds,
      () => id < this.#gone.length && Atomics.load(this.#gone, id) !== 0,
      () => this.#frames.isFull,
    )
    const task: Task = { work, frame: bytes }
    this.#tasks.set(id, task)
    const request = { method, path, query, http10, headers: new HeaderText(headers), ...(hasBody && { body }) }
    const connection = { peer, listeningUrl, work }
    const fail = (error: unknown) => this.#fail(id, task, error)
    const run = () => {
      const response = this.#app(request, connection, { value: value.requestId })
      if (response instanceof Promise) void response.then((ready) => this.#respond(id, task, request, ready), fail)
      else this.#respond(id, task, request, response)
    }
    this.#works.enqueue(work, run, fail)
  }

  #respond(id: number, task: Task, { method }: HttpRequest, { status, head, body, ownsBody }: HttpResponse): void {
    const milliseconds = task.work.usedSoFar
    if (task.work.stopReason === 'gone') {
      this.#end(id, task, {})
      return
    }
    const isSent = method !== 'HEAD' && status !== 304
    if (isSent && isStreamed(body) && body.file === undefined) {
      task.chunks = body.chunks()[Symbol.asyncIterator]()
      this.#send(FRAME.response, id, { status, head, body: 'pulled', length: body.length, milliseconds })
      return
    }
    const whole = body instanceof Uint8Array ? body : undefined
    const file = isSent && isStreamed(body) ? body.file : undefined
    this.#forget(id, task)
    const how = { body: whole === undefined ? 'none' : 'whole', length: body?.length, file } as const
    const value: HandedResponse = { status, head, ...how, milliseconds }
    if (whole !== undefined && ownsBody) this.#frames.sendOwned(FRAME.response, id, packed(value), whole)
    else this.#send(FRAME.response, id, value, whole)
  }

  #pull(id: number): void {
    const task = this.#tasks.get(id)
    if (task?.chunks === undefined) return
    const { work, chunks } = task
    const fail = (error: unknown) => this.#fail(id, task, error)
    const run = () =>
      chunks.next().then(({ done, value }) => {
        if (done === true) this.#end(id, task, {})
        else this.#frames.send(FRAME.chunk, id, value)
      }, fail)
    this.#works.enqueue(work, run, fail)
  }

  #cancel(id: number): void {
    const task = this.#tasks.get(id)
    if (task === undefined) return
    task.work.abandon()
    if (task.chunks === undefined) return
    void task.chunks.return?.().catch(() => {})
    this.#end(id, task, {})
  }

  #fail(id: number, task: Task, error: unknown): void {
    if (!(error instanceof WorkStopped)) this.#end(id, task, { message: messageOf(error) })
    else this.#end(id, task, error.reason === 'deadline' ? { stopped: error.reason } : {})
  }

  /** A request has one last frame. */
  #end(id: number, task: Task, how: Omit<HandedEnd, 'milliseconds'>): void {
    if (this.#tasks.get(id) !== task) return
    this.#forget(id, task)
    const kind = how.message === undefined && how.stopped === undefined ? FRAME.end : FRAME.failure
    this.#send(kind, id, { milliseconds: task.work.usedSoFar, ...how })
  }

  #forget(id: number, { frame }: Task): void {
    this.#tasks.delete(id)
    freeMemory(frame)
  }

  #send(
    kind: (typeof FRAME)['response' | 'end' | 'failure'],
    id: number,
    value: HandedResponse | HandedEnd,
    body: Uint8Array = new Uint8Array(),
  ): void {
    this.#frames.send(kind, id, packed(value), body)
  }
}
