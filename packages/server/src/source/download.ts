// Downloads a file: with retries, continued where it stopped, not repeated while it has not changed, whole or not at all.
import { mkdirSync } from 'node:fs'
import { OperationalError } from '../base/operational-error.ts'
import { version as programVersion } from '../base/version.ts'
import { parseWholeNumber } from '../base/whole-number.ts'
import {
  isRedirect,
  parseRetryAfter,
  printable,
  Retry,
  type RetryPolicy,
  reasonOf,
  redirectTarget,
  withRetries,
} from './requests.ts'
import { type FileVersion, type PartialFile, StoredDownload } from './stored-download.ts'

export type DownloadOptions = RetryPolicy & {
  /** The directory of the file: one file for each address, the newest. */
  readonly directory: string
  /** Milliseconds without a byte, from the request on, after which an attempt has failed. */
  readonly timeout: number
  readonly maxBytes: number
  /**
   * Gives the machine to ask, by its address, and throws where it must not be asked; called before each request, also of those
   * that redirects lead to. Without it, names are looked up by the request.
   */
  readonly addressOf?: (url: URL) => Promise<string>
  /** Says by the first bytes of a file that it is something else; undefined when it is as it should be. */
  readonly wrongStart: (start: Uint8Array) => string | undefined
  /** Advice for when it cannot be downloaded. */
  readonly advice: string
  /** Called when the server begins to send; `from` is greater than 0 when a download is continued. */
  readonly onStart: (from: number) => void
  readonly onProgress: (done: number, size: number | undefined) => void
  readonly onRetry: (reason: string, milliseconds: number) => void
}

export const DOWNLOAD_LIMITS = { timeout: 30_000, maxBytes: 1_000_000_000, retries: 4, backoff: 500 } as const

export type Download = {
  readonly path: string
  /** True if it is the file of an earlier download, because the server has no other. */
  readonly isUnchanged: boolean
  /** Removes it, so that the next download begins anew. */
  readonly discard: () => void
}

export async function download(url: string, options: DownloadOptions): Promise<Download> {
  mkdirSync(options.directory, { recursive: true })
  const stored = new StoredDownload(options.directory, url)
  const downloading = new Downloading(url, stored, options)
  try {
    downloading.finishWhole()
    const { isUnchanged } = await withRetries(url, () => downloading.attempt(), {
      ...options,
      signal: new AbortController().signal,
      advice: `run the same command again to continue where it stopped, or ${options.advice}`,
      onRetry: ({ reason }, milliseconds) => options.onRetry(reason, milliseconds),
    })
    return { path: stored.path, isUnchanged, discard: () => stored.discard() }
  } finally {
    stored.close()
  }
}

type Outcome = { readonly isUnchanged: boolean }

/** Ends the attempt when no byte has come for too long. */
type Watch = { readonly signal: AbortSignal; readonly byteCame: () => void }

class Downloading {
  readonly #url: string
  readonly #stored: StoredDownload
  readonly #options: DownloadOptions

  constructor(url: string, stored: StoredDownload, options: DownloadOptions) {
    this.#url = url
    this.#stored = stored
    this.#options = options
  }

