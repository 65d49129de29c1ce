// The words in the paths of API v2, for those who serve it and for those who name lists.

export const V2_PATH = '/api/v2'
/**
 * The segments after that of API v2 that are no collection, the one after a collection that means all its records, and those
 * after a record of a tree.
 */
export const V2_SEGMENTS = {
  search: 'search',
  resolve: 'resolve',
  changes: 'changes',
  releases: 'releases',
  all: 'all',
  children: 'children',
  ancestors: 'ancestors',
  descendants: 'descendants',
} as const

/** The segment after that of the pages of all lists that means the tree of lists. */
export const TREE_SEGMENT = 'tree'

/** Between the values of a key that has several, in the last segment of a path. */
export const KEY_SEPARATOR = ','

/** A key that is equal to a word of the API is sent with its first letter encoded. */
const RESERVED: ReadonlySet<string> = new Set([V2_SEGMENTS.all])

/** The values of a key as the last segment of a path. */
export function keySegment(values: readonly (string | number)[]): string {
  const segment = values.map((value) => encodeURIComponent(value)).join(KEY_SEPARATOR)
  // Clients remove segments of dots from an address before they send it.
  if (RESERVED.has(segment)) return `%${segment.charCodeAt(0).toString(16)}${segment.slice(1)}`
  return /^\.{1,2}$/.test(segment) ? segment.replaceAll('.', '%2E') : segment
}
