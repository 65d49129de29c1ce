// Connects to a host over TCP or a socket file, with or without TLS, as sslmode of libpq defines it.
//
// The client library makes the TLS connection itself, but does not follow sslmode: it treats `allow` as `require`, checks no
// root certificate where libpq does, and does not report a server without TLS.
import { existsSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { readNamed, type ShelfAddress } from './address.ts'

type Host = ShelfAddress['hosts'][number]

/** The options of TLS for a host, or false for no TLS. */
export type Encryption = false | ConnectionOptions

/** The encryptions to try with a host: the second only if the server refuses the first. */
export function encryptionsOf({ ssl }: ShelfAddress, { host }: Host): readonly Encryption[] {
  // Like libpq, without TLS on a socket file.
  if (ssl.mode === 'disable' || isSocketFile(host)) return [false]
  const tls = tlsOptions(ssl, host)
  if (ssl.mode === 'allow') return [false, tls]
  return ssl.mode === 'prefer' ? [tls, false] : [tls]
}

const isSocketFile = (host: string) => host.startsWith('/')

export const dial = ({ host, port }: Host): Socket =>
  isSocketFile(host) ? connect(join(host, `.s.PGSQL.${port}`)) : connect({ host, port, noDelay: true })

/** Like libpq, `require` checks the certificate only if a root certificate is given. */
function tlsOptions(ssl: ShelfAddress['ssl'], host: string): ConnectionOptions {
  const verifies = ssl.mode === 'verify-ca' || ssl.mode === 'verify-full' || ssl.rootCert !== undefined
  const ca = verifies ? rootCertificates(ssl.rootCert) : undefined
  return {
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    rejectUnauthorized: verifies,
    ...(ca === undefined ? {} : { ca }),
    // Only verify-full checks the name in the certificate.
    ...(ssl.mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    ...(ssl.cert === undefined ? {} : { cert: readNamed('certificate or key', ssl.cert) }),
    ...(ssl.key === undefined ? {} : { key: readNamed('certificate or key', ssl.key) }),
  }
}

/** Returns the root certificates in a file; undefined for those of the system. */
function rootCertificates(path: string | undefined): string | undefined {
  if (path === 'system') return undefined
  const usual = join(process.env.HOME || homedir(), '.postgresql', 'root.crt')
  if (path === undefined && !existsSync(usual)) return undefined
  return readNamed('certificate or key', path ?? usual)
}
