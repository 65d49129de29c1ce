// Opens the socket of a connection with PostgreSQL: TCP or a socket file, with TLS as sslmode of libpq has it.
import { existsSync, readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { ShelfAddress } from './address.ts'
import { ShelfAway, ShelfRefused } from './shelf-failures.ts'

/** How a host is tried: without TLS, with TLS if the server has it, or only with TLS. */
export type Encryption = 'plain' | 'if offered' | 'required'

/** In this order; only `allow` has a second try, for a server that refuses who comes without TLS. */
export const encryptionsOf = ({ ssl: { mode } }: ShelfAddress): readonly Encryption[] => {
  if (mode === 'disable') return ['plain']
  if (mode === 'allow') return ['plain', 'required']
  return mode === 'prefer' ? ['if offered'] : ['required']
}

const KEEP_ALIVE_MILLISECONDS = 10_000
/** The message that asks for TLS: its length, and a number that stands for no version of the protocol. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const OFFERED = 0x53

export async function dial(
  address: ShelfAddress,
  { host, port }: ShelfAddress['hosts'][number],
  encryption: Encryption,
): Promise<Socket> {
  const isFile = host.startsWith('/')
  const deadline = AbortSignal.timeout(address.connectSeconds * 1_000)
  const socket = isFile ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host)
  try {
    await settled(socket, 'connect', deadline)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MILLISECONDS)
    // libpq uses no TLS on a socket file either.
    if (encryption === 'plain' || isFile) return socket
    socket.write(SSL_REQUEST)
    const [reply] = await settled(socket, 'data', deadline)
    if ((reply as Buffer)[0] !== OFFERED) {
      if (encryption === 'if offered') return socket
      throw new ShelfRefused(`PostgreSQL on ${host}:${port} offers no TLS, and sslmode=${address.ssl.mode} requires it`)
    }
    const secured = connectTls({ socket, ...tlsOptions(address, host) })
    await settled(secured, 'secureConnect', deadline)
    return secured
  } catch (error) {
    socket.destroy()
    if (deadline.aborted) throw new ShelfAway(`no connection with ${host}:${port} within ${address.connectSeconds} s`)
    throw error
  }
}

/** Waits for an event, and rejects if the socket fails or ends before. */
function settled(socket: Socket, event: string, deadline: AbortSignal): Promise<unknown[]> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
  const onEvent = (...values: unknown[]) => resolve(values)
  const onClose = () => reject(new Error('the connection was closed before it was ready'))
  const onDeadline = () => reject(new Error('too late'))
  socket.once(event, onEvent).once('error', reject).once('close', onClose)
  deadline.addEventListener('abort', onDeadline)
  return promise.finally(() => {
    socket.off(event, onEvent).off('error', reject).off('close', onClose)
    deadline.removeEventListener('abort', onDeadline)
  })
}

/** `require` checks the certificate only where a root certificate is named, as libpq does. */
function tlsOptions({ ssl }: ShelfAddress, host: string): ConnectionOptions {
  const verifies = ssl.mode === 'verify-ca' || ssl.mode === 'verify-full' || ssl.rootCert !== undefined
  const ca = verifies ? rootCertificates(ssl.rootCert) : undefined
  return {
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: verifies,
    ...(ca === undefined ? {} : { ca }),
    // Only verify-full asks whose certificate it is.
    ...(ssl.mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    ...(ssl.cert === undefined ? {} : { cert: readCertificate(ssl.cert) }),
    ...(ssl.key === undefined ? {} : { key: readCertificate(ssl.key) }),
  }
}

/** Undefined for those of the system. */
function rootCertificates(given: string | undefined): string | undefined {
  if (given === 'system') return undefined
  const usual = join(process.env.HOME || homedir(), '.postgresql', 'root.crt')
  if (given === undefined && !existsSync(usual)) return undefined
  return readCertificate(given ?? usual)
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new ShelfRefused(`the certificate or key ${path} cannot be read (${code})`)
  }
}