  /** A program that was killed after the last byte has left all of the file, under the name of a part. */
  finishWhole(): void {
    const partial = this.#stored.partial()
    if (partial === undefined || partial.length !== partial.version.size) return
    this.#stored.resume(partial)
    if (this.#wrongStart() === undefined) this.#stored.finish()
    else this.#stored.discardPartial()
  }

  /** The bytes on disk decide what is requested, so a retry and a new run of the program continue alike. */
  async attempt(): Promise<Outcome | Retry> {
    const { timeout } = this.#options
    const controller = new AbortController()
    let timer: Timer | undefined
    const byteCame = () => {
      clearTimeout(timer)
      timer = setTimeout(() => controller.abort(), timeout)
    }
    byteCame()
    try {
      return await this.#request({ signal: controller.signal, byteCame })
    } catch (error) {
      if (error instanceof OperationalError || isOfDisk(error)) throw error
      const reason = controller.signal.aborted ? `no byte came for ${timeout / 1_000} s` : reasonOf(error)
      const { length } = this.#stored
      return new Retry(length === 0 ? reason : `${reason}, after ${bytes(length)}`)
    } finally {
      clearTimeout(timer)
      controller.abort()
      this.#stored.close()
    }
  }

  async #request(watch: Watch): Promise<Outcome | Retry> {
    const whole = this.#stored.whole()
    const partial = resumable(this.#stored.partial())
    const response = await this.#follow(partial === undefined ? unlessUnchanged(whole) : restOf(partial), watch)
    const { status, headers } = response
    if (isTemporary(status))
      return new Retry(`status ${status}`, parseRetryAfter(headers.get('retry-after'), Date.now()))
    if (status === 304 && whole !== undefined && partial === undefined) return { isUnchanged: true }
    if (status === 200) {
      this.#stored.begin(versionOf(headers))
    } else if (partial !== undefined && (status === 206 || status === 416)) {
      const continued = continuedBy(headers, partial)
      if (continued === undefined) {
        this.#stored.discardPartial()
        return new Retry('the part that was there already does not belong to the file of today')
      }
      this.#stored.resume(continued)
    } else {
      throw this.#failure(`responds with ${status} ${printable(response.statusText)}`.trimEnd())
    }
    return this.#receive(response, watch)
  }

  async #receive({ body, headers }: Response, { byteCame }: Watch): Promise<Outcome | Retry> {
    const { maxBytes, onStart, onProgress } = this.#options
    const stored = this.#stored
    const { size } = stored
    const encoding = headers.get('content-encoding') ?? 'identity'
    if (encoding !== 'identity')
      throw this.#refusal(`is sent in the encoding ${printable(encoding)}, which was not asked for`)
    const tooLarge = `is larger than ${bytes(maxBytes)}, which is the most that is downloaded`
    if (size !== undefined && size > maxBytes) throw this.#refusal(tooLarge)
    onStart(stored.length)
    onProgress(stored.length, size)
    let isChecked = false
    for await (const chunk of body ?? []) {
      byteCame()
      if (stored.length + chunk.length > maxBytes) throw this.#refusal(tooLarge)
      stored.append(chunk)
      onProgress(stored.length, size)
      if (isChecked || stored.length < START_BYTES) continue
      this.#throwIfWrong()
      isChecked = true
    }
    if (size !== undefined && stored.length < size)
      return new Retry(`the response ended after ${bytes(stored.length)} of ${bytes(size)}`)
    if (size !== undefined && stored.length > size)
      throw this.#refusal(`sends more than the ${bytes(size)} that it announced`)
    this.#throwIfWrong()
    stored.finish()
    return { isUnchanged: false }
  }

  /** Follows redirects to https, and to http where http was asked for. */
  async #follow(condition: Readonly<Record<string, string>>, { signal, byteCame }: Watch): Promise<Response> {
    const headers = { ...HEADERS, ...condition }
    const redirects: string[] = []
    for (let target = this.#url; ; ) {
      const url = new URL(target)
      const request = { redirect: 'manual', headers, signal, decompress: false } as const
      const address = await this.#options.addressOf?.(url)
      const response = await (address === undefined ? fetch(url, request) : fetchFrom(address, url, request))
      byteCame()
      if (!isRedirect(response)) return response
      const to = redirectTarget(target, response)
      if (to === undefined) throw this.#failure(`responds with ${response.status} without a location to go to`)
      redirects.push(printable(to.href))
      const path = redirects.join(', then to ')
      if (!isSecureEnough(this.#url, to))
        throw this.#failure(`redirects to ${path}, which is not followed because it is not https`)
      if (redirects.length > MAX_REDIRECTS)
        throw this.#failure(`redirects more than ${MAX_REDIRECTS} times: to ${path}`)
      target = to.href
    }
  }

  #wrongStart(): string | undefined {
    return this.#options.wrongStart(this.#stored.start(START_BYTES))
  }

