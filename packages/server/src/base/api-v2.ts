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
