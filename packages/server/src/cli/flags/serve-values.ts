// Parses the values of flags of serve: addresses, URLs, sizes, rates, switches, choices and intervals.

import type { BlockList } from 'node:net'
import { net } from '../../base/built-ins.ts'
import { own } from '../../base/json.ts'
import { parseWholeNumber } from '../../base/whole-number.ts'
import type { RateLimit } from '../../http/limits/rate-limit.ts'
import type { AdminAddress } from '../../http/observation/admin.ts'
import { type InvalidFlag, wholeNumber } from './flags.ts'

export function baseUrl(value: string): string | InvalidFlag {
  return /^https?:\/\/[A-Za-z0-9.\-_~:[\]]+(?:\/[A-Za-z0-9.\-_~]+)*\/?$/.test(value) && URL.canParse(value)
    ? value.replace(/\/$/, '')
    : { allowed: 'an http or https address without query, such as https://catalogs.example.org' }
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 }

/** A size in bytes, from a number with a unit. */
export function byteSize(value: string): number | InvalidFlag {
  const [, digits = '', unit = ''] = /^([0-9]{1,12})([KMGT]?)B?$/i.exec(value) ?? []
  const bytes = Number(digits) * (own(UNITS, unit.toUpperCase()) ?? 0)
  return digits === '' || !Number.isSafeInteger(bytes)
    ? { allowed: 'a number of bytes, such as 500M or 2G; 0 for none' }
    : bytes
}

export function addresses(value: string): BlockList | InvalidFlag {
  const list = new (net().BlockList)()
  for (const entry of value.split(',')) {
    const [address = '', bits, ...rest] = entry.trim().split('/')
    const version = net().isIP(address)
    const maxBits = version === 6 ? 128 : 32
    const fits = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= maxBits)
    if (version === 0 || !fits || rest.length > 0)
      return { allowed: 'addresses, with /bits for a range, separated by commas' }
    list.addSubnet(address, bits === undefined ? maxBits : Number(bits), version === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

const YES = ['', '1', 'true', 'yes', 'on']
const NO = ['0', 'false', 'no', 'off']

/** A switch that a variable can set too; as a flag it has no value. */
export const switchOf = (env: string, description: string) => ({ env, description, parse: yesOrNo }) as const

export function yesOrNo(value: string): boolean | InvalidFlag {
  const word = value.toLowerCase()
  if (YES.includes(word)) return true
  return NO.includes(word) ? false : { allowed: '1, true, yes, on, or 0, false, no, off' }
}

const DAY_HOURS = 24
const MAX_HOURS = 24 * 365

/** The hours between two scrubs. */
export function scrubHours(value: string): number | 'off' | InvalidFlag {
  if (value === 'off') return value
  if (value === 'daily') return DAY_HOURS
  const hours = value.endsWith('h') ? wholeNumber(1, MAX_HOURS)(value.slice(0, -1)) : undefined
  return typeof hours === 'number' ? hours : { allowed: `off, daily, or hours from 1h to ${MAX_HOURS}h` }
}

const ADMIN: InvalidFlag = { allowed: 'a port, or an address and a port, such as 8081, 127.0.0.1:8081 or [::1]:8081' }
const MAX_PORT = 65_535

/** A port alone is one of this machine: what operators see is not for everyone. */
export function adminAddress(value: string): AdminAddress | InvalidFlag {
  const [, bracketed, name, digits = ''] = /^(?:(?:\[([^\]]*)\]|([A-Za-z0-9._-]+)):)?([0-9]{1,5})$/.exec(value) ?? []
  const port = parseWholeNumber(digits, { min: 0, max: MAX_PORT, leadingZeros: true })
  if (port === undefined || (bracketed !== undefined && net().isIP(bracketed) !== 6)) return ADMIN
  return { host: bracketed ?? name ?? '127.0.0.1', port }
}

const WINDOWS: Readonly<Record<string, number>> = { s: 1, m: 60 }
const MAX_RATE = 1_000_000

export function rateLimit(value: string): RateLimit | InvalidFlag {
  const [, digits = '', unit = ''] = /^([0-9]+)\/([a-z])$/.exec(value) ?? []
  const requests = parseWholeNumber(digits, { min: 1, max: MAX_RATE, leadingZeros: true })
  const windowSeconds = own(WINDOWS, unit)
  return requests === undefined || windowSeconds === undefined
    ? { allowed: `requests a second or a minute, such as 20/s or 600/m, up to ${MAX_RATE}` }
    : { requests, windowSeconds }
}

export const choiceOf =
  <T extends string>(choices: readonly T[]) =>
  (value: string): T | InvalidFlag =>
    choices.find((choice) => choice === value) ?? { allowed: choices.join(', ').replace(/, ([^,]*)$/, ' or $1') }
