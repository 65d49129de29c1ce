// A home with many lists: what describes all of them names each, and no list is described on the page of all.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { parsedBy } from '../../packages/server/src/http/app.ts'
import type { ParsedRequest } from '../../packages/server/src/http/exchange.ts'
import { writeManyLists } from '../support/many-lists.ts'
import { attributes } from '../support/pages.ts'
import { releaseOf, sourceIn, TestDirectory } from '../support/releases.ts'
import { appOf, responseTo } from '../support/responses.ts'

setDefaultTimeout(180_000)

const COUNT = 15
const directory = new TestDirectory()
afterAll(() => directory[Symbol.dispose]())
const release = await releaseOf(await sourceIn(writeManyLists(join(directory.path, 'many'), COUNT)))
const app = appOf(() => release, { pages: explorerPages })
const get = (target: string) => responseTo(app, { target })

type Index = { readonly collections: readonly { readonly name: string; readonly children: readonly string[] }[] }

test('the index has every list, with those whose records are below its own', async () => {
  const { collections } = (await (await get('/api/v2')).json()) as Index
  expect(collections.map(({ name }) => name)).toHaveLength(COUNT)
  const childrenOf = (name: string) => collections.find((one) => one.name === name)?.children
  const below = (name: string, ...children: readonly string[]) =>
    children.map((child) => `http://x/api/v2/${name}/{code}/${child}`)
  expect(childrenOf('list-5')).toEqual(below('list-5', 'list-6', 'list-7', 'list-8', 'list-9'))
  expect(childrenOf('list-7')).toEqual(below('list-7', 'list-8'))
  expect(childrenOf('list-9')).toEqual([])
})

test('the reference has a page for each list, and none of their parameters', async () => {
  const html = await (await get('/docs')).text()
  const parts = attributes(html, 'data-part').filter((part) => part.includes('/list-'))
  expect(parts).toHaveLength(COUNT)
  expect(html).not.toContain('area_min')
  for (const part of parts) expect(await (await get(part)).text()).toContain('area_min')
})

test.each(['GET', 'HEAD', 'DELETE', 'OPTIONS'])(
  '%s of a list that there is not costs what naming all paths costs',
  (method) => {
    for (const path of ['/api/v2/lst-7', '/api/v2/lst-7/']) {
      const request = { method, path, query: '', headers: new Map() }
      const parsed = parsedBy(app)(request, { peer: '::1', listeningUrl: '' }) as ParsedRequest
      expect(parsed.cost).toBeGreaterThan(COUNT)
    }
  },
)
