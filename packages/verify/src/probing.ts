// Requests beyond the contract, and findings about the responses to them.
import type { Probe } from './check.ts'
import type { Sent } from './client.ts'
import { headerCame, type RuleFinding } from './findings.ts'
import { printable } from './printable.ts'
import { type HeaderField, NoResponse, type RawResponse } from './raw-response.ts'
import { headerOf } from './received-page.ts'

export const describe = (outcome: RawResponse | NoResponse, headers: readonly string[] = ['Content-Type']): string =>
  outcome instanceof NoResponse
    ? `no response: ${outcome.message}`
    : [`status ${outcome.status}`, ...headers.map((name) => headerCame(name, headerOf(outcome, name)))].join(', ')

/** A tag that no page has. */
export const ANOTHER_TAG = '"another"'
export const get = (target: string, ...fields: readonly HeaderField[]): Sent => ({ method: 'GET', target, fields })
export const isRefusal = ({ status }: RawResponse) => status >= 400 && status <= 499
export const isSuccess = ({ status }: RawResponse) => status >= 200 && status <= 299
export const isFirstPage = (response: RawResponse, { first }: Probe): boolean =>
  response.status === 200 && Buffer.from(response.body).equals(first.response.body)

/** Sends requests and returns a finding for each response that is not as it should be, with the headers that matter. */
export async function eachOf(
  probe: Probe,
  requests: readonly Sent[],
  holds: (response: RawResponse, probe: Probe) => boolean,
  headers?: readonly string[],
  expected?: string,
): Promise<readonly RuleFinding[]> {
  const findings: RuleFinding[] = []
  for (const sent of requests) {
    const { request, outcome } = await probe.client.sendOnce(sent)
    if (!(outcome instanceof NoResponse) && holds(outcome, probe)) continue
    const fields = (sent.fields ?? []).map(([name, value]) => ` with ${name}: ${printable(value)}`).join('')
    findings.push({ request: `${request}${fields}`, came: describe(outcome, headers), expected })
  }
  return findings
}
