// When a client has the requested page already.
import { describe, expect, test } from 'bun:test'
import { isNotModified } from './conditional.ts'

const TAG = '"0123456789abcdef"'
const DATE = 'Sun, 15 Nov 2026 12:00:00 GMT'
const EARLIER = 'Sun, 15 Nov 2026 11:59:59 GMT'
const LATER = 'Sun, 15 Nov 2026 12:00:01 GMT'

const notModified = (headers: Record<string, string>) => isNotModified(new Map(new Headers(headers)), TAG, DATE)

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
  ])('%s', (_, headers) => expect(notModified(headers)).toBe(true))
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
    ['conditions that are not supported', { 'If-Match': TAG, 'If-Unmodified-Since': DATE, 'If-Range': TAG }],
  ])('%s', (_, headers) => expect(notModified(headers)).toBe(false))
})
