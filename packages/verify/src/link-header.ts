// Parses a Link header (RFC 8288) into its entries.

/** An entry; its text is as it was written. */
export type PageLink = { readonly url: string; readonly relation: string; readonly text: string }

const ENTRY = /^\s*<([^<>]*)>((?:\s*;\s*[\w!#$%&'*+.^`|~-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]+))?)*)\s*(?:,|$)/
const RELATION = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i

/** The entries, or a text that says why they cannot be read. */
export function parseLink(header: string): readonly PageLink[] | string {
  const links: PageLink[] = []
  for (let rest = header; rest.trim() !== ''; ) {
    const [text, url, parameters = ''] = rest.match(ENTRY) ?? []
    if (text === undefined || url === undefined) return `no <URL>; rel="…" at ${JSON.stringify(rest.slice(0, 80))}`
    const [, quoted, bare] = parameters.match(RELATION) ?? []
    const relation = quoted ?? bare
    if (relation === undefined) return `no relation after <${url}>`
    links.push({ url, relation: relation.toLowerCase(), text: text.replace(/,$/, '').trim() })
    rest = rest.slice(text.length)
  }
  return links
}
