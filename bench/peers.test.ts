// Differences between the responses of servers: some are let through, others are named.
import { expect, test } from 'bun:test'
import { differencesOf } from './peers.ts'

const response = (headers: Record<string, string>, body = '[]', status = 200) => ({
  ...{ status, headers: new Headers(headers), body: new TextEncoder().encode(body) },
})
const ours = response({ 'X-Page': '1', ETag: '"a"', Date: 'today' })
const theirs = { 'X-Page': '1', ETag: '"a"', Date: 'later' }

const cases = [
  ['the same at another time', 'fastify', response(theirs), []],
  ['its own ETag and name, from nginx', 'nginx', response({ ...theirs, ETag: '"b"', Server: 'nginx' }), []],
  ['another ETag, from others', 'fastify', response({ ...theirs, ETag: '"b"' }), ['etag is "b" instead of "a"']],
  ['another page', 'nginx', response({ ...theirs, 'X-Page': '2' }), ['x-page is 2 instead of 1']],
  ['a header more', 'drf', response({ ...theirs, 'X-Frame': 'DENY' }), ['x-frame is DENY instead of null']],
  ['another body', 'drf', response(theirs, '[1]'), ['another body']],
  ['another status', 'drf', response({}, '', 404), ['status 404 instead of 200']],
] as const
test.each(cases)('%s', (_, server, found, expected) =>
  expect(differencesOf(server, ours, found)).toEqual([...expected]),
)