  #throwIfWrong(): void {
    const wrong = this.#wrongStart()
    if (wrong !== undefined) throw this.#refusal(`responds with ${wrong}`)
  }

  /** The bytes that have arrived cannot be continued. */
  #refusal(what: string): OperationalError {
    this.#stored.discardPartial()
    return this.#failure(what)
  }

  #failure(what: string): OperationalError {
    return new OperationalError(`${this.#url} ${what}; ${this.#options.advice}`)
  }
}

/** Asks this machine and no other: whoever looks up a name twice may get two addresses. */
function fetchFrom(address: string, url: URL, request: BunFetchRequestInit & { readonly headers: object }) {
  const target = new URL(url)
  target.hostname = address.includes(':') ? `[${address}]` : address
  const tls = target.hostname === url.hostname ? {} : { serverName: url.hostname }
  // A connection that is kept is known by its address, and so may have been opened for another name.
  return fetch(target, { ...request, headers: { ...request.headers, Host: url.host }, tls, keepalive: false })
}

/** A request for https is never redirected to http. */
export const isSecureEnough = (requested: string, { protocol }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && new URL(requested).protocol === 'http:')

const HEADERS = { 'User-Agent': `nomenclator/${programVersion}`, 'Accept-Encoding': 'identity' }
const MAX_REDIRECTS = 5
/** Enough to see what a file is. */
const START_BYTES = 512

const number = new Intl.NumberFormat('en')
const bytes = (count: number) => `${number.format(count)} bytes`

const isTemporary = (status: number) => status === 408 || status === 429 || status >= 500

const FILE_CALLS = ['open', 'read', 'write', 'fsync', 'rename', 'rm', 'unlink', 'stat']
const isOfDisk = (error: unknown) =>
  error instanceof Error && 'syscall' in error && FILE_CALLS.includes(String(error.syscall))

function versionOf(headers: Headers): FileVersion {
  return {
    size: parseWholeNumber(headers.get('content-length') ?? '', { leadingZeros: true }),
    etag: headers.get('etag') ?? undefined,
    lastModified: headers.get('last-modified') ?? undefined,
  }
}

function unlessUnchanged(whole: FileVersion | undefined): Record<string, string> {
  return {
    ...(whole?.etag === undefined ? {} : { 'If-None-Match': whole.etag }),
    ...(whole?.lastModified === undefined ? {} : { 'If-Modified-Since': whole.lastModified }),
  }
}

/** A weak entity tag does not promise the same bytes, so only a strong one or a date lets a download be continued. */
const strongValidator = ({ etag, lastModified }: FileVersion) =>
  etag !== undefined && !etag.startsWith('W/') ? etag : lastModified

const resumable = (partial: PartialFile | undefined) =>
  partial !== undefined && strongValidator(partial.version) !== undefined ? partial : undefined

const restOf = ({ version, length }: PartialFile): Record<string, string> => ({
  Range: `bytes=${length}-`,
  'If-Range': strongValidator(version) as string,
})

/** The partial file with its size, if the body is the rest of the same version. */
function continuedBy(headers: Headers, { version, length }: PartialFile): PartialFile | undefined {
  const [, first, total] = /^bytes ([0-9]+)-[0-9]+\/([0-9]+)$/.exec(headers.get('content-range') ?? '') ?? []
  const size = Number(total)
  const isSame = (name: string, expected: string | undefined) => [null, expected].includes(headers.get(name))
  const continues =
    Number(first) === length &&
    (version.size ?? size) === size &&
    isSame('etag', version.etag) &&
    isSame('last-modified', version.lastModified)
  return continues ? { version: { ...version, size }, length } : undefined
}
