// Small catalogs over a real socket: no record, one, a full page, one more; and the order of the records.

import { describe, expect, test } from 'bun:test'
import { collections } from '../support/built-in.ts'
import { bodyOf, lists, recordsOf } from '../support/expected.ts'
import { headOf, notModifiedResponse, pageResponse, problemResponse } from '../support/expected-responses.ts'
import { jumbled } from '../support/jumbled-catalog.ts'
import { type Rows, releaseOf } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { countries, smallSource } from '../support/small-source.ts'
import { message, sendAll } from '../support/wire.ts'

/** A server of the catalog for the length of one test. */
async function served(catalog: Rows) {
  const release = await releaseOf(smallSource(catalog))
  const { url, host, close } = serverOf(() => release)
  const sendTo = (method: string, targets: readonly string[], ...fields: readonly string[]) =>
    sendAll(url, ...targets.map((target) => message(method, target, `Host: ${host}`, ...fields)))
  return { url, built: release.manifest.built, sendTo, [Symbol.asyncDispose]: close }
}

const path = '/api/v1/paises'

describe.each([
  [0, 1, [0]],
  [1, 1, [1]],
  [9, 1, [9]],
  [10, 1, [10]],
  [11, 2, [10, 1]],
  [20, 2, [10, 10]],
  [21, 3, [10, 10, 1]],
])('%i records', (total, lastPage, sizes) => {
  const pages = total === 0 ? 0 : lastPage
  const given = countries(total)
  const numbers = sizes.map((_, at) => at + 1)
  const totals = { 'X-Per-Page': '10', 'X-Total': String(total), 'X-Total-Pages': String(pages) }
  const beyond =
    total === 0
      ? 'Page 2 was asked for; the collection is empty, and only page 1 can be asked for.'
      : `Page ${lastPage + 1} was asked for; the last one is ${lastPage}.`

  test('every page by GET and by HEAD, and the one beyond the last', async () => {
    await using server = await served({ pais: given.toReversed() })
    const targets = [...numbers, lastPage + 1].map((page) => `${path}?page=${page}`)
    const facts = { base: server.url, path, total, pages, built: server.built }
    const wanted = [
      ...numbers.map((page) => pageResponse({ ...facts, page, body: bodyOf(given, page) })),
      problemResponse('page-beyond-last', beyond, path, totals),
    ]
    const responses = await server.sendTo('GET', targets)
    expect(responses).toEqual(wanted)
    expect(responses.slice(0, -1).map(({ body }) => JSON.parse(body).length)).toEqual(sizes)
    const heads = await server.sendTo('HEAD', targets)
    expect(heads).toEqual(wanted.map(headOf))
  })
})

test('an empty catalog is empty in every collection, and can be revalidated', async () => {
  await using server = await served({})
  const paths = collections.map(({ path }) => path)
  const facts = { base: server.url, page: 1, total: 0, pages: 0, built: server.built, body: '[]' }
  const responses = await server.sendTo('GET', paths)
  expect(responses).toEqual(paths.map((path) => pageResponse({ ...facts, path })))
  const again = await server.sendTo('GET', paths, `If-None-Match: ${responses[0]?.headers.ETag}`)
  expect(again).toEqual(paths.map((path) => notModifiedResponse({ ...facts, path })))
})

test('records are served in order, whatever the order of the rows', async () => {
  await using server = await served(jumbled)
  for (const { path, entity } of lists) {
    const records = recordsOf(smallSource(jumbled), entity)
    const responses = await server.sendTo(
      'GET',
      [1, 2, 3].map((page) => `${path}?page=${page}`),
    )
    expect(responses.map(({ body }) => body)).toEqual([1, 2, 3].map((page) => bodyOf(records, page)))
  }
})

type Served = {
  idLocalidad: number
  idEstado: { idEstado: number }
  idMunicipio: { idMunicipio: number; idEstado: { idEstado: number } }
}

test('localities keep the order of the source, and their own state', async () => {
  await using server = await served(jumbled)
  const [response] = await server.sendTo('GET', ['/api/v1/localidades'])
  const page: Served[] = JSON.parse(response?.body ?? '')
  const keys = (jumbled.localidad ?? []).map(({ idMunicipio, idLocalidad }) => [idMunicipio, idLocalidad])
  expect<unknown>(page.map((one) => [one.idMunicipio.idMunicipio, one.idLocalidad])).toEqual(keys.slice(0, 10))
  expect(page.some((one) => one.idEstado.idEstado !== one.idMunicipio.idEstado.idEstado)).toBe(true)
})
