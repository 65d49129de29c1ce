// A home with very many lists: what describes all of them, from many clients at a time, beside pages of API v1.
import { cpSync } from 'node:fs'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { runHere } from '../support/command.ts'
import { writeManyLists } from '../support/many-lists.ts'
import type { Service } from '../support/service.ts'
import type { Campaign, Home, Trial } from './trial.ts'

const CLIENTS = 40
const MAX_MORE_MEDIAN_MILLISECONDS = 20
const MAX_PAGE_MILLISECONDS = 1_000

/** A page of API v1, which the others are compared with. */
const PAGE = ['/api/v1/municipios?page=2', 'identity'] as const

/** What describes all lists, and with which encoding it is requested. */
const REQUESTS: readonly (readonly [target: string, encoding: string])[] = [
  ['/api/v2', 'br'],
  ['/api/v2', 'identity'],
  ['/api/openapi.json', 'gzip'],
  ['/docs', 'gzip'],
  ['/docs/list-list-7', 'gzip'],
  ['/resolve', 'gzip'],
  ['/api/v2/lst-7', 'identity'],
]

export const lists: Campaign = {
  name: 'lists',
  title: 'A thousand lists',
  description: `A package of a thousand lists is imported beside the bundled data: trees, and lists that belong to each other. ${CLIENTS} clients request what describes all of them, the index, the OpenAPI document, the reference, the page that resolves lists and a path that is misspelt, while another requests pages of API v1. The median of those may be ${MAX_MORE_MEDIAN_MILLISECONDS} ms more than beside as many clients that request pages themselves, each of them again and again without a pause; what is requested alone for the second time comes within ${MAX_PAGE_MILLISECONDS / 1_000} s, and no process is replaced.`,
  run: async (trial) => {
    const home = await homeOf(trial, trial.size({ full: 1_000, quick: 200 }))
    await trial.homes.versions(home)
    const service = await trial.start(home)
    const beside = async ([target, encoding]: readonly [string, string]) => {
      const name = `${target} (${encoding})`
      const { probe } = await trial.observe(name, service, home, () => crowd(service, target, encoding, trial))
      trial.require(probe.failed === 0, `${name}: ${probe.failed} pages failed (${JSON.stringify(probe.reasons)})`)
      return probe.latency.p50
    }
    const usual = await beside(PAGE)
    for (const request of REQUESTS) {
      const [target, encoding] = request
      const name = `${target} (${encoding})`
      const first = await timed(service, target, encoding)
      const again = await timed(service, target, encoding)
      trial.fact(`${name}: ${first.toFixed(0)} ms first, ${again.toFixed(0)} ms again`)
      trial.require(again <= MAX_PAGE_MILLISECONDS, `${name} took ${again.toFixed(0)} ms`)
      const more = (await beside(request)) - usual
      trial.require(more <= MAX_MORE_MEDIAN_MILLISECONDS, `${name}: half of the pages took ${more.toFixed(1)} ms more`)
    }
    const restarts = await trial.metric(service, /^nomenclator_worker_restarts_total/)
    trial.require((restarts ?? 0) === 0, `${restarts} processes were replaced`)
  },
}

async function homeOf(trial: Trial, count: number): Promise<Home> {
  const { path: bundled, digests } = await trial.homes.bundled()
  const path = trial.homes.directory('lists')
  cpSync(bundled, path, { recursive: true })
  const given = writeManyLists(trial.homes.directory('lists-package'), count)
  const { code, out, err } = await runHere('import', 'package', given, '--home', path)
  if (code !== 0) throw new Error(`the lists were not imported: ${out}${err}`)
  return { path, digests: [new ReleaseStore(path).currentDigest() as string, digests[0]] }
}

async function timed({ url }: Service, target: string, encoding: string): Promise<number> {
  const started = performance.now()
  const response = await fetch(url + target, { headers: { 'Accept-Encoding': encoding }, decompress: false })
  await response.arrayBuffer()
  return performance.now() - started
}

/** Many clients that request the same again and again. */
async function crowd(service: Service, target: string, encoding: string, trial: Trial): Promise<void> {
  const end = performance.now() + trial.size({ full: 10_000, quick: 2_000 })
  const client = async () => {
    while (performance.now() < end) await timed(service, target, encoding)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}
