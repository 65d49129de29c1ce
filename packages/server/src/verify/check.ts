// What a check is: a rule in words, and a function that tells whether what a server sent keeps to it.
import type { CatalogCollection } from '../catalog/collections.ts'
import type { Client, ProbeExchange, Sent } from './client.ts'
import type { FinishedWalk } from './collection-walk.ts'
import type { RawResponse } from './connection.ts'
import type { EmbeddedRecords } from './embedded-records.ts'
import type { SeenPage } from './seen-page.ts'

/** A rule is of the contract, and a server that breaks it fails. Advice is what clients need although the contract is silent. */
export type Severity = 'rule' | 'advice'

export type RuleViolation = {
  /** The request that it is about, where it is not the one that was checked. */
  readonly request?: string
  readonly came: string
  readonly expected: string
}

/** What is wrong, an empty list where nothing is, or undefined where there was nothing to check. */
export type CheckOutcome = readonly RuleViolation[] | undefined

/** What a check needs in order to send requests of its own. */
export type Probe = {
  readonly client: Client
  readonly collection: CatalogCollection
  /** The first page, as it was checked. */
  readonly first: SeenPage
  /** A page of the collection that has another ETag than the first. */
  readonly other: { readonly page: number; readonly etag: string | undefined } | undefined
  /** The response to a request that the contract covers; undefined where none came. The same request is sent once. */
  readonly send: (sent: Sent) => Promise<RawResponse | undefined>
  /** Sends what the contract does not cover. */
  readonly trial: (sent: Sent) => Promise<ProbeExchange>
}

/** What is known at the end. */
type Run = { readonly client: Client; readonly embedded: EmbeddedRecords }

export type Check = {
  readonly id: string
  readonly severity: Severity
  readonly rule: string
  /** Checks every request that the contract covers. */
  readonly exchange?: (exchange: ProbeExchange) => CheckOutcome
  /** Checks the response to every request of a page. */
  readonly response?: (page: SeenPage) => CheckOutcome
  /** Checks every page of status 200. */
  readonly page?: (page: SeenPage) => CheckOutcome
  /** Checks the pages of a collection together. */
  readonly walk?: (walk: FinishedWalk) => CheckOutcome
  /** Checks every collection with requests of its own. */
  readonly probe?: (probe: Probe) => Promise<CheckOutcome>
  /** Checks one collection with requests of its own. */
  readonly probeOnce?: (probe: Probe) => Promise<CheckOutcome>
  /** Checks what all requests together have shown. */
  readonly end?: (run: Run) => Promise<CheckOutcome>
}

export const wrong = (came: string, expected: string, request?: string): CheckOutcome => [
  { came, expected, ...(request === undefined ? {} : { request }) },
]
/** Wrong unless something holds. */
export const unless = (holds: boolean, came: string, expected: string, request?: string): CheckOutcome =>
  holds ? [] : wrong(came, expected, request)
