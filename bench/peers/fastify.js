// The pages over Fastify, all of them in memory: node fastify.js PORT FACTS BASE_URL
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'

const PATH = '/api/v1/localidades'
const [port, facts, base] = process.argv.slice(2)
const { files, etags, total, totalPages, lastModified } = JSON.parse(readFileSync(facts, 'utf8'))
const bodies = etags.map((_, index) => readFileSync(join(files, String(index + 1))))

const link = (page, relation) => `<${base}${PATH}?format=api&page=${page}>; rel="${relation}"`

function linksOf(page) {
  const next = page < totalPages ? link(page + 1, 'next') : ''
  if (page === 1) return next
  return next === '' ? link(page - 1, 'prev') : `${link(page - 1, 'prev')}, ${next}`
}

function respond(request, reply) {
  const page = request.query.page === undefined ? 1 : Number(request.query.page)
  const body = bodies[page - 1]
  if (body === undefined) {
    reply.code(404).send()
    return
  }
  const etag = etags[page - 1]
  reply.headers({
    'Content-Type': 'application/json',
    Allow: 'GET, HEAD, OPTIONS',
    Vary: 'Accept',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'X-Page, X-Per-Page, X-Total, X-Total-Pages, Link, ETag, Allow',
    'X-Page': page,
    'X-Per-Page': 10,
    'X-Total': total,
    'X-Total-Pages': totalPages,
    Link: linksOf(page),
    ETag: etag,
    'Last-Modified': lastModified,
    'Cache-Control': 'public, no-cache',
  })
  if (request.headers['if-none-match'] === etag) reply.code(304).send()
  else reply.send(body)
}

const app = Fastify({ logger: false, keepAliveTimeout: 60_000 })
app.get(PATH, respond)
app.listen({ port: Number(port), host: '127.0.0.1', backlog: 4096 })
