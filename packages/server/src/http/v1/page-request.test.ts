// The page that a query string requests. Query strings that are refused are in test/contract/problems.test.ts.
import { describe, expect, test } from 'bun:test'
import { FIRST_PAGE, pageRequest } from './page-request.ts'

describe('a page is requested by', () => {
  test.each([
    ['nothing', '', 1],
    ['an empty parameter', '&', 1],
    ['its number', 'page=7', 7],
    ['its number and a format', 'format=api&page=30014', 30_014],
    ['its number and the other format', 'page=2&format=json', 2],
    ['its number, encoded', 'p%61ge=%31%32', 12],
    ['the most digits that there may be', 'page=999999999999999', 999_999_999_999_999],
    ['a format alone', 'format=api', 1],
    ['parameters of others', '_=17&per_page=50&PAGE=9&page[]=3&pages=4', 1],
    ['parameters of others and its number', 'page%20=9&page=2&%FF=%', 2],
  ])('%s', (_, query, page) => expect<number>(pageRequest(query)).toBe(page))

  test('nothing means the first', () => expect(pageRequest('')).toBe(FIRST_PAGE))
})
