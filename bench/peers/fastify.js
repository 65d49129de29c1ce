// The same pages over Fastify.
import Fastify from 'fastify'
import { answerPage } from './pages.js'
import { inWorkers } from './workers.js'

function respond(request, reply) {
  const answer = answerPage(request.query.page, request.headers['if-none-match'])
  if (answer === undefined) {
    reply.code(404).send()
    return
  }
  reply.code(answer.status).headers(answer.headers).send(answer.body)
}

inWorkers((port) => {
  const app = Fastify({ logger: false, keepAliveTimeout: 60_000 })
  app.get('/api/v1/localidades', respond)
  app.listen({ port, host: '127.0.0.1', backlog: 4096 })
})
