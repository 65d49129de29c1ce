// Reads a descriptor as text: JSON or YAML, in any encoding, and says at which line and column it is broken.
import { isUtf8 } from 'node:buffer'
import type { Faults } from '../faults.ts'
import { jsonFault } from './json-syntax.ts'

export const MAX_DESCRIPTOR = 10 << 20
/** An alias of YAML is a copy, and copies of copies grow without end. */
const MAX_ALIASES = 1_000

/** The value that the text stands for; undefined where it is broken, which is then among the faults. */
export async function parseDescriptorText(file: string, bytes: Uint8Array, faults: Faults): Promise<unknown> {
  const text = descriptorText(bytes)
  return /\.ya?ml$/i.test(file) ? parseYaml(file, text, faults) : parseJson(file, text, faults)
}

/** Marks at the beginning tell the encoding; without one it is UTF-8, or what old spreadsheets write. */
function descriptorText(bytes: Uint8Array): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe
      ? 'utf-16le'
      : first === 0xfe && second === 0xff
        ? 'utf-16be'
        : isUtf8(bytes)
          ? 'utf-8'
          : 'windows-1252'
  return new TextDecoder(encoding).decode(bytes)
}

function parseJson(file: string, text: string, faults: Faults): unknown {
  const fault = jsonFault(text)
  if (fault === undefined) return JSON.parse(text)
  addFault(faults, file, text, fault.offset, `${fault.expected}; the descriptor must be JSON`)
  return undefined
}

async function parseYaml(file: string, text: string, faults: Faults): Promise<unknown> {
  // Most descriptors are JSON, and those who serve read none.
  const { isScalar, parseDocument, visit } = await import('yaml')
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent', uniqueKeys: false })
    for (const { pos, message } of document.errors.slice(0, MAX_TOLD))
      addFault(faults, file, text, pos[0], `YAML: ${message}`)
    if (document.errors.length > 0) return undefined
    visit(document, {
      // A version 1.10 is not 1.1, and a code 012 not 12.
      Scalar: (_, node) => {
        if (isScalar(node) && typeof node.value === 'number' && node.source !== undefined)
          if (String(node.value) !== node.source) node.value = node.source
      },
    })
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    // What nests too deeply, or repeats itself too often.
    if (!(error instanceof RangeError || error instanceof ReferenceError)) throw error
    addFault(faults, file, text, 0, 'YAML with few levels and few aliases')
    return undefined
  }
}

const MAX_TOLD = 5
const MAX_EXCERPT = 60

function addFault(faults: Faults, file: string, text: string, offset: number, expected: string): void {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  const rest = text.slice(offset, offset + MAX_EXCERPT).split(/\r?\n/)[0]
  const value = rest === '' ? (offset >= text.length ? 'the end of the file' : 'the end of the line') : rest
  faults.add({ file, line, column: `column ${column}`, value, expected })
}
