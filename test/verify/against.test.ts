// Two servers compared: each kind of difference is found, counted and shown, and headers of the moment do not count.
import { describe, expect, test } from 'bun:test'
import { run } from '../../packages/server/src/cli/run.ts'
import { type Comparison, compareServers } from '../../packages/verify/src/compare.ts'
import { collections } from '../../packages/verify/src/contract.ts'
import { jumbled } from '../support/jumbled-catalog.ts'
import { type Fault, plainV1, recordsOfAll } from '../support/plain-v1.ts'
import { type Rows, releaseOf } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { countries, smallSource } from '../support/small-source.ts'
import { body, fields, records } from '../support/v1-faults.ts'

const quick = { timeout: 10_000, retries: 0, backoff: 1, rate: undefined, concurrency: 2 }
const paises = collections.filter(({ name }) => name === 'paises')
const extent = { deep: true, sample: 20 }

type Side = { readonly fault?: Fault; readonly rows?: Rows; readonly prefix?: string }

async function compared(
  left: Side,
  right: Side,
  options = extent,
  only: typeof collections = paises,
): Promise<Comparison> {
  const serverFor = ({ fault, rows = jumbled, prefix = '' }: Side) =>
    plainV1(fault, { records: recordsOfAll(rows), prefix })
  await using one = await serverFor(left)
  await using other = await serverFor(right)
  return await compareServers(one.url, other.url, { ...quick, ...options, collections: only, onProgress: () => {} })
}

const countsOf = ({ differences }: Comparison) =>
  Object.fromEntries(differences.map(({ kind, count }) => [kind, count]))
const rowsOf = (pais: Rows[string]): Rows => ({ ...jumbled, pais })
const all = countries(25)
const onGet =
  (edit: Fault): Fault =>
  (response, request) =>
    request.method === 'GET' && response.status === 200 ? edit(response, request) : response
const header = (name: string, value: string): Fault =>
  onGet(fields((all) => [...all.filter(([given]) => given !== name), [name, value]]))

