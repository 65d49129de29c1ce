// Cuts a stream of bytes into pages of whole lines, in bounded memory.

export const LONGEST_LINE = 65_536

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

export class LineTooLong extends Error {}

/** Every page but the last ends with a newline, so that no page cuts a character in two. */
export async function* pagesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = NOTHING
  for await (const chunk of stream) {
    const cut = chunk.lastIndexOf(NEWLINE) + 1
    if (cut > 0) yield rest.length === 0 ? chunk.subarray(0, cut) : Buffer.concat([rest, chunk.subarray(0, cut)])
    rest = cut > 0 ? Buffer.from(chunk.subarray(cut)) : Buffer.concat([rest, chunk])
    if (rest.length > LONGEST_LINE) throw new LineTooLong()
  }
  if (rest.length > 0) yield rest
}

/** Calls with every line of a page, without what ends it. */
export function eachLine(page: string, take: (line: string) => void): void {
  for (let start = 0; start < page.length; ) {
    const newline = page.indexOf('\n', start)
    const end = newline < 0 ? page.length : newline
    take(page.slice(start, page.charCodeAt(end - 1) === 0x0d && end > start ? end - 1 : end))
    start = end + 1
  }
}
