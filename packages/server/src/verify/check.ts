// What a check is: a rule in words, and a function that tells whether what a server sent keeps to it.
import type { Collection } from '../catalog/collections.ts'
import type { Client, Exchange, Sent } from './client.ts'
import type { Walk } from './collection-walk.ts'
import type { RawResponse } from './connection.ts'
import type { EmbeddedRecords } from './embedded-records.ts'
import type { SeenPage } from './seen-page.ts'

/** A rule is of the contract, and a server that breaks it fails. Advice is what clients need although the contract is silent. */
export type Severity = 'rule' | 'advice'

export type Wrong = {
  /** The request that it is about, where it is not the one that was checked. */
  readonly request?: string
  readonly came: string
  readonly expected: string
}

/** What is wrong, an empty list where nothing is, or undefined where there was nothing to check. */
export type Verdict = readonly Wrong[] | undefined

/** What a check needs in order to send requests of its own. */
export type Probe = {
  readonly client: Client
  readonly collection: Collection
  /** The first page, as it was checked. */
  readonly first: SeenPage
  /** A page of the collection that has another ETag than the first. */
  readonly other: { readonly page: number; readonly etag: string | undefined } | undefined
  /** The response to a request that the contract covers; undefined where none came. The same request is sent once. */
  readonly send: (sent: Sent) => Promise<RawResponse | undefined>
  /** Sends what the contract does not cover. */
  readonly trial: (sent: Sent) => Promise<Exchange>
}

/** What is known at the end. */
type Run = { readonly client: Client; readonly embedded: EmbeddedRecords }

export type Check = {
  readonly id: string
  readonly severity: Severity
  readonly rule: string
  /** Checks every request that the contract covers. */
  readonly exchange?: (exchange: Exchange) => Verdict
  /** Checks the response to every request of a page. */
  readonly response?: (page: SeenPage) => Verdict
  /** Checks every page of status 200. */
  readonly page?: (page: SeenPage) => Verdict
  /** Checks the pages of a collection together. */
  readonly walk?: (walk: Walk) => Verdict
  /** Checks every collection with requests of its own. */
  readonly probe?: (probe: Probe) => Promise<Verdict>
  /** Checks one collection with requests of its own. */
  readonly probeOnce?: (probe: Probe) => Promise<Verdict>
  /** Checks what all requests together have shown. */
  readonly end?: (run: Run) => Promise<Verdict>
}

export const wrong = (came: string, expected: string, request?: string): Verdict => [
  { came, expected, ...(request === undefined ? {} : { request }) },
]
/** Wrong unless something holds. */
export const unless = (holds: boolean, came: string, expected: string, request?: string): Verdict =>
  holds ? [] : wrong(came, expected, request)
