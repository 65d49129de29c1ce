// How a file of CSV is written, where that is not as the standard expects: its separator and its encoding.
import { isAscii } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { detectEncoding } from '../encoding.ts'
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

function wideEncoding(start: Buffer): string | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : undefined
}

/** The separator that the header has most of, outside of quotes. */
function separatorOf(text: string): string {
  const header = text.replace(/"[^"]*"/g, '').split(/[\r\n]/, 1)[0] ?? ''
  return [...SEPARATORS].sort((a, b) => header.split(b).length - header.split(a).length)[0] as string
}
