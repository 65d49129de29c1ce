// Which page a query string requests, and what is wrong with one that requests none.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { outcomeOf } from '../../../../../test/support/problems.ts'
import { anyPageRequest, FIRST_PAGE, pageRequest } from './page-request.ts'

const PAGE = 'a whole number from 1, without sign, leading zeros or more than 15 digits, given once'
const FORMAT = 'api or json, given once'

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

describe('refused is a page that is', () => {
  test.each([
    ['empty', 'page=', ''],
    ['without a value', 'page', ''],
    ['zero', 'page=0', '0'],
    ['several zeros', 'page=00', '00'],
    ['negative', 'page=-1', '-1'],
    ['minus zero', 'page=-0', '-0'],
    ['broken', 'page=1.5', '1.5'],
    ['broken evenly', 'page=1.0', '1.0'],
    ['an exponent', 'page=1e3', '1e3'],
    ['hexadecimal', 'page=0x1', '0x1'],
    ['signed', 'page=%2B1', '+1'],
    ['after a space', 'page=+1', ' 1'],
    ['before a line end', 'page=1%0A', '1\n'],
    ['padded', 'page=01', '01'],
    ['a word', 'page=last', 'last'],
    ['a number and a word', 'page=12abc', '12abc'],
    ['a big integer', 'page=1n', '1n'],
    ['in Arabic digits', 'page=%D9%A1', '١'],
    ['with a zero byte', 'page=1%00', '1\0'],
    ['of too many digits', 'page=1000000000000000', '1000000000000000'],
    ['repeated', 'page=1&page=2', '1, 2'],
    ['repeated as it was', 'page=1&page=1', '1, 1'],
    ['repeated and empty', 'page=1&page=', '1, '],
  ])('%s', (_, query, value) =>
    expect(outcomeOf(() => pageRequest(query))).toEqual({
      kind: 'bad-parameter',
      name: 'page',
      value,
      allowed: PAGE,
    }),
  )
})

describe('refused is a format that is', () => {
  test.each([
    ['another', 'format=xml', 'xml'],
    ['in capitals', 'format=JSON', 'JSON'],
    ['empty', 'format=', ''],
    ['after a space', 'format=%20api', ' api'],
    ['repeated', 'format=api&format=api', 'api, api'],
    ['bad, before a page that is bad too', 'page=0&format=csv', 'csv'],
  ])('%s', (_, query, value) =>
    expect(outcomeOf(() => pageRequest(query))).toEqual({
      kind: 'bad-parameter',
      name: 'format',
      value,
      allowed: FORMAT,
    }),
  )
})

test('the short way to the page and the long one agree on every query', () => {
  const number = fc.oneof(
    fc.nat().map(String),
    fc.constantFrom('0', '01', '1.0', '', '+1', '1'.repeat(15), '1'.repeat(16)),
  )
  const format = fc.constantFrom(
    'format=api&',
    'format=json&',
    'format=xml&',
    'format=api&format=api&',
    '&',
    'a=1&',
    '',
  )
  const rest = fc.constantFrom('', '', '&', '&page=1', '&format=api', '&_=1', '#', ' ', '%20', '\n')
  const query = fc.tuple(format, fc.constantFrom('page=', 'Page=', 'p%61ge=', 'page'), number, rest)
  fc.assert(
    fc.property(query, (parts) => {
      const text = parts.join('')
      expect(outcomeOf(() => pageRequest(text))).toEqual(outcomeOf(() => anyPageRequest(text)))
    }),
    { numRuns: 1_000 },
  )
})
