// Checks what is required of the headers and the body of a page.
import { describe, expect, test } from 'bun:test'
import { bodyFault, collectionSize } from './page.ts'

const SOUND = { 'X-Page': '3', 'X-Total': '47', 'X-Per-Page': '20', 'X-Total-Pages': '3' }
const size = { total: 47, perPage: 20, totalPages: 3 }
const response = (headers: Record<string, string>, body = '[]') => ({
  headers: new Headers(headers),
  body: new TextEncoder().encode(body),
})

describe('headers', () => {
  test('say how large the collection is, whatever the size of a page', () =>
    expect(collectionSize(response(SOUND), 3)).toEqual(size))

  test('may announce ten million pages', () =>
    expect(
      collectionSize(response({ ...SOUND, 'X-Total': '10000000', 'X-Per-Page': '1', 'X-Total-Pages': '10000000' }), 3),
    ).toEqual({ total: 10_000_000, perPage: 1, totalPages: 10_000_000 }))

  test('of an empty collection announce no page at all', () =>
    expect(collectionSize(response({ ...SOUND, 'X-Page': '1', 'X-Total': '0', 'X-Total-Pages': '0' }), 1)).toEqual({
      ...size,
      total: 0,
      totalPages: 0,
    }))

  test.each([
    ['another page than the one requested', { 'X-Page': '1' }, 'X-Page', '3'],
    ['a page that is no number', { 'X-Page': '3; 4' }, 'X-Page', '3'],
    ['a total below zero', { 'X-Total': '-1' }, 'X-Total', 'a whole number'],
    ['nothing on a page', { 'X-Per-Page': '0' }, 'X-Per-Page', 'a whole number from 1 to 100000'],
    ['too much on a page', { 'X-Per-Page': '100001' }, 'X-Per-Page', 'a whole number from 1 to 100000'],
    ['too few pages', { 'X-Total-Pages': '2' }, 'X-Total-Pages', '3, since there are 47 records and 20 on a page'],
    [
      'more pages than anyone can read',
      { 'X-Total': '10000001', 'X-Per-Page': '1', 'X-Total-Pages': '10000001' },
      'X-Total-Pages',
      'at most 10000000',
    ],
  ])('do not say %s', (_, wrong: Record<string, string>, column, expected) =>
    expect(collectionSize(response({ ...SOUND, ...wrong }), 3)).toEqual({ column, value: wrong[column], expected }),
  )

  test.each(Object.keys(SOUND))('do not lack %s', (name) => {
    const { [name]: _, ...rest } = SOUND as Record<string, string>
    expect(collectionSize(response(rest), 3)).toMatchObject({ column: name, value: undefined })
  })
})

const records = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({})))

describe('the body', () => {
  test.each([
    ['a full page', 2, 20],
    ['the rest on the last page', 3, 7],
  ])('is %s', (_, page, count) => expect(bodyFault(response({}, records(count)), page, size)).toBeUndefined())

  test.each([
    ['one record short', 2, 19, '20, since this is not the last page'],
    ['one record too long', 1, 21, '20, since this is not the last page'],
    ['empty at the end', 3, 0, '7, since this is the last page'],
    ['full at the end', 3, 20, '7, since this is the last page'],
  ])('is not %s', (_, page, count, expected) =>
    expect(bodyFault(response({}, records(count)), page, size)).toEqual({ column: 'records', value: count, expected }),
  )

  test('of an empty collection is an empty array', () => {
    const empty = { total: 0, perPage: 20, totalPages: 0 }
    expect(bodyFault(response({}, '[]'), 1, empty)).toBeUndefined()
    expect(bodyFault(response({}, '[{}]'), 1, empty)).toMatchObject({ column: 'records', value: 1 })
  })

  test.each(['', 'null', '{"results":[]}', '[{}', '<!doctype html>', '[1]]'])('is not %j', (body) =>
    expect(bodyFault(response({}, body), 1, size)).toEqual({
      column: 'body',
      value: body,
      expected: 'a JSON array of records, in UTF-8',
    }),
  )

  test.each([
    ['levels', `${'['.repeat(30)}${']'.repeat(30)}`],
    ['values', `[${'{},'.repeat(2e6)}{}]`],
  ])('has no more %s than a record has, or as many records', (_, body) =>
    expect(bodyFault(response({}, body), 1, { ...size, total: 1, perPage: 1, totalPages: 1 })).toMatchObject({
      column: 'body',
    }),
  )

  test('is not in Latin-1', () =>
    expect(bodyFault({ headers: new Headers(), body: Buffer.from('["año"]', 'latin1') }, 1, size)).toMatchObject({
      column: 'body',
    }))
})
