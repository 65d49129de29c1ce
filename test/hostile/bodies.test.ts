// Bodies of clients that mean harm, or that send by mistake what is no table: each is refused with words, or read.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { RECONCILE_PATH, RESOLVE_PATH } from '../../packages/server/src/http/routes.ts'
import { releaseOf } from '../support/releases.ts'
import { serverForAll } from '../support/server.ts'
import { country, smallSource } from '../support/small-source.ts'
import { message, sendAll } from '../support/wire.ts'

setDefaultTimeout(180_000)

const release = await releaseOf(smallSource({ pais: [country(1)] }))
const server = serverForAll(() => release)

const [JSON_TYPE, LINES, CSV, FORM] = [
  'application/json',
  'application/x-ndjson',
  'text/csv',
  'application/x-www-form-urlencoded',
] as const
const MANY = 4_900_000
const MANY_IN_FORM = 990_000
const many = (text: string, bytes = MANY) => text.repeat(bytes / text.length)
const keys = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')
const bytes = (...values: (string | number)[]) =>
  Buffer.concat(values.map((value) => (typeof value === 'string' ? Buffer.from(value) : Buffer.of(value))))

type Case = readonly [name: string, type: string, body: string | Uint8Array, status: number, words: string]

const rows: readonly Case[] = [
  ['brackets without an end', JSON_TYPE, many('['), 400, 'Row 1: it has more than 16 levels'],
  ['objects without an end', JSON_TYPE, `[${many('{"a":')}`, 400, 'Row 1: it has more than 16 levels'],
  [
    'a deep row after good ones',
    JSON_TYPE,
    `["a","b",${'['.repeat(20_000)}${']'.repeat(20_001)}`,
    400,
    'Row 3: it has more than 16 levels',
  ],
  ['a wide row', JSON_TYPE, `["a",{${keys(101)}}]`, 400, 'Row 2: it has more than 100 values'],
  ['10,001 texts', JSON_TYPE, JSON.stringify(Array(10_001).fill('a')), 413, 'At most 10000 rows'],
  ['a million lists', JSON_TYPE, `[${many('[],')}[]]`, 400, 'Row 1: it is an array'],
  ['a million texts', JSON_TYPE, `[${many('"a",')}""]`, 413, 'At most 10000 rows'],
  ['a million commas', JSON_TYPE, `[${many(',')}]`, 400, 'Row 1: it is not JSON'],
  ['380,000 keys', JSON_TYPE, `[{${keys(380_000)}}]`, 400, 'Row 1: it has more than 50000 bytes'],
  ['a gigantic key', JSON_TYPE, `[{"${many('k')}":1}]`, 400, 'Row 1: it has more than 50000 bytes'],
  ['a gigantic text', JSON_TYPE, `["${many('a')}"]`, 400, 'Row 1: it has more than 50000 bytes'],
  ['a gigantic number', JSON_TYPE, `[${many('1')}]`, 400, 'Row 1: it has more than 50000 bytes'],
  ['a text without an end', JSON_TYPE, `["${many('\\"')}`, 400, 'it ends before its array does'],
  ['blanks', JSON_TYPE, many(' '), 400, 'The body has no rows'],
  ['a number beyond all numbers', JSON_TYPE, '[{"pais":1e999}]', 200, '"verdict":"none"'],
  ['half of a surrogate pair', JSON_TYPE, '["\\ud800"]', 200, '"verdict":"none"'],
  ['half of a surrogate pair for a part', JSON_TYPE, '[{"\\ud800":1}]', 400, 'there is no part "\\ud800"'],
  ['a key twice', JSON_TYPE, '[{"pais":"zzzz","pais":"yyyy"}]', 200, '"verdict":"none"'],
  ['the prototype', JSON_TYPE, '[{"__proto__":"a"}]', 400, 'there is no part "__proto__"'],
  ['a prototype with a part', JSON_TYPE, '[{"__proto__":{"pais":"a"}}]', 400, '"__proto__" is neither a text nor'],
  ['the constructor', JSON_TYPE, '[{"constructor":"a"}]', 400, 'there is no part "constructor"'],
  ['a nested part', JSON_TYPE, '[{"pais":[[[1]]]}]', 400, 'Row 1: "pais" is neither a text nor a number'],
  ['a byte order mark', JSON_TYPE, '\ufeff["zzzz"]', 200, '"verdict":"none"'],
  ['two byte order marks', JSON_TYPE, '\ufeff\ufeff["zzzz"]', 400, 'The body is not an array of rows'],
  ['UTF-16', JSON_TYPE, bytes(0xff, 0xfe, Buffer.from('["a"]', 'utf16le').toString('latin1')), 400, 'The body is not'],
  ['UTF-16 without a mark', JSON_TYPE, Buffer.from('["a"]', 'utf16le'), 400, 'not JSON'],
  ['bytes that are not UTF-8', JSON_TYPE, bytes('["', 0xc3, '"]'), 400, 'The body is not UTF-8'],
  ['a surrogate as bytes', JSON_TYPE, bytes('["', 0xed, 0xa0, 0x80, '"]'), 400, 'The body is not UTF-8'],
  ['NUL', JSON_TYPE, '["\0"]', 400, 'Row 1: it is not JSON'],
  ['NUL outside a text', JSON_TYPE, '["a"]\0', 400, 'something stands after its array'],
  ['a comma too many', JSON_TYPE, '["a",]', 400, 'Row 2: it is not JSON'],
  ['a comma too few', JSON_TYPE, '["a" "b"]', 400, 'Row 1: it is not JSON'],
  ['a comment', JSON_TYPE, '["a" /* b */]', 400, 'Row 1: it is not JSON'],
  ['single quotes', JSON_TYPE, "['a']", 400, 'Row 1: it is not JSON'],
  ['an array that a brace closes', JSON_TYPE, '["a"}', 400, 'its array is closed by a brace'],
  ['an object that a bracket closes', JSON_TYPE, '[{"pais":"a"]]', 400, 'Row 1: it is not JSON'],
  ['another value after it', JSON_TYPE, '["a"]["b"]', 400, 'something stands after its array'],
  ['nothing', JSON_TYPE, '', 400, 'The body has no rows'],
  ['lines in the type of an array', JSON_TYPE, '"a"\n"b"\n', 400, 'The body is not an array of rows'],
  ['a compressed body', JSON_TYPE, Bun.gzipSync(Buffer.from('["a"]')), 400, 'The body is not UTF-8'],

  ['blank lines', LINES, many('\n'), 413, 'At most 25000 lines are read.'],
  ['lines of blanks', LINES, many(' \t\r\n'), 413, 'At most 25000 lines are read.'],
  ['a million lines', LINES, many('1\n'), 400, 'Row 1: it is "1"'],
  ['brackets in a line', LINES, many('['), 400, 'Row 1: it has more than 50000 bytes'],
  ['one line', LINES, many('a'), 400, 'Row 1: it has more than 50000 bytes'],
  ['380,000 keys in a line', LINES, `"a"\n{${keys(380_000)}}`, 400, 'Row 2: it has more than 50000 bytes'],
  ['a value over two lines', LINES, '{"pais":\n"a"}', 400, 'Row 1: the line is not JSON'],
  ['a backslash before the line end', LINES, '"a\\\n"', 400, 'Row 1: the line is not JSON'],
  ['lines that end with CR alone', LINES, '"a"\r"b"', 400, 'Row 1: the line is not JSON'],
  ['an array in the type of lines', LINES, '["a",\n"b"]', 400, 'Row 1: the line is not JSON'],

  ['blank lines for a table', CSV, many('\n'), 413, 'At most 25000 lines are read.'],
  ['blank lines in a table', CSV, `pais,estado\n${many('\r\n')}`, 413, 'At most 25000 lines are read.'],
  ['blank rows of one column', CSV, `q\n${many('\n')}`, 413, 'At most 10000 rows'],
  ['one header', CSV, many('a'), 400, 'Header: it has more than 50000 bytes'],
  ['a header of commas', CSV, many(','), 400, 'Header: it has more than 50000 bytes'],
  ['a header of quotes', CSV, many('"'), 400, 'Header: it has more than 50000 bytes'],
  ['a quote that is not closed', CSV, `q\n"${many('a\n')}`, 400, 'Row 1: the quotes of value 1'],
  ['a quote that is closed on another line', CSV, 'q\n"a\nb"\n', 400, 'Row 1: the quotes of value 1'],
  ['a row of commas', CSV, `pais,estado\na,b\n${many(',')}`, 400, 'Row 2: it has more than 50000 bytes'],
  ['lines of a table that end with CR alone', CSV, 'q\ra\rb', 400, 'Header: there is no part "q\\ra\\rb"'],
  ['NUL in a table', CSV, 'q\n\0', 200, '"verdict":"none"'],
  ['NUL without an end', CSV, many('\0'), 400, 'Header: it has more than 50000 bytes'],
  ['a table in UTF-16', CSV, Buffer.from('\ufeffq\na', 'utf16le'), 400, 'The body is not UTF-8'],

  ['another type', 'text/plain', many('a'), 415, 'Content-Type was "text/plain"'],
  ['a form', FORM, 'q=a', 415, `Content-Type was "${FORM}"`],
  ['a name of an object', '__proto__', '["a"]', 415, 'Content-Type was "__proto__"'],
  ['another charset', 'application/json; charset=utf-16', '["a"]', 415, 'Content-Type was'],
  ['the charset in capitals', 'Application/JSON; Charset=UTF-8', '["zzzz"]', 200, '"verdict":"none"'],
]

