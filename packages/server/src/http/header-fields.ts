// The header fields of responses: one function writes them.

/** RFC 9110, section 5. What is not fit for a value would end the line, or is no single byte. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/

/** Headers as they go on the wire, each line with its end. Nothing else writes them; it throws on what is no header. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  let lines = ''
  for (const name of Object.keys(headers)) {
    const value = headers[name] as string
    if (UNFIT.test(value) || !NAME.test(name)) throw new Error(`this is no header: ${JSON.stringify([name, value])}`)
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

const FILE_NAME = /^[\w.-]+$/

/** The header of a response that is saved as a file. Nothing in the name ends its quotes. */
export function attachment(fileName: string) {
  if (!FILE_NAME.test(fileName)) throw new Error(`this is no name of a file: ${JSON.stringify(fileName)}`)
  return { 'Content-Disposition': `attachment; filename="${fileName}"` }
}

/** Browsers take the bytes for what Content-Type says. API v1 is frozen and does not have the header: its bodies are JSON. */
export const NO_SNIFFING = { 'X-Content-Type-Options': 'nosniff' } as const
