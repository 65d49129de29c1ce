// A check: its sentence, and functions that look for findings in the responses of a server.
import type { Client, ProbeExchange, Sent } from './client.ts'
import type { CollectionWalk } from './collection-walk.ts'
import type { ContractCollection } from './contract.ts'
import type { RuleFindings } from './findings.ts'
import type { RawResponse } from './raw-response.ts'
import type { ReceivedPage } from './received-page.ts'

/** A server that breaks a rule fails. Advice is what clients need although the contract is silent. */
export type Severity = 'rule' | 'advice'

/** A collection, and ways to send requests to it. */
export type Probe = {
  /** Its `sendOnce` is for requests that the contract does not cover. */
  readonly client: Client
  readonly collection: ContractCollection
  readonly first: ReceivedPage
  /** A page of the collection that has another ETag than the first. */
  readonly other: { readonly page: number; readonly etag: string | undefined } | undefined
  /** Returns the response to a request that the contract covers, which is sent once; undefined if none came. */
  readonly send: (sent: Sent) => Promise<RawResponse | undefined>
}

export type CheckFunctions = {
  /** Checks every request that the contract covers. */
  readonly exchange?: (exchange: ProbeExchange) => RuleFindings
  /** Checks the response to every request of a page. */
  readonly response?: (page: ReceivedPage) => RuleFindings
  /** Checks every page of status 200. */
  readonly page?: (page: ReceivedPage) => RuleFindings
  /** Checks the pages of a collection together. */
  readonly walk?: (walk: CollectionWalk) => RuleFindings
  /** Checks every collection with requests of its own. */
  readonly probe?: (probe: Probe) => Promise<RuleFindings>
  /** Checks one collection with requests of its own. */
  readonly probeOnce?: (probe: Probe) => Promise<RuleFindings>
  /** Checks all responses together. */
  readonly end?: (client: Client) => RuleFindings
}

/** The functions of checks by their ids. */
export type ChecksById<Id extends string = string> = Readonly<Record<Id, CheckFunctions>>

export type Check = CheckFunctions & { readonly id: string; readonly severity: Severity; readonly rule: string }
