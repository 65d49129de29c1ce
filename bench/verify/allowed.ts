// The differences between answers that are let through, each with its reason; any other stops the benchmark.

export type Allowed = {
  readonly header: string
  /** Only of this server; otherwise of all. */
  readonly server?: string
  /** Only in answers with this status; otherwise in all. */
  readonly status?: number
  /** The header is there on both sides, only its value differs. */
  readonly valueOnly?: boolean
  readonly because: string
}

export const allowed: readonly Allowed[] = [
  { header: 'Date', valueOnly: true, because: 'the clock goes on' },
  { header: 'Server', because: 'nginx and gunicorn name themselves and cannot be told not to' },
  { header: 'Connection', because: 'some servers say that they keep the connection, which HTTP/1.1 takes for granted' },
  { header: 'Keep-Alive', because: 'Node says for how long it keeps the connection' },
  {
    header: 'ETag',
    server: 'nginx',
    valueOnly: true,
    because: 'nginx compares only a tag of its own, made of time and size',
  },
  { header: 'ETag', server: 'drf', because: 'Django makes the tag from the MD5 of the answer, and only for GET' },
  { header: 'Content-Type', server: 'nginx', status: 304, because: 'nginx leaves it out of a 304' },
  ...['Allow', 'Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Content-Type', 'Link']
    .concat(['X-Page', 'X-Per-Page', 'X-Total', 'X-Total-Pages'])
    .map((header) => ({ header, server: 'drf', status: 304, because: 'Django keeps only what caches need in a 304' })),
]

export const isAllowed = (server: string, status: number, header: string, onBothSides: boolean): boolean =>
  allowed.some(
    (entry) =>
      entry.header.toLowerCase() === header.toLowerCase() &&
      (entry.server ?? server) === server &&
      (entry.status ?? status) === status &&
      (onBothSides || entry.valueOnly !== true),
  )
