// What responses of API v2 are made from.
import type { HttpRequest, RunningJob } from '../exchange.ts'
import type { OpenReleases } from './open-releases.ts'
import type { RawQuery } from './request/query-string.ts'
import type { ResponseCache } from './response-cache.ts'

export type V2Context = {
  readonly releases: OpenReleases
  readonly cache: ResponseCache | undefined
  /** Returns the address of the service for links; throws if the request has none that is valid. */
  readonly baseUrlOf: () => string
  /** True if the address is configured, and depends on no request. */
  readonly isBaseUrlFixed: boolean
  /** The job of the request, in a compute worker. */
  readonly work?: RunningJob | undefined
}

/** What a response is made from besides the parsed request. */
export type Exchange = {
  readonly context: V2Context
  readonly request: HttpRequest
  readonly query: RawQuery
  readonly baseUrl: string
}
