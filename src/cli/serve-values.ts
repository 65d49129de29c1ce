// Parses the values of flags of serve: addresses, URLs, rates and choices.
import { BlockList, isIP } from 'node:net'
import type { AdminAddress } from '../http/admin.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { parseWholeNumber } from '../whole-number.ts'
import type { Wrong } from './flags.ts'

export function baseUrl(value: string): string | Wrong {
  return /^https?:\/\/[A-Za-z0-9.\-_~:[\]]+(?:\/[A-Za-z0-9.\-_~]+)*\/?$/.test(value) && URL.canParse(value)
    ? value.replace(/\/$/, '')
    : { allowed: 'an http or https address without query, such as https://catalogs.example.org' }
}

export function addresses(value: string): BlockList | Wrong {
  const list = new BlockList()
  for (const entry of value.split(',')) {
    const [address = '', bits, ...rest] = entry.trim().split('/')
    const version = isIP(address)
    const maxBits = version === 6 ? 128 : 32
    const fits = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= maxBits)
    if (version === 0 || !fits || rest.length > 0)
      return { allowed: 'addresses, with /bits for a range, separated by commas' }
    list.addSubnet(address, bits === undefined ? maxBits : Number(bits), version === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

const ADMIN: Wrong = { allowed: 'a port, or an address and a port, such as 8081, 127.0.0.1:8081 or [::1]:8081' }
const MAX_PORT = 65_535

/** A port alone is one of this machine: what operators see is not for everyone. */
export function adminAddress(value: string): AdminAddress | Wrong {
  const [, bracketed, name, digits = ''] = /^(?:(?:\[([^\]]*)\]|([A-Za-z0-9._-]+)):)?([0-9]{1,5})$/.exec(value) ?? []
  const port = parseWholeNumber(digits, { min: 0, max: MAX_PORT, leadingZeros: true })
  if (port === undefined || (bracketed !== undefined && isIP(bracketed) !== 6)) return ADMIN
  return { host: bracketed ?? name ?? '127.0.0.1', port }
}

const WINDOWS: Readonly<Record<string, number>> = { s: 1, m: 60 }
const MAX_RATE = 1_000_000

export function rateLimit(value: string): RateLimit | Wrong {
  const [, digits = '', unit = ''] = /^([0-9]+)\/([a-z])$/.exec(value) ?? []
  const requests = parseWholeNumber(digits, { min: 1, max: MAX_RATE, leadingZeros: true })
  const windowSeconds = WINDOWS[unit]
  return requests === undefined || windowSeconds === undefined
    ? { allowed: `requests a second or a minute, such as 20/s or 600/m, up to ${MAX_RATE}` }
    : { requests, windowSeconds }
}

export const choiceOf =
  <T extends string>(choices: readonly T[]) =>
  (value: string): T | Wrong =>
    choices.find((choice) => choice === value) ?? { allowed: choices.join(', ').replace(/, ([^,]*)$/, ' or $1') }