const forms: readonly Case[] = [
  ['ampersands', FORM, many('&', MANY_IN_FORM), 400, 'the form has more than 100 fields'],
  ['one name', FORM, many('a', MANY_IN_FORM), 400, 'queries was ""'],
  ['one value', FORM, `a=${many('+', MANY_IN_FORM)}`, 400, 'queries was ""'],
  ['brackets in a form', FORM, `queries=${many('[', MANY_IN_FORM)}`, 400, 'JSON of at most 16 levels'],
  ['encoded brackets', FORM, `queries=${many('%5B', MANY_IN_FORM)}`, 400, 'JSON of at most 16 levels'],
  ['encoded names', FORM, `%71ueries=${many('%5b', MANY_IN_FORM)}`, 400, 'JSON of at most 16 levels'],
  ['lists', FORM, `queries=[${many('[],', MANY_IN_FORM)}[]]`, 400, 'queries was "[…]"; allowed is an object'],
  ['80,000 keys', FORM, `extend={${keys(80_000)}}`, 400, 'extend.ids was "undefined"; allowed is a list'],
  ['deep values', FORM, `queries={"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`, 400, 'JSON of at most 16 levels'],
  ['brackets after a blank', FORM, `\u2003queries=${many('[', MANY_IN_FORM)}`, 400, 'JSON of at most 16 levels'],
  ['thousands of queries', FORM, `queries={${keys(10_000)}}`, 413, 'At most 50 queries'],
  ['a text in a form without an end', FORM, `queries="${many('a', MANY_IN_FORM)}`, 400, 'allowed is JSON'],
  ['percent signs', FORM, `queries=${many('%', MANY_IN_FORM)}`, 400, 'percent-encoded'],
  ['encoded bytes that are not UTF-8', FORM, `queries=${many('%ff', MANY_IN_FORM)}`, 400, 'percent-encoded'],
  ['bytes of a form that are not UTF-8', FORM, bytes('queries=', 0xff), 400, 'not UTF-8'],
  ['the prototype as a query', FORM, 'queries={"__proto__":7}', 400, 'queries.__proto__ was "7"'],
  ['JSON for a form', JSON_TYPE, '{"queries":{}}', 415, 'Content-Type was "application/json"'],
  ['a large body of another type', JSON_TYPE, many('[', MANY_IN_FORM), 415, 'Content-Type was "application/json"'],
]

