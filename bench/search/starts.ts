// From the start of the process to the first answer of each version of the API.
import { ask } from '../load/ask.ts'
import { pathOf } from '../load/loads.ts'
import { freePort } from '../machine/free-port.ts'
import { type Spread, spreadOf } from '../measure/spread.ts'
import { progress } from '../report/progress.ts'
import { serveFrom } from '../servers/nomenclator.ts'

const PATIENCE_MILLISECONDS = 60_000

const firstQuestions = {
  v1: pathOf(1),
  v2: '/api/v2/search?q=guadalajara&limit=1',
} as const

/** In milliseconds, with one worker and what is on disk in the cache. */
export type Starts = Readonly<Record<keyof typeof firstQuestions, Spread>>

export async function measureStarts(home: string, times: number): Promise<Starts> {
  const { show, end } = progress('starts')
  const taken = { v1: [] as number[], v2: [] as number[] }
  // The first start fills the cache and does not count.
  for (let start = 0; start <= times; start++) {
    show(start, times)
    for (const version of ['v1', 'v2'] as const) {
      const milliseconds = await startOnce(home, firstQuestions[version])
      if (start > 0) taken[version].push(milliseconds)
    }
  }
  end()
  return { v1: spreadOf(taken.v1), v2: spreadOf(taken.v2) }
}

async function startOnce(home: string, path: string): Promise<number> {
  const port = freePort()
  const { command, cwd } = serveFrom(home)({ port, workers: 1 })
  const begun = performance.now()
  const child = Bun.spawn([...command], {
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  try {
    // No pause between tries: the time to the first answer is what is measured.
    while (!(await isAnswered(port, path))) {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
      if (performance.now() - begun > PATIENCE_MILLISECONDS) throw new Error('the service did not answer')
    }
    return performance.now() - begun
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
}

async function isAnswered(port: number, path: string): Promise<boolean> {
  try {
    return (await ask({ port, path })).status === 200
  } catch {
    return false
  }
}
