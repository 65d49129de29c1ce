// A client that requests page after page all the while, and checks every byte of each.
import { type Side, samplePages, type World } from './world.ts'

const PAUSE_MILLISECONDS = 25

type Sample = ReturnType<typeof samplePages>[number]

/** Which side a response is of, header for header and byte for byte. */
async function sideOf(url: string, { path, entity, page }: Sample, { a, b }: World): Promise<Side> {
  const response = await fetch(`${url}${path}?page=${page}`)
  const body = Buffer.from(await response.arrayBuffer())
  const found = [a, b].find(({ release }) => {
    const records = release.entity(entity).records
    return (
      response.status === 200 &&
      response.headers.get('ETag') === records.etag(page - 1) &&
      response.headers.get('X-Total') === String(records.count) &&
      body.equals(records.page(page - 1))
    )
  })
  if (found !== undefined) return found
  throw new Error(`${path}?page=${page} is of neither release: ${response.status} ${body.toString().slice(0, 300)}`)
}

export class Reader implements AsyncDisposable {
  readonly #url: string
  readonly #world: World
  readonly #samples: readonly Sample[]
  readonly #requesting: Promise<void>
  #over = false
  #failure: unknown
  pages = 0

  constructor(url: string, world: World) {
    this.#url = url
    this.#world = world
    this.#samples = samplePages(world.a)
    this.#requesting = this.#request()
  }

  /** Throws what was wrong with any response so far. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Waits until every sampled page is of this side; says how long that took. */
  async until(side: Side, milliseconds: number): Promise<number> {
    const started = performance.now()
    for (const sample of this.#samples) {
      while ((await sideOf(this.#url, sample, this.#world)) !== side) {
        if (performance.now() - started > milliseconds)
          throw new Error(`after ${milliseconds} ms ${sample.path}?page=${sample.page} is not of ${side.letter}`)
        await Bun.sleep(PAUSE_MILLISECONDS)
      }
      this.pages++
    }
    return performance.now() - started
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true
    await this.#requesting
  }

  async #request(): Promise<void> {
    for (let turn = 0; !this.#over && this.#failure === undefined; turn++) {
      try {
        await sideOf(this.#url, this.#samples[turn % this.#samples.length] as Sample, this.#world)
        this.pages++
        // The import that is to be killed needs the processor too.
        await Bun.sleep(PAUSE_MILLISECONDS)
      } catch (error) {
        this.#failure = error
      }
    }
  }
}
