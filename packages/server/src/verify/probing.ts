// How advice asks a server: requests beyond the contract, and what came to each of them in words.
import { printable } from '../source/requests.ts'
import { type Check, type CheckOutcome, type Probe, type RuleViolation, unless } from './check.ts'
import type { ProbeExchange, Sent } from './client.ts'
import { type HeaderField, NoResponse, type ProbeConnection, type RawResponse } from './connection.ts'
import { headerCame } from './page-verdicts.ts'
import { headerOf } from './seen-page.ts'

export type Advice = Omit<Check, 'severity'>

const cameOf = ({ outcome }: ProbeExchange, headers?: readonly string[]): string =>
  outcome instanceof NoResponse ? `no response: ${outcome.message}` : describe(outcome, headers)

export const describe = (response: RawResponse, headers: readonly string[] = ['Content-Type']): string =>
  [`status ${response.status}`, ...headers.map((name) => headerCame(name, headerOf(response, name)))].join(', ')

export const get = (target: string, ...fields: readonly HeaderField[]): Sent => ({ method: 'GET', target, fields })
export const isRefusal = ({ status }: RawResponse) => status >= 400 && status <= 499

/** Sends requests and tells which of them get another response than they should, with the headers that matter. */
export async function eachOf(
  { trial }: Probe,
  requests: readonly Sent[],
  expected: string,
  holds: (response: RawResponse) => boolean,
  headers?: readonly string[],
): Promise<readonly RuleViolation[]> {
  const wrongs: RuleViolation[] = []
  for (const sent of requests) {
    const exchange = await trial(sent)
    if (!(exchange.outcome instanceof NoResponse) && holds(exchange.outcome)) continue
    const fields = (sent.fields ?? []).map(([name, value]) => ` with ${name}: ${printable(value)}`).join('')
    wrongs.push({ request: `${exchange.request}${fields}`, came: cameOf(exchange, headers), expected })
  }
  return wrongs
}

export const isFirstPage = ({ first }: Probe, response: RawResponse): boolean =>
  response.status === 200 && Buffer.from(response.body).equals(first.response.body)

/** A conversation on a connection of its own; what goes wrong in it is what came. */
export async function conversation(
  { client }: Probe,
  request: string,
  expected: string,
  talk: (connection: ProbeConnection) => Promise<string | undefined>,
): Promise<CheckOutcome> {
  try {
    using connection = await client.connect(request)
    const came = await talk(connection)
    return unless(came === undefined, came ?? '', expected, request)
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error
    return [{ request, came: `no response: ${error.message}`, expected }]
  }
}
