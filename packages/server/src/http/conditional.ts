// Evaluates the conditions of a request (RFC 9110, section 13).
import type { RequestHeaders } from './exchange.ts'

const ENTITY_TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

type Condition = 'holds' | 'not-modified' | { readonly failed: string }

/** `lastModified` is empty where there is no date; then conditions on the date are ignored. */
export function evaluateConditions(headers: RequestHeaders, etag: string, lastModified: string): Condition {
  if (headers.hasConditions === false) return 'holds'
  const failed = failedCondition(headers, etag, lastModified)
  if (failed !== undefined) return { failed }
  return isNotModified(headers, etag, lastModified) ? 'not-modified' : 'holds'
}

/** If-Match overrides If-Unmodified-Since, and compares strongly: W/"a" matches nothing. */
function failedCondition(headers: RequestHeaders, etag: string, lastModified: string): string | undefined {
  const match = headers.get('if-match')
  if (match !== undefined) {
    const holds = match === '*' || match.match(ENTITY_TAGS)?.includes(etag) === true
    return holds ? undefined : 'If-Match'
  }
  const since = headers.get('if-unmodified-since')
  // A date that is none is ignored, since nothing is later than NaN.
  const isLater = since !== undefined && Date.parse(lastModified) > Date.parse(since)
  return isLater ? 'If-Unmodified-Since' : undefined
}

/** If-None-Match overrides If-Modified-Since, and compares weakly: W/"a" matches "a". */
function isNotModified(headers: RequestHeaders, etag: string, lastModified: string): boolean {
  const noneMatch = headers.get('if-none-match')
  if (noneMatch !== undefined) {
    if (noneMatch === etag || noneMatch === '*') return true
    return noneMatch.match(ENTITY_TAGS)?.some((tag) => tag.replace(/^W\//, '') === etag) ?? false
  }
  const since = headers.get('if-modified-since')
  // A rollback makes the date go back, so a later date than ours does not mean that the client has this release.
  return since !== undefined && Date.parse(since) === Date.parse(lastModified)
}
