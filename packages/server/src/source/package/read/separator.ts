// The sign between the values of a text, as its lines show it.

const SEPARATORS = ['\t', ';', ',', '|'] as const
const MAX_LINES = 50
/** A comma with a space after it is one of a sentence or an address, not of a table. */
const MAX_SPACED_COMMAS = 0.8

/** What is known of a text besides its lines. */
type SeparatorOptions = {
  readonly quote?: string
  readonly comment?: string | undefined
  /** The sign that is declared: it counts where the first line has it. */
  readonly declared?: string | undefined
  /** True where it may be a list of texts, in which commas separate nothing. */
  readonly mayBeList?: boolean
}

/** Undefined where no line has one. */
export function separatorOf(lines: readonly string[], options: SeparatorOptions = {}): string | undefined {
  const { quote = '"', comment, declared, mayBeList = false } = options
  const shown = lines
    .slice(0, MAX_LINES)
    .filter((line) => line.trim() !== '' && !(comment !== undefined && line.startsWith(comment)))
    .map((line) => withoutQuoted(line, quote))
  const [header = ''] = shown
  if (declared !== undefined && header.includes(declared)) return declared
  const known = declared === undefined ? SEPARATORS : [...new Set([declared, ...SEPARATORS])]
  const found = known.map((sign) => ({ sign, ...usualCount(sign, shown) })).filter(({ count }) => count > 0)
  const [usual] = found.toSorted((one, other) => other.lines - one.lines || other.count - one.count)
  const [first] = found
    .filter(({ sign }) => header.includes(sign))
    .toSorted((one, other) => countOf(other.sign, header) - countOf(one.sign, header))
  // A title above the header may have a comma, and not the sign that most lines have.
  const isTitle = usual !== undefined && !header.includes(usual.sign) && usual.lines > shown.length / 2
  const separator = isTitle ? usual : (first ?? usual)
  const isRare = separator === undefined || separator.lines <= shown.length / 2
  if (mayBeList && (isRare || (separator.sign === ',' && isProse(shown)))) return undefined
  return separator?.sign
}

const countOf = (sign: string, line: string): number => line.split(sign).length - 1

/** How often most of the lines that have a sign have it, and how many lines those are. */
function usualCount(sign: string, lines: readonly string[]): { readonly count: number; readonly lines: number } {
  const counts = new Map<number, number>()
  for (const line of lines) {
    const count = countOf(sign, line)
    if (count > 0) counts.set(count, (counts.get(count) ?? 0) + 1)
  }
  const [count = 0, usual = 0] = [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0])
  return { count, lines: usual }
}

function isProse(lines: readonly string[]): boolean {
  const text = lines.join('\n')
  return countOf(', ', text) >= countOf(',', text) * MAX_SPACED_COMMAS
}

const withoutQuoted = (line: string, quote: string): string =>
  quote === ''
    ? line
    : line
        .split(quote)
        .filter((_, index) => index % 2 === 0)
        .join('')
