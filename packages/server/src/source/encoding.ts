// Detects in which encoding a table is: those that INEGI publishes in, and spreadsheets write.

/** The encodings that files of others have, as far as they are told apart. */
export type TextEncoding = 'utf-8' | 'windows-1252'

/**
 * Letters beyond ASCII tell the encoding. In Windows-1252 they stand alone and hardly ever look like UTF-8, while a
 * table in UTF-8 that was damaged is still mostly sound. So the majority decides, and what is not in that encoding is
 * a fault instead of a guess.
 */
export function detectEncoding(bytes: Uint8Array): TextEncoding | undefined {
  let utf8 = 0
  let others = 0
  for (let index = 0; index < bytes.length; ) {
    if ((bytes[index] as number) < 0x80) {
      index++
      continue
    }
    const length = utf8Length(bytes, index)
    if (length > 0) utf8++
    else others++
    index += length || 1
  }
  if (utf8 + others === 0) return undefined
  return utf8 >= others ? 'utf-8' : 'windows-1252'
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of bytes that are all ASCII; undefined of others. */
export function asciiText(bytes: Uint8Array): string | undefined {
  try {
    const text = strict.decode(bytes)
    // Every letter beyond ASCII has fewer units in a text than bytes in UTF-8.
    return text.length === bytes.length ? text : undefined
  } catch {
    return undefined
  }
}

/** True of bytes that are whole letters of UTF-8. Browsers, which read tables too, have no such function of their own. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes)
    return true
  } catch {
    return false
  }
}

/** The number of bytes of the UTF-8 character beyond ASCII that begins here; 0 when none does. */
function utf8Length(bytes: Uint8Array, start: number): number {
  const lead = bytes[start] as number
  const length = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  for (let next = 1; next < length; next++) if (((bytes[start + next] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}

/** UTF-16 by its mark, or by the zeros that letters of European languages have in it. */
export function wideEncoding(start: Uint8Array): string | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  const zeros = [0, 0]
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] as number) + 1
  const [even, odd] = zeros as [number, number]
  const enough = start.length / 5
  if (odd > enough && even < odd / 10) return 'utf-16le'
  return even > enough && odd < even / 10 ? 'utf-16be' : undefined
}
