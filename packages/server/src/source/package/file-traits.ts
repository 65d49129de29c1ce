// How a file of CSV is written, where that is not as the standard expects: its separator and its encoding.
import { isAscii } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { detectEncoding, wideEncoding } from '../encoding.ts'
import type { FileTraits } from './describe.ts'

const SEPARATORS = [',', ';', '\t', '|'] as const
const CSV = /\.(?:csv|txt)$/i

/** What the descriptor has to say of a file; nothing of one that is comma-separated UTF-8, or no CSV. */
export async function fileTraits(path: string): Promise<FileTraits> {
  if (!CSV.test(path)) return {}
  let start: Buffer | undefined
  let encoding = 'utf-8'
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    start ??= chunk
    const wide = wideEncoding(chunk)
    if (isAscii(chunk) && wide === undefined) continue
    encoding = wide ?? detectEncoding(chunk) ?? 'utf-8'
    break
  }
  const delimiter = separatorOf(new TextDecoder(encoding as Bun.Encoding).decode(start ?? Buffer.alloc(0)))
  return { ...(delimiter === ',' ? {} : { delimiter }), ...(encoding === 'utf-8' ? {} : { encoding }) }
}

/** The separator that the header has most of, outside of quotes. */
function separatorOf(text: string): string {
  const header = text.replace(/"[^"]*"/g, '').split(/[\r\n]/, 1)[0] ?? ''
  return [...SEPARATORS].sort((a, b) => header.split(b).length - header.split(a).length)[0] as string
}
