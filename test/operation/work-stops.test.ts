// A job whose client is gone stops, whatever it was: each looks for that again and again.
import { describe, expect, test } from 'bun:test'
import { WorkStopped, workOn } from '../../packages/server/src/base/checkpoint.ts'
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { type HttpResponse, isStreamed, type RunningJob } from '../../packages/server/src/http/exchange.ts'
import { HeaderText } from '../../packages/server/src/http/wire/header-text.ts'
import { releaseOf } from '../support/releases.ts'
import { appOf } from '../support/responses.ts'
import { placesOf, smallSource } from '../support/small-source.ts'

/** More than fit on a page that is made at once. */
const localities = Array.from(
  { length: 1_200 },
  (_, at) => [String(at + 1).padStart(4, '0'), `San José ${at}`, 1] as const,
)
const release = await releaseOf(
  smallSource(
    placesOf({ states: [['JAL', 'JC', 'Jalisco', 14]], municipalities: [['039', 'Guadalajara', 14]], localities }),
  ),
)
const app = appOf(() => release, { policy: { baseUrl: undefined, trustedProxies: undefined }, pages: explorerPages })

const DIRTY = 'san joze guadalaxara jalizco'
const Q = encodeURIComponent(DIRTY)
const FORM = `queries=${encodeURIComponent(JSON.stringify({ a: { query: DIRTY } }))}`
const REQUESTS: [name: string, target: string, type: string, body: string][] = [
  ['a search', `/api/v2/search?q=${Q}`, '', ''],
  ['a list with q', `/api/v2/localidades?q=${Q}`, '', ''],
  ["the explorer's search", `/explore?q=${Q}`, '', ''],
  ['a row in the query', `/api/v2/resolve?q=${Q}`, '', ''],
  ['rows of JSON', '/api/v2/resolve', 'application/json', JSON.stringify([DIRTY, DIRTY])],
  ['rows of CSV', '/api/v2/resolve', 'text/csv', `q\n${DIRTY}\n`],
  ['reconciling', '/reconcile', 'application/x-www-form-urlencoded', FORM],
  ['a download', '/api/v2/localidades/all?format=csv', '', ''],
  ['changes', `/api/v2/changes?from=${release.digest}&to=${release.digest}`, '', ''],
]

/** True if a response is complete in the end; it is not when its job has stopped. */
async function isWhole(response: HttpResponse | Promise<HttpResponse>): Promise<boolean> {
  const { status, body } = await response
  if (!isStreamed(body)) return status === 200
  try {
    await Array.fromAsync(body.chunks())
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(WorkStopped)
    return false
  }
}

describe('is worked on while its client is there, and not when it is gone:', () => {
  test.each(REQUESTS)('%s', async (_name, target, type, body) => {
    const [path = '', query = ''] = target.split('?')
    const headers = new HeaderText(`Host: a\r\n${type === '' ? '' : `Content-Type: ${type}\r\n`}\r\n`)
    const sent = type === '' ? { method: 'GET' } : { method: 'POST', body: Buffer.from(body) }
    const respond = (work?: RunningJob) =>
      app(
        { ...sent, path, query, headers },
        { peer: '192.0.2.1', listeningUrl: 'http://127.0.0.1:1', ...(work && { work }) },
      )
    workOn(() => {
      throw new WorkStopped('gone')
    })
    const gone = await isWhole(respond({ pause: () => Promise.reject(new WorkStopped('gone')), expectEnd: () => {} }))
    workOn(undefined)
    expect([gone, await isWhole(respond())]).toEqual([false, true])
  })
})
