// The examples of a document: requests, and the responses to them.

export type Exchange = {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** The part of a response that an example shows, with the body as text. */
export type Shown = { readonly status: number; readonly headers: Headers; readonly body: string }

const BLOCK = /^```http\n([\s\S]*?)^```$/gm
const SHOWN_LINES = 6
const SHOWN_WIDTH = 118

/**
 * The document with its responses written anew. A block begins with the request and its headers; after an empty line
 * comes the response: its status, the headers that the document names, an empty line and the body, shortened where it is long.
 */
export async function withResponses(document: string, send: (exchange: Exchange) => Promise<Shown>): Promise<string> {
  const blocks = [...document.matchAll(BLOCK)]
  const written: string[] = []
  for (const [, block = ''] of blocks) written.push(await withResponse(block, send))
  return document.replace(BLOCK, () => `\`\`\`http\n${written.shift()}\`\`\``)
}

export async function withResponse(block: string, send: (exchange: Exchange) => Promise<Shown>): Promise<string> {
  const [request = '', response = ''] = block.split('\n\n')
  const [first = '', ...fields] = request.trimEnd().split('\n')
  const target = /^GET (\S+)$/.exec(first)?.[1]
  if (target === undefined) throw new Error(`not a request: ${first}`)
  const { status, headers, body } = await send({ target, headers: Object.fromEntries(fields.map(fieldOf)) })
  const named = response
    .split('\n')
    .map((line) => /^([A-Z][A-Za-z-]*):/.exec(line)?.[1])
    .filter((name) => name !== undefined)
  const shown = named.map((name) => `${name}: ${headers.get(name) ?? '(absent)'}`)
  return `${[request.trimEnd(), '', String(status), ...shown, '', ...linesOf(body)].join('\n')}\n`
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trim()]
}

/** A line for each record of a list, and for each value of an object that is wide; the rest is counted. */
function linesOf(body: string): string[] {
  const lines = brokenUp(body).map((line) =>
    line.length > SHOWN_WIDTH * 3 ? `${line.slice(0, SHOWN_WIDTH * 3)}…` : line,
  )
  if (lines.length <= SHOWN_LINES + 1) return lines
  return [...lines.slice(0, SHOWN_LINES), `… and ${lines.length - SHOWN_LINES} more lines`]
}

function brokenUp(body: string): string[] {
  if (!/^[[{]/.test(body) || /\n./.test(body)) return body.trimEnd().split(/\r?\n/)
  const value: unknown = JSON.parse(body)
  const entries = Array.isArray(value)
    ? value.map((one) => JSON.stringify(one))
    : Object.entries(value as object).map(([name, one]) => `${JSON.stringify(name)}: ${JSON.stringify(one)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) return [open + close]
  return [open, ...entries.map((entry, at) => `  ${entry}${at + 1 < entries.length ? ',' : ''}`), close]
}
