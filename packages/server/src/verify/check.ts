// What a check is: a rule in words, and a function that tells whether what a server sent keeps to it.
import { v1PathOf } from '../base/api-v1.ts'
import type { Collection } from '../catalog/collections.ts'
import type { Client, Exchange, Sent } from './client.ts'
import type { RawResponse } from './connection.ts'
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

/** What is kept of a page after it has been checked. */
export type WalkedPage = {
  readonly page: number
  readonly request: string
  readonly total: number | undefined
  readonly totalPages: number | undefined
  readonly lastModified: string | undefined
  /** A hash of the records; undefined where there are none. */
  readonly content: number | bigint | undefined
  /** The first and the last value of the field that the records ascend by. */
  readonly ends: readonly [first: number, last: number] | undefined
  readonly keys: readonly string[]
  readonly codes: readonly string[]
}

/** The pages of a collection that were requested, in the order of their numbers. */
type Walk = { readonly collection: Collection; readonly pages: readonly WalkedPage[] }

/** What a check needs in order to send requests of its own. */
export type Probe = {
  readonly client: Client
  readonly collection: Collection
  /** The first page, as it was checked. */
  readonly first: SeenPage
  /** The response to a request that the contract covers; undefined where none came. The same request is sent once. */
  readonly send: (sent: Sent) => Promise<RawResponse | undefined>
  /** Sends what the contract does not cover. */
  readonly trial: (sent: Sent) => Promise<Exchange>
}

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
}

const MAX_VALUE = 120

/** A value as it is shown: short, and without what would control a terminal. */
export function shown(value: unknown): string {
  const text =
    value === undefined
      ? 'nothing'
      : typeof value === 'string'
        ? JSON.stringify(value)
        : (JSON.stringify(value) ?? String(value))
  const plain = text.replace(/\p{Cc}/gu, ' ')
  return plain.length > MAX_VALUE ? `${plain.slice(0, MAX_VALUE)}…` : plain
}

export const wrong = (came: string, expected: string, request?: string): Verdict => [
  { came, expected, ...(request === undefined ? {} : { request }) },
]
/** Wrong unless something holds. */
export const unless = (holds: boolean, came: string, expected: string, request?: string): Verdict =>
  holds ? [] : wrong(came, expected, request)

export const pageTarget = (collection: Collection, page: number): string =>
  `${v1PathOf(collection)}?format=api&page=${page}`
