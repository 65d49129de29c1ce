// Everyone that is compared, and who of them can take part here.
import type { Contender } from './contender.ts'
import { drf } from './drf.ts'
import { nginx } from './nginx.ts'
import { fastify, nodeHttp } from './node.ts'

export const peers: readonly Contender[] = [nginx, nodeHttp, fastify, drf]

export type Line = { readonly present: readonly Contender[]; readonly defaultValue: readonly string[] }

/** Of the peers given, those that are installed, and a sentence for each that is not. */
export function whoIsHere(wanted: readonly Contender[]): Line {
  const missing = new Map(wanted.map((peer) => [peer, peer.missing()]))
  const isThere = (peer: Contender) => missing.get(peer)?.length === 0
  return {
    present: wanted.filter(isThere),
    defaultValue: wanted
      .filter((peer) => !isThere(peer))
      .map((peer) => `${peer.name} is left out: ${missing.get(peer)?.join(', ')} is not installed; run bench/setup`),
  }
}
