// The requests of the page to API v2: the records that rows mean, some rows at a time, and the records that a search finds.

type Key = Readonly<Record<string, unknown>>

/** A record that a row may mean, as API v2 gives it. */
export type CandidateRecord = {
  readonly collection: string
  readonly key: Key
  /** The official code, if it has one. */
  readonly code?: string | null
  readonly url: string
  readonly name: string
  /** The names of its ancestors, the nearest first. */
  readonly breadcrumb: readonly string[]
  readonly parents: readonly { readonly collection: string; readonly key: Key; readonly code?: string | null }[]
  readonly score: number
}

type Verdict = 'exact' | 'sure' | 'likely' | 'ambiguous' | 'none'

/** The verdict on one level of a row, which may be certain although the record is not. */
type ResolvedLevel = { readonly collection: string; readonly code: string | null; readonly verdict: Verdict }

export type ResolvedRow = {
  readonly verdict: Verdict
  readonly alternatives: readonly CandidateRecord[]
  readonly levels: readonly ResolvedLevel[]
} & (CandidateRecord | { readonly [member in keyof CandidateRecord]: CandidateRecord[member] | null })

/** Free text, or the parts of a row. */
export type SentRow = string | Readonly<Record<string, string>>

/** A request without a useful response, with the reason that the server gives. */
export class RequestFailure extends Error {}

/** A body that a proxy in front of the server refuses as too large. */
export class BodyRefused extends RequestFailure {}

export type Api = {
  readonly resolve: string
  readonly search: string
  /** The release that is read, where it is not the current one. */
  readonly release?: string
}

export type Fetch = (address: string, init: RequestInit) => Promise<Response>

const BUSY: ReadonlySet<number> = new Set([429, 503])
const MAX_TRIES = 6
const MAX_WAIT_SECONDS = 20

/** The records that rows mean, in their order. A busy server gets the request again after the time that it names. */
export async function resolveRows(
  api: Api,
  rows: readonly SentRow[],
  { within = '', signal, request = fetch }: { within?: string; signal?: AbortSignal; request?: Fetch },
): Promise<ResolvedRow[]> {
  const address = withQuery(api.resolve, { in: within, release: api.release })
  const init: RequestInit = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(rows),
    ...(signal === undefined ? {} : { signal }),
  }
  for (let tries = 1; ; tries++) {
    const response = await request(address, init)
    if (response.ok) return (await response.json()) as ResolvedRow[]
    if (!BUSY.has(response.status) || tries === MAX_TRIES) throw await failureOf(response)
    await waited(Number(response.headers.get('retry-after') ?? tries), signal)
  }
}

async function failureOf(response: Response): Promise<RequestFailure> {
  try {
    const { detail } = (await response.json()) as { detail?: string }
    if (detail !== undefined) return new RequestFailure(detail)
  } catch {
    // A response that is not JSON comes from a proxy.
  }
  const status = `HTTP ${response.status}`
  return response.status === 413 ? new BodyRefused(status) : new RequestFailure(status)
}

function waited(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  const milliseconds = Math.min(Number.isFinite(seconds) ? seconds : 1, MAX_WAIT_SECONDS) * 1_000
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

const MAX_FOUND = 8

/** The records that a search finds in a collection, or in all. */
export async function searchRecords(api: Api, text: string, within: string): Promise<CandidateRecord[]> {
  const query = { q: text, limit: String(MAX_FOUND), in: within, release: api.release }
  const response = await fetch(withQuery(api.search, query), { headers: { Accept: 'application/json' } })
  if (response.ok) return (await response.json()) as CandidateRecord[]
  throw await failureOf(response)
}

function withQuery(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).filter((pair): pair is [string, string] => (pair[1] ?? '') !== '')
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}
