// Tables as aligned text, and the same as Markdown.

export type Table = {
  /** How many columns hold words; the others hold figures. */
  readonly words: number
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Words to the left, figures to the right. */
export function textTable({ words, head, rows }: Table): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all
    .map((row) =>
      row
        .map((cell, column) => (column < words ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

export function markdownTable({ words, head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return line(head) + line(head.map((_, column) => (column < words ? '---' : '---:'))) + rows.map(line).join('')
}