describe('two servers', () => {
  test('are the same, under other addresses and paths, in all collections', async () => {
    const found = await compared({}, { prefix: '/mirror' }, extent, collections)
    expect([found.same, found.differences, found.unchecked]).toEqual([true, [], []])
    expect(found.collections.map(({ name, pages, records }) => [name, pages, records])).toEqual(
      collections.map(({ name }) => [name, 3, 25]),
    )
  })

  const cases: readonly (readonly [what: string, left: Side, right: Side, counts: Record<string, number>])[] = [
    // The totals are the same, and so are the links.
    [
      'another record',
      {},
      { rows: rowsOf([...all.slice(0, 24), ...countries(26).slice(25)]) },
      { 'only-left': 1, 'only-right': 1 },
    ],
    ['a field', {}, { fault: onGet(body((text) => text.replaceAll('País 7"', 'Pais 7"'))) }, { field: 1 }],
    ['a field of the wrong type', {}, { fault: onGet(body((text) => text.replaceAll('"País 7"', '7'))) }, { field: 1 }],
    [
      'a field that is missing',
      {},
      { fault: onGet(body((text) => text.replaceAll('"descPais":"País 7",', ''))) },
      { field: 1 },
    ],
    [
      'the order of fields, which has no meaning',
      {},
      {
        fault: onGet(records((all) => all.map(({ cvePais, ...others }) => ({ ...others, cvePais })))),
      },
      {},
    ],
    ['the order of records', {}, { fault: onGet(records((all) => all.toReversed())) }, { order: 22 }],
    ['a header of the contract', {}, { fault: header('Vary', 'Accept, Cookie') }, { header: 4 }],
    ['a header that is missing', { fault: header('X-More', 'x') }, {}, { 'other-header': 4 }],
    [
      'ETag, which each server makes in its own way',
      { fault: header('ETag', '"a"') },
      { fault: header('ETag', '"b"') },
      { 'other-header': 4 },
    ],
    ['Date and Server', { fault: header('Server', 'a') }, { fault: header('Date', 'b') }, {}],
    ['Link to elsewhere', {}, { fault: header('Link', '<http://localhost/x>; rel="next"') }, { header: 4 }],
    [
      'a status',
      {},
      { fault: (response, { page }) => (page === 2 ? { ...response, status: 500 } : response) },
      { status: 1, 'only-left': 10 },
    ],
    [
      'the status of HEAD',
      {},
      { fault: (response, { method }) => (method === 'HEAD' ? { ...response, status: 405 } : response) },
      { status: 1 },
    ],
    [
      'a status where the contract is silent',
      {},
      { fault: (response, { page }) => (page === 4 ? { ...response, status: 200, body: '[]' } : response) },
      { 'other-status': 1 },
    ],
    [
      'a body that is no list',
      {},
      { fault: onGet((response, { page }) => (page === 3 ? { ...response, body: '{}' } : response)) },
      { body: 1 },
    ],
  ]
  test.each(cases)('differ: %s', async (_what, left, right, counts) => {
    const found = await compared(left, right)
    expect(countsOf(found)).toEqual(counts)
    const advice = ['other-header', 'other-status']
    expect(found.same).toBe(Object.keys(counts).every((kind) => advice.includes(kind)))
    for (const { count, of, examples } of found.differences)
      expect(examples.length).toBe(Math.min(count, Object.keys(of).length > 0 ? 2 : 5))
  })

  test('differ in a record near the beginning: the rest has moved, and is the same', async () => {
    const found = await compared({}, { rows: rowsOf(all.filter(({ idPais }) => idPais !== 3)) })
    const { header: headers, ...others } = countsOf(found)
    expect(others).toEqual({ 'only-left': 1 })
    // X-Total on all pages and for HEAD.
    expect(found.differences.find(({ kind }) => kind === 'header')?.of).toEqual({ 'X-Total': headers as number })
    expect(found.differences[0]?.examples).toEqual([
      {
        where: '/api/v1/paises, key 3, page 1',
        left: '{"cvePais":"AAD","descPais":"País 3","idPais":3}',
        right: 'no such record',
      },
    ])
  })

  test('are compared by a sample, with a look at the pages beside it', async () => {
    const [left, right] = [countries(200), countries(200).filter(({ idPais }) => idPais !== 1)]
    const found = await compared(
      { rows: rowsOf(left) },
      { rows: rowsOf([...right, ...countries(201).slice(200)]) },
      { deep: false, sample: 4 },
    )
    expect(countsOf(found)).toEqual({ 'only-left': 1, 'only-right': 1 })
  })

  test('of which one has more pages', async () => {
    const found = await compared({ rows: rowsOf(countries(12)) }, {})
    expect(countsOf(found)).toMatchObject({ 'only-right': 13 })
    expect(found.same).toBe(false)
  })

  test('of which one is not there', async () => {
    await using server = await plainV1()
    const found = await compareServers(server.url, 'http://127.0.0.1:1', {
      ...quick,
      ...extent,
      collections,
      onProgress: () => {},
    })
    expect([found.same, found.differences]).toEqual([false, []])
    expect(found.unchecked.join()).toContain('refused')
  })
})

describe('the command', () => {
  async function cli(...argv: string[]) {
    const said: string[] = []
    const terminal = { out: (text: string) => void said.push(text), err: () => {}, data: () => {}, interactive: false }
    return { code: await run(['verify', ...argv], {}, terminal), out: said.join('') }
  }

  test('shows an operator the changes of a move from a plain server to ours', async () => {
    const release = await releaseOf(smallSource(jumbled))
    const server = serverOf(() => release)
    await using old = await plainV1()
    const { code, out } = await cli(old.url, '--against', server.url, '--deep')
    const back = await cli(server.url, '--against', server.url, '--json')
    await server.close()
    expect([code, back.code]).toEqual([0, 0])
    expect(out).toContain('advice   other-header: ')
    expect(out).toContain('advice   other-status: ')
    expect(out).toEndWith('They are the same, apart from what is only advice.\n')
    expect(JSON.parse(back.out)).toMatchObject({ same: true, left: server.url, right: server.url, differences: [] })
  })

  test('shows differences by kind, with exit code 1, and as JUnit XML', async () => {
    await using left = await plainV1()
    await using right = await plainV1(header('X-Per-Page', '20'))
    const { code, out } = await cli(left.url, '--against', right.url, '--only', 'paises')
    expect(code).toBe(1)
    expect(out).toStartWith(`differs  header: 4 times (a header of the contract with another value): X-Per-Page 4
         GET /api/v1/paises?format=api&page=1
           ${left.url}: X-Per-Page: 10
           ${right.url}: X-Per-Page: 20
`)
    expect(out).toEndWith('They differ: header 4.\n')
    const { out: xml } = await cli(left.url, '--against', right.url, '--only', 'paises', '--junit', '-')
    expect(xml).toContain('tests="9" failures="1" errors="0"')
    expect((await cli(left.url, '--against', 'http://127.0.0.1:1', '--only', 'paises')).code).toBe(2)
  })
})
