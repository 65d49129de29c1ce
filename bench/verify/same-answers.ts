// Whether another server answers as this one does: the same bytes, the same headers.
import { ask, fieldOf, type HttpResponse } from '../load/ask.ts'
import { comparedLoads, type Load, pathOf } from '../load/loads.ts'
import type { RunningServer } from '../servers/running-server.ts'
import { isAllowed } from './allowed.ts'

/** Of a load with many pages, so many are compared; the very last page is compared always. */
const SAMPLES = 25

export class DifferentAnswers extends Error {
  constructor(server: string, differences: readonly string[]) {
    super(`${server} does not answer as nomenclator does:\n${differences.map((each) => `  ${each}`).join('\n')}`)
  }
}

export async function verifySame(ours: RunningServer, theirs: RunningServer, totalPages: number): Promise<void> {
  const differences: string[] = []
  for (const load of comparedLoads) {
    for (const page of [...load.pages(totalPages).slice(0, SAMPLES), totalPages]) {
      const [expected, found] = await Promise.all([answerTo(ours, load, page), answerTo(theirs, load, page)])
      const where = `${load.method} page ${page}${load.conditional ? ' with its ETag' : ''}`
      differences.push(...differencesOf(theirs.name, expected, found).map((each) => `${where}: ${each}`))
    }
  }
  if (differences.length > 0) throw new DifferentAnswers(theirs.name, differences)
}

async function answerTo({ port }: RunningServer, load: Load, page: number): Promise<HttpResponse> {
  const question = { port, path: pathOf(page), method: load.method }
  if (!load.conditional) return ask(question)
  return ask({ ...question, headers: { 'If-None-Match': fieldOf(await ask(question), 'ETag') } })
}

export function differencesOf(server: string, expected: HttpResponse, found: HttpResponse): string[] {
  if (expected.status !== found.status) return [`status ${found.status} instead of ${expected.status}`]
  const differences: string[] = []
  if (!Buffer.from(expected.body).equals(Buffer.from(found.body))) {
    differences.push(`the body differs (${found.body.length} bytes, and ${expected.body.length} expected)`)
  }
  // HTTP does not tell the case of a name, and Fastify writes them all small.
  const [wanted, given] = [byName(expected), byName(found)]
  for (const name of new Set([...wanted.keys(), ...given.keys()])) {
    const [left, right] = [wanted.get(name), given.get(name)]
    if (left === right || isAllowed(server, found.status, name, left !== undefined && right !== undefined)) continue
    differences.push(`${name} is ${shown(right)} instead of ${shown(left)}`)
  }
  return differences
}

const byName = ({ fields }: HttpResponse): ReadonlyMap<string, string> =>
  new Map(fields.map(([name, value]) => [name.toLowerCase(), value]))

const shown = (value: string | undefined): string => (value === undefined ? 'not there' : JSON.stringify(value))
