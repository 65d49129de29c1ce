// Tables as aligned text, and the same as Markdown.

export type Table = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }

/** The first column to the left, figures to the right. */
export function textTable({ head, rows }: Table): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all
    .map((row) =>
      row
        .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

export function markdownTable({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return line(head) + line(head.map((_, column) => (column < 2 ? '---' : '---:'))) + rows.map(line).join('')
}
