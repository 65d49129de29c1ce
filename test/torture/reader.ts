// A client that asks for page after page all the while, and looks at every byte of what it gets.
import type { Side, World } from './world.ts'
import { samplePages } from './world.ts'

const PAUSE_MILLISECONDS = 25

type Sample = ReturnType<typeof samplePages>[number]

/** Which side an answer is of, header for header and byte for byte. */
async function sideOf(url: string, { path, entity, page }: Sample, { a, b }: World): Promise<Side> {
  const answer = await fetch(`${url}${path}?page=${page}`)
  const body = Buffer.from(await answer.arrayBuffer())
  const found = [a, b].find(({ release }) => {
    const records = release.entity(entity).records
    return (
      answer.status === 200 &&
      answer.headers.get('ETag') === records.etag(page - 1) &&
      answer.headers.get('X-Total') === String(records.count) &&
      body.equals(records.page(page - 1))
    )
  })
  if (found !== undefined) return found
  throw new Error(`${path}?page=${page} is of neither release: ${answer.status} ${body.toString().slice(0, 300)}`)
}

export class Reader implements AsyncDisposable {
  readonly #url: string
  readonly #world: World
  readonly #samples: readonly Sample[]
  readonly #asking: Promise<void>
  #over = false
  #failure: unknown
  pages = 0

  constructor(url: string, world: World) {
    this.#url = url
    this.#world = world
    this.#samples = samplePages(world.a)
    this.#asking = this.#ask()
  }

  /** Throws what was wrong with any answer so far. */
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
    await this.#asking
  }

  async #ask(): Promise<void> {
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
