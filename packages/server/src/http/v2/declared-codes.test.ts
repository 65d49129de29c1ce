// Official codes that lists declare in any way: in paths, filters and orders of API v2 they are what a naive model has.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { codedLists } from '../../../../../test/support/coded-lists.ts'
import { releaseOf, sourceOf } from '../../../../../test/support/releases.ts'
import type { Release } from '../../release/release.ts'
import type { HttpResponse } from '../exchange.ts'
import { OpenReleases } from './open-releases.ts'
import { parseV2 } from './pipeline.ts'

type Coded = { readonly number: number; readonly geo: string | null }

/** The records at a target, one or several. */
function recordsAt(release: Release, target: string): Coded[] {
  const [path = '', query = ''] = target.split('?')
  const releases = new OpenReleases(() => release, undefined)
  const context = { releases, cache: undefined, baseUrlOf: () => 'http://x.example', isBaseUrlFixed: true }
  const request = { method: 'GET' as const, path: `/api/v2/${path}`, query, headers: new Map() }
  const { body } = parseV2(context, request).respond() as HttpResponse
  return [JSON.parse(Buffer.from(body as Uint8Array).toString())].flat()
}

/** By the bytes of the codes; what has none comes last in either direction, and ties stay in their order. */
const ordered = (records: readonly Coded[], sign: 1 | -1): Coded[] =>
  records.toSorted((a, b) => {
    if (a.geo === null || b.geo === null) return Number(a.geo === null) - Number(b.geo === null)
    return sign * Buffer.compare(Buffer.from(a.geo), Buffer.from(b.geo))
  })

test('a declared code is a member, a filter, an order and a name in a path', () =>
  fc.assert(
    fc.asyncProperty(codedLists, async ({ catalog, levels, rows, codes }) => {
      const release = await releaseOf(sourceOf(rows, {}, catalog))
      for (const { name, plural } of levels) {
        const expected = (codes[name] ?? []).map((geo, number) => ({ number, geo: geo ?? null }))
        const coded = (records: readonly Coded[]) => records.map(({ number, geo }) => ({ number, geo }))
        const at = (target: string) => coded(recordsAt(release, `${plural}${target}`))
        expect(at('')).toEqual(expected)
        expect(at('?sort=geo')).toEqual(ordered(expected, 1))
        expect(at('?sort=-geo')).toEqual(ordered(expected, -1))
        const known = expected.flatMap(({ geo }) => geo ?? [])
        for (const geo of new Set(known)) {
          const same = expected.filter((one) => one.geo === geo)
          expect(at(`?geo=${encodeURIComponent(geo)}`)).toEqual(same)
          expect(at(`?geo_prefix=${encodeURIComponent(geo)}`)).toEqual(
            expected.filter((one) => one.geo?.startsWith(geo) === true),
          )
          if (/^[0-9]+$/.test(geo)) expect(at(`?q=${geo}`)).toEqual(expect.arrayContaining(same))
          if (same.length === 1) expect(at(`/${encodeURIComponent(geo)}?by=code`)).toEqual(same)
        }
        const two = [...new Set(known)].slice(0, 2)
        if (two.length === 2)
          expect(at(`?geo=${two.map(encodeURIComponent).join()}`)).toEqual(
            expected.filter(({ geo }) => geo !== null && two.includes(geo)),
          )
      }
    }),
    { numRuns: 25 },
  ))
