// Which differences between answers are let through, and which are named.
import { expect, test } from 'bun:test'
import { differencesOf } from './same-answers.ts'

const answer = (fields: Record<string, string>, body = '[]', status = 200) => ({
  status,
  fields: Object.entries(fields),
  body: new TextEncoder().encode(body),
})
const ours = answer({ 'X-Page': '1', ETag: '"a"', Date: 'today' })

const cases = [
  {
    name: 'the same but for the case of names',
    server: 'fastify',
    found: answer({ 'x-page': '1', etag: '"a"', date: 'later' }),
    expected: [],
  },
  {
    name: 'its own ETag, from nginx',
    server: 'nginx',
    found: answer({ 'X-Page': '1', ETag: '"b"', Date: 'x', Server: 'nginx' }),
    expected: [],
  },
  {
    name: 'another ETag, from others',
    server: 'node',
    found: answer({ 'X-Page': '1', ETag: '"b"', Date: 'x' }),
    expected: ['etag'],
  },
  {
    name: 'no ETag, from nginx',
    server: 'nginx',
    found: answer({ 'X-Page': '1', Date: 'x' }),
    expected: ['etag is not there'],
  },
  {
    name: 'another page',
    server: 'nginx',
    found: answer({ 'X-Page': '2', ETag: '"a"', Date: 'x' }),
    expected: ['x-page is "2"'],
  },
  {
    name: 'a header more',
    server: 'drf',
    found: answer({ 'X-Page': '1', ETag: '"a"', Date: 'x', 'X-Frame-Options': 'DENY' }),
    expected: ['x-frame-options'],
  },
  {
    name: 'another body',
    server: 'drf',
    found: answer({ 'X-Page': '1', ETag: '"a"', Date: 'x' }, '[1]'),
    expected: ['the body differs'],
  },
  { name: 'another status', server: 'drf', found: answer({}, '', 404), expected: ['status 404'] },
]
for (const { name, server, found, expected } of cases) {
  test(name, () => {
    const differences = differencesOf(server, ours, found)
    expect(differences).toHaveLength(expected.length)
    for (const [index, start] of expected.entries()) expect(differences[index]).toStartWith(start)
  })
}
