// Every page of the localities as the service answers it, copied out once for the other servers to answer from.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ask, fieldOf, type HttpResponse } from '../load/ask.ts'
import { pathOf } from '../load/loads.ts'
import { workPath } from '../machine/places.ts'
import { serveFrom } from './nomenclator.ts'
import { RunningServer } from './running-server.ts'
import type { Built } from './synthetic-release.ts'

export type Pages = {
  readonly directory: string
  /** One file a page, named by its number, with the time of the release. */
  readonly files: string
  /** The same pages, one a line. */
  readonly lines: string
  /** The ETag of each page, one a line. */
  readonly etags: string
  readonly total: number
  readonly totalPages: number
  readonly lastModified: string
}

const FACTS = 'facts.json'
const AT_ONCE = 64

/** The copy of that release: the one of the last run, or a new one in its place. */
export async function pagesOf(built: Built, cores: readonly number[]): Promise<Pages> {
  const directory = workPath('pages', built.key)
  const facts = join(directory, FACTS)
  if (!existsSync(facts)) await copyOut(built, directory, cores)
  const read: Pick<Pages, 'total' | 'totalPages' | 'lastModified'> = JSON.parse(readFileSync(facts, 'utf8'))
  return { directory, ...filesIn(directory), ...read }
}

const filesIn = (directory: string) => ({
  files: join(directory, 'files'),
  lines: join(directory, 'pages.txt'),
  etags: join(directory, 'etags.txt'),
})

async function copyOut({ home }: Built, directory: string, cores: readonly number[]): Promise<void> {
  const parent = join(directory, '..')
  for (const old of existsSync(parent) ? readdirSync(parent) : []) rmSync(join(parent, old), { recursive: true })
  const unfinished = `${directory}.new`
  const { files, lines, etags } = filesIn(unfinished)
  mkdirSync(files, { recursive: true })
  await using server = await RunningServer.start({ name: 'copy', launch: serveFrom(home), cores, workers: 1 })
  const first = await ask({ port: server.port, path: pathOf(1) })
  const totalPages = Number(fieldOf(first, 'X-Total-Pages'))
  const lastModified = fieldOf(first, 'Last-Modified')
  const lineWriter = Bun.file(lines).writer()
  const tags: string[] = []
  for (let page = 1; page <= totalPages; page += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, totalPages - page + 1) }, (_, index) => page + index)
    const answers = await Promise.all(numbers.map((number) => ask({ port: server.port, path: pathOf(number) })))
    for (const [index, answer] of answers.entries()) {
      writePage(join(files, String(page + index)), answer, lastModified)
      lineWriter.write(answer.body)
      lineWriter.write('\n')
      tags.push(fieldOf(answer, 'ETag'))
    }
    await lineWriter.flush()
  }
  await lineWriter.end()
  writeFileSync(etags, `${tags.join('\n')}\n`)
  writeFileSync(
    join(unfinished, FACTS),
    JSON.stringify({ total: Number(fieldOf(first, 'X-Total')), totalPages, lastModified }),
  )
  renameSync(unfinished, directory)
}

/** The time of the file is what nginx answers as Last-Modified. */
function writePage(path: string, { body }: HttpResponse, lastModified: string): void {
  writeFileSync(path, body)
  utimesSync(path, new Date(lastModified), new Date(lastModified))
}
