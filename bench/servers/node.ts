// Servers on Node that hold every page in memory: node:http alone, and Fastify.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BASE_URL } from '../load/loads.ts'
import { BENCH } from '../machine/places.ts'
import { type Contender, versionLine } from './contender.ts'
import type { Pages } from './pages.ts'

const fastifyFacts = join(BENCH, 'node_modules', 'fastify', 'package.json')
const nodeMissing = () => (Bun.which('node') === null ? ['node'] : [])

const environment = (pages: Pages, port: number, workers: number) => ({
  BENCH_PORT: String(port),
  BENCH_WORKERS: String(workers),
  BENCH_BASE_URL: BASE_URL,
  BENCH_PAGES: pages.directory,
  NODE_ENV: 'production',
})

const onNode = (program: string): Contender['prepare'] => {
  const path = join(BENCH, 'peers', program)
  return async (pages) =>
    ({ port, workers }) => ({ command: ['node', path], env: environment(pages, port, workers) })
}

export const nodeHttp: Contender = {
  name: 'node',
  description: 'node:http, every page in memory',
  missing: nodeMissing,
  version: () => versionLine(['node', '--version']),
  prepare: onNode('node-http.js'),
}

export const fastify: Contender = {
  name: 'fastify',
  description: 'Fastify on Node, every page in memory',
  missing: () => [...nodeMissing(), ...(existsSync(fastifyFacts) ? [] : ['fastify'])],
  version: () => {
    const facts: { version: string } = JSON.parse(readFileSync(fastifyFacts, 'utf8'))
    return `${facts.version} on Node ${versionLine(['node', '--version'])}`
  },
  prepare: onNode('fastify.js'),
}
