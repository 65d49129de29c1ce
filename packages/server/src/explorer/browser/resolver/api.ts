// What the page asks API v2: which records rows mean, some rows at a time, and what a search finds.

type Key = Readonly<Record<string, unknown>>

/** A record that a row may mean, as API v2 gives it. */
export type CandidateRecord = {
  readonly collection: string
  readonly key: Key
  /** What people know it by, where it has such a code. */
  readonly code?: string | null
  readonly url: string
  readonly name: string
  /** What it is in, the nearest first, by name and by key. */
  readonly breadcrumb: readonly string[]
  readonly parents: readonly { readonly collection: string; readonly key: Key; readonly code?: string | null }[]
  readonly score: number
}

type Verdict = 'exact' | 'sure' | 'likely' | 'ambiguous' | 'none'

/** What is certain of a row at one level, also where the record itself is not. */
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

/** The records that rows mean, in their order. A server that is busy is asked again when it says so. */
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

/** What a search finds in a collection, or in all. */
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
