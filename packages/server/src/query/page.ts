// Cuts a page of a collection out of a release.
import { type CatalogCollection, PER_PAGE } from '../catalog/collections.ts'
import type { Release } from '../release/release.ts'

declare const pageNumber: unique symbol
/** A whole number from 1; only who parses a request makes one. */
export type PageNumber = number & { readonly [pageNumber]: true }

export type RecordPage = {
  readonly collection: CatalogCollection
  readonly number: PageNumber
  readonly total: number
  readonly totalPages: number
  readonly etag: string
  readonly lastModified: string
  readonly body: Uint8Array
}

export type PageBeyondLast = {
  readonly kind: 'page-beyond-last'
  readonly page: number
  readonly total: number
  readonly totalPages: number
  /** The number of records of a page, if it is not that of API v1. */
  readonly perPage?: number
}

/** Cuts a page out of a collection. An empty one has a first page, with nothing on it. */
export function readPage(
  release: Release,
  collection: CatalogCollection,
  number: PageNumber,
): RecordPage | PageBeyondLast {
  const records = release.entity(collection.entity).records
  const total = records.count
  const totalPages = pagesOf(total)
  if (number > Math.max(totalPages, 1)) return { kind: 'page-beyond-last', page: number, total, totalPages }
  const index = number - 1
  return {
    collection,
    number,
    total,
    totalPages,
    etag: records.etag(index),
    lastModified: release.lastModified,
    body: records.page(index),
  }
}

export const pagesOf = (total: number): number => Math.ceil(total / PER_PAGE)
