// The flags of serve.
import { availableParallelism } from 'node:os'
import { LOG_FORMATS } from '../../base/log.ts'
import { ACCESS_LOG_FORMATS } from '../../http/observation/access-log.ts'
import { type InvalidFlag, text, type ValuesOf, wholeNumber } from './flags.ts'
import { trustFlags } from './key-flags.ts'
import { limitFlags } from './limit-flags.ts'
import { servesRestrictedFlag } from './restricted-flag.ts'
import {
  addresses,
  adminAddress,
  baseUrl,
  byteSize,
  choiceOf,
  rateLimit,
  scrubHours,
  switchOf,
} from './serve-values.ts'
import { homeFlags } from './shelf-flags.ts'

export const serveFlags = {
  host: { value: 'ADDRESS', env: 'HOST', description: 'address to listen on', defaultValue: '127.0.0.1', parse: text },
  port: {
    value: 'PORT',
    env: 'PORT',
    description: 'port to listen on, 0 for a free one',
    defaultValue: '8080',
    parse: wholeNumber(0, 65_535),
  },
  'base-url': {
    value: 'URL',
    env: 'BASE_URL',
    description: 'address to use in links; else that of the request',
    parse: baseUrl,
  },
  'trust-proxy': {
    value: 'LIST',
    env: 'TRUST_PROXY',
    description: 'believe X-Forwarded headers, Forwarded and X-Request-Id from these addresses, such as 10.0.0.0/8,::1',
    parse: addresses,
  },
  workers: {
    value: 'N',
    env: 'WORKERS',
    description: 'page workers that share the port, each with a compute worker beside it; auto for one a core',
    defaultValue: 'auto',
    parse: workerCount,
  },
  'drain-timeout': {
    value: 'SECONDS',
    env: 'DRAIN_TIMEOUT',
    description: 'how long requests in flight may take to finish at a stop',
    defaultValue: '10',
    parse: wholeNumber(0, 3_600),
  },
  'ready-lag': {
    value: 'SECONDS',
    env: 'READY_LAG',
    description:
      'for how long the current release of the shelf may be missing here before /readyz says not ready; else for ever',
    parse: wholeNumber(1, 86_400),
  },
  ...limitFlags,
  'no-bundled': switchOf('NO_BUNDLED', 'never build the bundled data: refuse to start without a release'),
  ...servesRestrictedFlag,
  ...trustFlags,
  'no-warm-up': switchOf(
    'NO_WARM_UP',
    'load code and tables when a request needs them, not after the start: less memory, slower first searches',
  ),
  scrub: {
    value: 'WHEN',
    env: 'SCRUB',
    description:
      'how often all files are read again and verified in the background: daily, a number of hours such as 6h, or off',
    defaultValue: 'daily',
    parse: scrubHours,
  },
  cache: {
    value: 'DIR',
    env: 'NOMENCLATOR_CACHE',
    description:
      'where whole collections and changes are kept once made; else cache in the home, or a temporary directory',
    parse: text,
  },
  'cache-size': {
    value: 'SIZE',
    env: 'NOMENCLATOR_CACHE_SIZE',
    description: 'how much room they may take, 0 for no cache',
    defaultValue: '1G',
    parse: byteSize,
  },
  'cache-tags': switchOf(
    'CACHE_TAGS',
    'name the release in Surrogate-Key and Cache-Tag of every response, for a cache in front that purges by them',
  ),
  admin: {
    value: 'ADDRESS',
    env: 'ADMIN',
    description:
      'also listen for operators (health, metrics), such as 127.0.0.1:8081; only a port is one of this machine',
    parse: adminAddress,
  },
  'rate-limit': {
    value: 'RATE',
    env: 'RATE_LIMIT',
    description: 'requests that a client address may send, such as 20/s or 600/m; else any number',
    parse: rateLimit,
  },
  'log-format': {
    value: 'FORMAT',
    env: 'LOG_FORMAT',
    description: 'text, json, or auto: text on a terminal and in the journal, else JSON',
    defaultValue: 'auto',
    choices: LOG_FORMATS,
    parse: choiceOf(LOG_FORMATS),
  },
  'access-log': {
    value: 'FILE',
    env: 'ACCESS_LOG',
    description: 'write a line for each response to this file, - for standard output, stderr for standard error',
    parse: text,
  },
  'access-log-format': {
    value: 'FORMAT',
    env: 'ACCESS_LOG_FORMAT',
    description: 'combined or json',
    defaultValue: 'combined',
    choices: ACCESS_LOG_FORMATS,
    parse: choiceOf(ACCESS_LOG_FORMATS),
  },
  'slow-request': {
    value: 'MS',
    env: 'SLOW_REQUEST',
    description: 'log requests that take this many milliseconds or more',
    defaultValue: '1000',
    parse: wholeNumber(1, 3_600_000),
  },
  ...homeFlags,
} as const

export type ServeValues = ValuesOf<typeof serveFlags>

function workerCount(value: string): number | InvalidFlag {
  if (value === 'auto') return availableParallelism()
  const count = wholeNumber(1, 256)(value)
  return typeof count === 'number' ? count : { allowed: `auto, or ${count.allowed}` }
}
