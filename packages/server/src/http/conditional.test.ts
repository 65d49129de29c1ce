// When a client has the requested page already, and when what is there is not what it expects.
import { describe, expect, test } from 'bun:test'
import { evaluateConditions } from './conditional.ts'

const TAG = '"0123456789abcdef"'
const DATE = 'Sun, 15 Nov 2026 12:00:00 GMT'
const EARLIER = 'Sun, 15 Nov 2026 11:59:59 GMT'
const LATER = 'Sun, 15 Nov 2026 12:00:01 GMT'

const evaluated = (headers: Record<string, string>, lastModified = DATE) =>
  evaluateConditions(new Map(new Headers(headers)), TAG, lastModified)

describe('not modified for', () => {
  test.each<[string, Record<string, string>]>([
    ['the tag', { 'If-None-Match': TAG }],
    ['the tag, weak', { 'If-None-Match': `W/${TAG}` }],
    ['any tag', { 'If-None-Match': '*' }],
    ['a list with the tag', { 'If-None-Match': `"a", ${TAG}` }],
    ['a list with the tag, weak and without spaces', { 'If-None-Match': `"a",W/${TAG},"b"` }],
    ['a list with commas inside tags', { 'If-None-Match': `"a,b", ${TAG}` }],
    ['the tag, whatever the date', { 'If-None-Match': TAG, 'If-Modified-Since': EARLIER }],
    ['the date', { 'If-Modified-Since': DATE }],
    ['the tag, where it is also expected', { 'If-None-Match': TAG, 'If-Match': TAG }],
  ])('%s', (_, headers) => expect(evaluated(headers)).toBe('not-modified'))
})

describe('modified for', () => {
  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['an empty list', { 'If-None-Match': '' }],
    ['another tag', { 'If-None-Match': '"fedcba9876543210"' }],
    ['an empty tag', { 'If-None-Match': '""' }],
    ['the tag without quotes', { 'If-None-Match': TAG.replaceAll('"', '') }],
    ['the tag with half its quotes', { 'If-None-Match': TAG.slice(1) }],
    ['the tag in capitals', { 'If-None-Match': TAG.toUpperCase() }],
    ['a tag that begins with the mark of a weak one', { 'If-None-Match': '"W/0123456789abcdef"' }],
    ['a tag that contains it', { 'If-None-Match': '"x0123456789abcdef"' }],
    ['another tag, whatever the date', { 'If-None-Match': '"a"', 'If-Modified-Since': LATER }],
    ['a later date, which a release may have that was rolled back', { 'If-Modified-Since': LATER }],
    ['an earlier date', { 'If-Modified-Since': EARLIER }],
    ['an invalid date', { 'If-Modified-Since': 'tomorrow' }],
    ['an empty date', { 'If-Modified-Since': '' }],
    ['a condition on ranges', { 'If-Range': TAG }],
    ['the tag that is expected', { 'If-Match': TAG }],
    ['any tag that is expected', { 'If-Match': ' * ' }],
    ['a list with the tag that is expected', { 'If-Match': `"a", W/"b",${TAG}` }],
    ['the date that is expected', { 'If-Unmodified-Since': DATE }],
    ['a later date', { 'If-Unmodified-Since': LATER }],
    ['a date that is none', { 'If-Unmodified-Since': 'tomorrow' }],
    ['the tag that is expected, whatever the date', { 'If-Match': TAG, 'If-Unmodified-Since': EARLIER }],
  ])('%s', (_, headers) => expect(evaluated(headers)).toBe('holds'))
})

describe('not what is expected for', () => {
  test.each<[string, Record<string, string>, string]>([
    ['another tag', { 'If-Match': '"a"' }, 'If-Match'],
    ['an empty list', { 'If-Match': '' }, 'If-Match'],
    ['the tag, weak', { 'If-Match': `W/${TAG}` }, 'If-Match'],
    ['another tag, whatever the date', { 'If-Match': '"a"', 'If-Unmodified-Since': LATER }, 'If-Match'],
    ['another tag, although the client has this one', { 'If-Match': '"a"', 'If-None-Match': TAG }, 'If-Match'],
    ['an earlier date', { 'If-Unmodified-Since': EARLIER }, 'If-Unmodified-Since'],
    [
      'an earlier date, although the client has this one',
      { 'If-Unmodified-Since': EARLIER, 'If-None-Match': TAG },
      'If-Unmodified-Since',
    ],
  ])('%s', (_, headers, failed) => expect(evaluated(headers)).toEqual({ failed }))
})

test('where there is no date, conditions on it are ignored', () => {
  expect(evaluated({ 'If-Unmodified-Since': EARLIER }, '')).toBe('holds')
  expect(evaluated({ 'If-Modified-Since': DATE }, '')).toBe('holds')
})