const each = [
  ...rows.map((one) => [RESOLVE_PATH, ...one] as const),
  ...forms.map((one) => [RECONCILE_PATH, ...one] as const),
]

const posted = async (path: string, headers: Record<string, string>, body: string | Uint8Array) => {
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: Buffer.from(body as string) })
  return { status: response.status, text: await response.text() }
}

describe('the response to', () => {
  test.each(each)('%s: %s (%s)', async (path, _name, type, body, status, words) => {
    const response = await posted(path, { 'Content-Type': type }, body)
    expect(response.text.length).toBeLessThan(2_000)
    const { detail = response.text } = status === 200 ? {} : (JSON.parse(response.text) as { detail: string })
    expect([response.status, detail]).toEqual([status, expect.stringContaining(words)])
  })

  test.each([
    [RESOLVE_PATH, JSON_TYPE, '["a"]'],
    [RECONCILE_PATH, FORM, 'queries={}'],
  ])('%s: a compressed body that says so is 415', async (path, type, body) => {
    const compressed = Bun.gzipSync(Buffer.from(body))
    const response = await posted(path, { 'Content-Type': type, 'Content-Encoding': 'gzip' }, compressed)
    expect([response.status, response.text]).toEqual([415, expect.stringContaining(', gzip')])
  })
})

test('chunks of one byte are refused, or read', async () => {
  const head = message(
    'POST',
    RESOLVE_PATH,
    `Host: ${server.host}`,
    `Content-Type: ${JSON_TYPE}`,
    'Transfer-Encoding: chunked',
  )
  const inBytes = (text: string) => `${head}${[...text].map((one) => `1\r\n${one}\r\n`).join('')}0\r\n\r\n`
  const [few, deep] = await sendAll(server.url, inBytes('["a",5]'), inBytes(`["b",${'['.repeat(50)}`))
  expect([few?.status, few?.body]).toEqual([400, expect.stringContaining('Row 2: it is')])
  expect([deep?.status, deep?.body]).toEqual([400, expect.stringContaining('Row 2: it has more than 16 levels')])
  const [lines] = await sendAll(server.url, inBytes(' '.repeat(20_000)))
  expect([lines?.status, lines?.body]).toEqual([400, expect.stringContaining('the lines around the chunks')])
})
