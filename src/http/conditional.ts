// Whether the client already has what it asks for (RFC 9110, section 13).
import type { RequestHeaders } from './exchange.ts'

const ENTITY_TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/** If-None-Match goes before If-Modified-Since, and compares weakly: W/"a" stands for "a". */
export function isNotModified(headers: RequestHeaders, etag: string, lastModified: string): boolean {
  const noneMatch = headers.get('if-none-match')
  if (noneMatch !== undefined) {
    if (noneMatch === etag || noneMatch.trim() === '*') return true
    return noneMatch.match(ENTITY_TAGS)?.some((tag) => tag.replace(/^W\//, '') === etag) ?? false
  }
  const since = headers.get('if-modified-since')
  // A rollback makes the date go back, so only the very date that was sent will do.
  return since !== undefined && Date.parse(since) === Date.parse(lastModified)
}
