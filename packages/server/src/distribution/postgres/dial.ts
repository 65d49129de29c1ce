// How each host of an address is tried: over TCP or a socket file, without TLS or with it, as sslmode of libpq has it.
//
// The client library makes the TLS connection itself. What it lacks is sslmode: it takes `allow` for `require`, checks no
// root certificate where libpq does, and does not say that a server offers no TLS.
import { existsSync, readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { ShelfRefused } from '../shelf/shelf-failures.ts'
import type { ShelfAddress } from './address.ts'

type Host = ShelfAddress['hosts'][number]

/** How TLS is used with a host; false for not at all. */
export type Encryption = false | ConnectionOptions

/** What is tried with a host, in this order: the second only where the server refuses the first. */
export function encryptionsOf({ ssl }: ShelfAddress, { host }: Host): readonly Encryption[] {
  // libpq uses no TLS on a socket file either.
  if (ssl.mode === 'disable' || isSocketFile(host)) return [false]
  const tls = tlsOptions(ssl, host)
  if (ssl.mode === 'allow') return [false, tls]
  return ssl.mode === 'prefer' ? [tls, false] : [tls]
}

const isSocketFile = (host: string) => host.startsWith('/')

/** A socket that is being connected. */
export const dial = ({ host, port }: Host): Socket =>
  isSocketFile(host) ? connect(join(host, `.s.PGSQL.${port}`)) : connect({ host, port, noDelay: true })

/** `require` checks the certificate only where a root certificate is named, as libpq does. */
function tlsOptions(ssl: ShelfAddress['ssl'], host: string): ConnectionOptions {
  const verifies = ssl.mode === 'verify-ca' || ssl.mode === 'verify-full' || ssl.rootCert !== undefined
  const ca = verifies ? rootCertificates(ssl.rootCert) : undefined
  return {
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    rejectUnauthorized: verifies,
    ...(ca === undefined ? {} : { ca }),
    // Only verify-full asks whose certificate it is.
    ...(ssl.mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    ...(ssl.cert === undefined ? {} : { cert: readCertificate(ssl.cert) }),
    ...(ssl.key === undefined ? {} : { key: readCertificate(ssl.key) }),
  }
}

/** The root certificates in a file; undefined for those of the system. */
function rootCertificates(path: string | undefined): string | undefined {
  if (path === 'system') return undefined
  const usual = join(process.env.HOME || homedir(), '.postgresql', 'root.crt')
  if (path === undefined && !existsSync(usual)) return undefined
  return readCertificate(path ?? usual)
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new ShelfRefused(`the certificate or key ${path} cannot be read (${code})`)
  }
}
