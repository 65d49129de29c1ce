// The address of a shelf in PostgreSQL: a URL as libpq reads it, its password, and its use of TLS.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'
import { ShelfRefused } from '../shelf/shelf-failures.ts'

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof SSL_MODES)[number]

export type ShelfAddress = {
  /** The hosts in the order of attempts; a host that begins with a slash is the directory of a socket. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  readonly user: string
  readonly database: string
  readonly password: string | undefined
  readonly passfile: string | undefined
  readonly ssl: { readonly mode: SslMode; readonly rootCert?: string; readonly cert?: string; readonly key?: string }
  readonly connectSeconds: number
}

const DEFAULT_PORT = 5_432
const MAX_PORT = 65_535
const DEFAULT_CONNECT_SECONDS = 5
const PARAMETERS = 'sslmode sslrootcert sslcert sslkey host port user passfile connect_timeout'.split(' ')

/** Parses an address, or returns what is allowed. */
export function parseShelfAddress(text: string): ShelfAddress | { readonly allowed: string } {
  const parts = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text)
  if (parts === null) return { allowed: 'an address such as postgres://user@host:5432/database?sslmode=verify-full' }
  const [, login = '', authority = '', path = '', search = ''] = parts
  try {
    const parameters = new URLSearchParams(search)
    const unknown = [...parameters.keys()].filter((name) => !PARAMETERS.includes(name))
    if (unknown.length > 0) return { allowed: `an address with no other parameters than ${PARAMETERS.join(', ')}` }
    const mode = SSL_MODES.find((one) => one === (parameters.get('sslmode') ?? 'prefer'))
    if (mode === undefined) return { allowed: `an address whose sslmode is ${SSL_MODES.join(', ')}` }
    const hosts = parseHosts(parameters.get('host') ?? decodeURIComponent(authority), parameters.get('port'))
    if (hosts === undefined)
      return { allowed: 'an address with hosts and ports, such as postgres://a:5432,b:5432/shelf' }
    const seconds = parseWholeNumber(parameters.get('connect_timeout') ?? String(DEFAULT_CONNECT_SECONDS), {
      min: 1,
      max: 3_600,
      leadingZeros: true,
    })
    if (seconds === undefined) return { allowed: 'an address whose connect_timeout is a number of seconds from 1' }
    const [name = '', ...secret] = login.split(':')
    const user = parameters.get('user') ?? (name === '' ? userInfo().username : decodeURIComponent(name))
    const [rootCert, cert, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((file) => parameters.get(file) ?? undefined)
    return {
      hosts,
      user,
      database: path === '' ? user : decodeURIComponent(path),
      password: secret.length === 0 ? undefined : decodeURIComponent(secret.join(':')),
      passfile: parameters.get('passfile') ?? undefined,
      ssl: { mode, ...(rootCert && { rootCert }), ...(cert && { cert }), ...(key && { key }) },
      connectSeconds: seconds,
    }
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return { allowed: 'an address in which every % is followed by two hexadecimal digits' }
  }
}

/** A host, in brackets if it has colons, or the directory of a socket; with or without a port. */
const HOST = /^(?:\[([^\]]*)\]|(\/.*|[^:]*))(?::([0-9]+))?$/

function parseHosts(authority: string, portText: string | null): ShelfAddress['hosts'] | undefined {
  const ports = (portText ?? '').split(',')
  const hosts: ShelfAddress['hosts'][number][] = []
  for (const [at, text] of authority.split(',').entries()) {
    const parts = HOST.exec(text)
    if (parts === null) return undefined
    const [, bracketed, name, digits = ports[at] || ports[0] || String(DEFAULT_PORT)] = parts
    const port = parseWholeNumber(digits, { min: 1, max: MAX_PORT, leadingZeros: true })
    if (port === undefined) return undefined
    hosts.push({ host: bracketed ?? (name || 'localhost'), port })
  }
  return hosts
}

/** Splits an address into one for each host. */
export const hostsOf = (address: ShelfAddress): ShelfAddress[] =>
  address.hosts.map((host) => ({ ...address, hosts: [host] }))

/** Formats an address for people and logs, without the password. */
export function describeAddress({ hosts, user, database }: ShelfAddress): string {
  const all = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
  return `postgres://${encodeURIComponent(user)}@${all.join(',')}/${encodeURIComponent(database)}`
}

/** Removes the password from a text that may be an address. */
export const withoutPassword = (text: string): string =>
  text.replace(/^([a-z]+:\/\/[^:@/?#]*):.*@/i, '$1:***@').replace(/([?&]password=)[^&#]*/gi, '$1***')

type Environment = Readonly<Record<string, string | undefined>>

/** Finds the password in the given file, the address, PGPASSWORD, or a password file of libpq, in this order. */
export function passwordOf(address: ShelfAddress, passwordFile: string | undefined, env: Environment) {
  if (passwordFile !== undefined) return readNamed('password file', passwordFile).replace(/\r?\n$/, '')
  if (address.password !== undefined) return address.password
  if (env.PGPASSWORD) return env.PGPASSWORD
  const namedFile = address.passfile ?? (env.PGPASSFILE || undefined)
  const path = namedFile ?? join(env.HOME || homedir(), '.pgpass')
  if (namedFile === undefined && !existsSync(path)) return undefined
  const text = readNamed('password file', path)
  if ((statSync(path).mode & 0o077) !== 0)
    throw new OperationalError(
      `the password file ${path} can be read by others; allow it to nobody else with chmod 600 ${path}`,
    )
  return passwordIn(text, address)
}

/** The content of a file that an address or a flag names. */
export function readNamed(what: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new ShelfRefused(`the ${what} ${path} cannot be read (${code})`)
  }
}

/** Finds the first line that matches in a password file: host:port:database:user:password, with * for any value. */
function passwordIn(text: string, { hosts, database, user }: ShelfAddress): string | undefined {
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) continue
    const fields = [...line.replace(/\r$/, '').matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = '']) =>
      field.replace(/\\(.)/g, '$1'),
    )
    const [host, port, name, login, password] = fields
    const matches = (field: string | undefined, value: string) => field === '*' || field === value
    const isHost = hosts.some(
      (one) =>
        (matches(host, one.host) || (host === 'localhost' && one.host.startsWith('/'))) &&
        matches(port, String(one.port)),
    )
    if (password !== undefined && isHost && matches(name, database) && matches(login, user)) return password
  }
  return undefined
}
