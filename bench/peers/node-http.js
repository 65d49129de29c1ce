// The same pages over node:http alone.
import { createServer } from 'node:http'
import { answerPage } from './pages.js'
import { inWorkers } from './workers.js'

const PATH = '/api/v1/localidades'

function respond(request, response) {
  const mark = request.url.indexOf('?')
  const path = mark === -1 ? request.url : request.url.slice(0, mark)
  const query = new URLSearchParams(mark === -1 ? '' : request.url.slice(mark + 1))
  const answer = path === PATH ? answerPage(query.get('page'), request.headers['if-none-match']) : undefined
  if (answer === undefined) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(answer.status, answer.headers)
  response.end(request.method === 'HEAD' ? undefined : answer.body)
}

inWorkers((port) => createServer({ keepAliveTimeout: 60_000 }, respond).listen(port, '127.0.0.1', 4096))
