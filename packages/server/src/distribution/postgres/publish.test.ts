// A change is made to the state that it is based on, or not at all.
import { describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { sourceOf, TestHome, tiny } from '../../../../../test/support/releases.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import { type Listing, nextPointer } from '../shelf/pointer.ts'
import { ShelfChanged } from '../shelf/shelf-failures.ts'
import type { ShelfConnection } from './connection.ts'
import { isEmptyChange, publish, renewPointer } from './publish.ts'

const base: Listing = {
  ...{ generation: 5, change: 'five', chain: ['four'] },
  ...{ history: 'x\n', idRegistry: '{}', releases: new Map() },
}
const next = nextPointer(base, 'six')
const change = {
  ...{ base, history: 'y\n', idRegistry: '{}', put: new Map(), removed: [] },
  ...{ doing: 'test', next },
}

type Query = { readonly text: string; readonly parameters: readonly unknown[] }

/** A shelf whose pointer is this one at the moment of the change; the queries that change it are kept. */
function shelfAt(pointer: object | undefined): { connection: ShelfConnection; changes: Query[] } {
  const changes: Query[] = []
  const query = async (text: string, parameters: readonly unknown[] = []) => {
    if (/FROM nomenclator.pointer FOR UPDATE$/.test(text)) return pointer === undefined ? [] : [pointer]
    if (text.includes('WHERE NOT EXISTS (SELECT FROM nomenclator.entity'))
      return JSON.parse(String(parameters[0])).map((digest: string) => ({ digest }))
    // The chunks are there already.
    if (text.startsWith('SELECT digest FROM nomenclator.chunk'))
      return JSON.parse(String(parameters[0])).map((digest: string) => ({ digest }))
    if (/^(?:UPDATE|DELETE|INSERT)/.test(text)) changes.push({ text, parameters })
    return []
  }
  const transaction = (_mode: string, run: () => Promise<unknown>) => run()
  return { connection: { query, transaction } as unknown as ShelfConnection, changes }
}

describe.each<[string, (connection: ShelfConnection) => Promise<unknown>]>([
  ['a publication', (connection) => publish(connection, new ReleaseStore('/nowhere'), change)],
  ['an acceptance', (connection) => renewPointer(connection, base, next)],
])('%s', (_, make) => {
  test('is made to the state that it is based on', async () => {
    const { connection, changes } = shelfAt({ generation: '5', change: 'five' })
    await make(connection)
    expect(changes).toHaveLength(1)
  })

  test.each<[string, object | undefined]>([
    ['another generation', { generation: '6', change: 'five' }],
    ['another change of the same generation', { generation: '5', change: 'other' }],
    ['another generation and change', { generation: '4', change: 'four' }],
    ['no state', undefined],
  ])('is refused where the shelf has %s', async (_, pointer) => {
    const { connection, changes } = shelfAt(pointer)
    await expect(make(connection)).rejects.toBeInstanceOf(ShelfChanged)
    expect(changes).toEqual([])
  })
})

test('a release with a damaged file is not published', async () => {
  using home = new TestHome()
  const { digest } = await home.import(sourceOf(tiny))
  const { connection, changes } = shelfAt({ generation: '5', change: 'five' })
  const file = home.fileOf(digest, 'audiencia', 'records')
  const text = readFileSync(file, 'utf8')
  rmSync(file)
  writeFileSync(file, text.replace('Estudiantes', 'Estudiantex'))
  const put = new Map([[digest, home.store.releaseFiles(digest)]])
  await expect(publish(connection, home.store, { ...change, put })).rejects.toThrow(
    'nothing was published: the release is damaged',
  )
  expect(changes).toEqual([])
})

test('a publication removes releases, and what nothing names any more', async () => {
  const { connection, changes } = shelfAt({ generation: '5', change: 'five' })
  await publish(connection, new ReleaseStore('/nowhere'), { ...change, removed: ['a', 'b'] })
  expect(changes.map(({ text, parameters }) => [/nomenclator\.\w+/.exec(text)?.[0], ...parameters])).toEqual([
    ['nomenclator.release', 'a'],
    ['nomenclator.release', 'b'],
    ['nomenclator.entity'],
    ['nomenclator.chunk'],
    ['nomenclator.pointer', 6, 'six', 'five four', 'y\n', '{}', expect.stringContaining('test (process ')],
  ])
})

test.each<[string, object, boolean]>([
  ['nothing', { history: base.history }, true],
  ['another history', {}, false],
  ['another id registry', { history: base.history, idRegistry: '' }, false],
  ['a release that is put', { history: base.history, put: new Map([['a', {}]]) }, false],
  ['a release that is removed', { history: base.history, removed: ['a'] }, false],
])('whether there is anything to publish: %s', (_, parts, isEmpty) => {
  expect(isEmptyChange({ ...change, ...parts })).toBe(isEmpty)
})
