// The pages of the explorer as HTML out of the app itself, without a socket; and what stands on a page.
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { createApp } from '../../packages/server/src/http/app.ts'
import type { TestHome } from './releases.ts'

const BASE_URL = 'http://catalogs.example.org'

export type GetPage = (target: string) => Promise<string>

/** Reads pages of the current release of a home, in English; whatever has another status than 200 fails. */
export function pagesOf(home: TestHome): GetPage {
  const release = home.current()
  const policy = { baseUrl: BASE_URL, trustedProxies: undefined }
  const failed = (error: unknown) => {
    throw error
  }
  const app = createApp({ release: () => release, store: home.store, policy, pages: explorerPages, logError: failed })
  const headers = new Map([
    ['accept', 'text/html'],
    ['accept-language', 'en'],
  ])
  return async (target) => {
    const [path = '', query = ''] = target.split('?')
    const response = await app({ method: 'GET', path, query, headers }, { peer: undefined, listeningUrl: BASE_URL })
    const text = new TextDecoder().decode(response.body as Uint8Array)
    if (response.status !== 200) throw new Error(`${target} is ${response.status}: ${textOf(text)}`)
    return text
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
export const unescaped = (text: string): string =>
  text.replace(/&([a-z]+|#39);/g, (_, name: string) => ENTITIES[name] as string)

export const attributes = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => unescaped(value as string))

/** The text of a page, without its tags. */
export const textOf = (html: string): string => unescaped(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')

/** The targets of the links of a page, by their text; the first of several with the same text. */
export function linksOf(html: string): Map<string, string> {
  const links = new Map<string, string>()
  for (const [, attributes = '', content = ''] of html.matchAll(/<a\b([^>]*)>(.*?)<\/a>/gs)) {
    const text = textOf(content).trim()
    const target = unescaped(/href="([^"]*)"/.exec(attributes)?.[1] ?? '')
    if (!links.has(text)) links.set(text, target)
  }
  return links
}

/** The faults in the headings and identifiers of a page. */
export function outlineFaults(html: string): string[] {
  const ids = attributes(html, 'id')
  return [
    ...(html.match(/<h1[\s>]/g)?.length === 1 ? [] : ['not one heading']),
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} twice`),
    ...attributes(html, 'aria-labelledby').flatMap((id) => (ids.includes(id) ? [] : [`no ${id}`])),
  ]
}

/** Follows all links from some pages on until `max` addresses were visited; links to nothing are broken. */
export async function linkedFrom(
  pages: readonly string[],
  get: (target: string) => Promise<Response>,
  max: number,
): Promise<{ readonly broken: readonly string[]; readonly visited: ReadonlySet<string> }> {
  const visited = new Set(pages)
  const broken: string[] = []
  for (const target of visited) {
    const response = await get(target)
    if (response.status !== 200) broken.push(`${target} is ${response.status}`)
    if (!response.headers.get('Content-Type')?.startsWith('text/html') || visited.size > max) {
      await response.body?.cancel()
      continue
    }
    for (const link of attributes(await response.text(), 'href'))
      if (link.startsWith('/')) visited.add(link.replace(/#.*/, ''))
  }
  return { broken, visited }
}

/** The part of a page from one text to the next one after it. */
export function between(html: string, start: string, end: string): string {
  const from = html.indexOf(start)
  if (from === -1) throw new Error(`there is no ${start}`)
  const to = html.indexOf(end, from + start.length)
  if (to === -1) throw new Error(`there is no ${end} after ${start}`)
  return html.slice(from, to)
}
