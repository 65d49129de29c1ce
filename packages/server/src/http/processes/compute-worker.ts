// A compute worker: takes requests from page workers, runs their jobs a step at a time, and sends back the responses.
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

/** A request on its way to a compute worker; its body follows. */
export type HandedRequest = Pick<HttpRequest, 'method' | 'path' | 'query'> & {
  readonly http10: boolean
  readonly headers: string
  readonly hasBody: boolean
  readonly peer: string
  readonly listeningUrl: string
  readonly requestId: string
  /** The processor time that it may use. */
  readonly maxMilliseconds: number
}

/** The head of a response on its way back. The body follows, unless it is pulled; then its length may be known. */
export type HandedResponse = {
  readonly status: number
  readonly head: string
  readonly body: 'none' | 'whole' | 'pulled'
  readonly length?: number | undefined
  /** The file that the body is in, for the page worker to read. */
  readonly file?: FilePart | undefined
  /** The processor time that it has used so far. */
  readonly milliseconds: number
}

/** The last frame of a body that was pulled, or of a job that was stopped. */
export type HandedEnd = { readonly milliseconds: number; readonly message?: string; readonly stopped?: 'deadline' }

export type ComputeListener = {
  /** Stops when no page worker is connected any more, or when the time is over. */
  readonly stop: (milliseconds: number) => Promise<void>
  /** Returns a job that belongs to no request, and goes on until it is no longer wanted. */
  readonly newJob: (isGone: () => boolean) => Job
}

/** Takes requests at a socket. */
export function listenForRequests(app: App, path: string): ComputeListener {
  const scheduler = new Scheduler()
  const open = new Set<HandedRequests>()
  const listener: UnixSocketListener<HandedRequests> = Bun.listen<HandedRequests>({
    unix: unixAddress(path),
    socket: {
      open: (socket) => {
        socket.data = new HandedRequests(socket, app, scheduler)
        open.add(socket.data)
      },
      data: ({ data: requests }, bytes) => requests.receive(bytes),
      drain: ({ data: requests }) => requests.drain(),
      close: ({ data: requests }) => {
        open.delete(requests)
        requests.close()
      },
    },
  })
  return {
    stop: async (milliseconds) => {
      const deadline = performance.now() + milliseconds
      // Page workers close their sockets when they have those of other compute workers, or have stopped themselves.
      while (open.size > 0 && performance.now() < deadline) await Bun.sleep(10)
      listener.stop(true)
      rmSync(path, { force: true })
    },
    newJob: (isGone) => new Job(scheduler, Number.POSITIVE_INFINITY, isGone),
  }
}

/** A request whose job runs or waits. */
type Task = { readonly job: Job; readonly frame: Buffer; chunks?: AsyncIterator<Uint8Array> }

/** The requests of one page worker. */
class HandedRequests {
  readonly #frames: FrameSocket
  readonly #app: App
  readonly #scheduler: Scheduler
  /** 1 at the number of each request whose client is gone. The memory is shared with the page worker. */
  #gone: Uint8Array = new Uint8Array()
  readonly #tasks = new Map<number, Task>()

  constructor(socket: Socket<HandedRequests>, app: App, scheduler: Scheduler) {
    this.#frames = new FrameSocket(socket, (frame) => this.#take(frame))
    this.#app = app
    this.#scheduler = scheduler
  }

  receive(bytes: Buffer): void {
    this.#frames.receive(bytes)
  }

  drain(): void {
    this.#frames.sendRest()
    this.#scheduler.goOn()
  }

  /** Called when the page worker is gone, and all its clients with it. */
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
      // The page worker has ended meanwhile, and its file with it.
      this.#frames.end()
    }
  }

  #begin(id: number, bytes: Buffer): void {
    const { value, bytes: body } = unpacked<HandedRequest>(bytes)
    const { method, path, query, http10, headers, hasBody, peer, listeningUrl, maxMilliseconds } = value
    const job = new Job(
      this.#scheduler,
      maxMilliseconds,
      () => id < this.#gone.length && Atomics.load(this.#gone, id) !== 0,
      () => this.#frames.isFull,
    )
    const task: Task = { job, frame: bytes }
    this.#tasks.set(id, task)
    const request = { method, path, query, http10, headers: new HeaderText(headers), ...(hasBody && { body }) }
    const connection = { peer, listeningUrl, work: job }
    const fail = (error: unknown) => this.#fail(id, task, error)
    const run = () => {
      const response = this.#app(request, connection, { value: value.requestId })
      if (response instanceof Promise) void response.then((ready) => this.#respond(id, task, request, ready), fail)
      else this.#respond(id, task, request, response)
    }
    this.#scheduler.enqueue(job, run, fail)
  }

  #respond(id: number, task: Task, { method }: HttpRequest, { status, head, body, ownsBody }: HttpResponse): void {
    const milliseconds = task.job.usedSoFar
    if (task.job.stopReason === 'gone') {
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
    const { job, chunks } = task
    const fail = (error: unknown) => this.#fail(id, task, error)
    const run = () =>
      chunks.next().then(({ done, value }) => {
        if (done === true) this.#end(id, task, {})
        else this.#frames.send(FRAME.chunk, id, value)
      }, fail)
    this.#scheduler.enqueue(job, run, fail)
  }

  #cancel(id: number): void {
    const task = this.#tasks.get(id)
    if (task === undefined) return
    task.job.abandon()
    if (task.chunks === undefined) return
    void task.chunks.return?.().catch(() => {})
    this.#end(id, task, {})
  }

  #fail(id: number, task: Task, error: unknown): void {
    if (!(error instanceof WorkStopped)) this.#end(id, task, { message: messageOf(error) })
    else this.#end(id, task, error.reason === 'deadline' ? { stopped: error.reason } : {})
  }

  /** Sends the one last frame of a request. */
  #end(id: number, task: Task, how: Omit<HandedEnd, 'milliseconds'>): void {
    if (this.#tasks.get(id) !== task) return
    this.#forget(id, task)
    const kind = how.message === undefined && how.stopped === undefined ? FRAME.end : FRAME.failure
    this.#send(kind, id, { milliseconds: task.job.usedSoFar, ...how })
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
