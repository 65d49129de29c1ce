// Whether the client already has what it requests (RFC 9110, section 13).
import type { RequestHeaders } from './exchange.ts'

const ENTITY_TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/** If-None-Match overrides If-Modified-Since, and compares weakly: W/"a" matches "a". */
export function isNotModified(headers: RequestHeaders, etag: string, lastModified: string): boolean {
  const noneMatch = headers.get('if-none-match')
  if (noneMatch !== undefined) {
    if (noneMatch === etag || noneMatch.trim() === '*') return true
    return noneMatch.match(ENTITY_TAGS)?.some((tag) => tag.replace(/^W\//, '') === etag) ?? false
  }
  const since = headers.get('if-modified-since')
  // A rollback makes the date go back, so a later date than ours does not mean that the client has this release.
  return since !== undefined && Date.parse(since) === Date.parse(lastModified)
}
