// Documents of which a run rewrites one part and keeps the rest: a part stands between two marks.

/** The document with the part of this name replaced; one that is not in it yet comes at its end, under its heading. */
export function withPart(document: string, name: string, text: string, heading?: string): string {
  const [begin, end] = [`<!-- begin: ${name} -->`, `<!-- end: ${name} -->`]
  const part = `${begin}\n${text}\n${end}`
  const from = document.indexOf(begin)
  const to = document.indexOf(end)
  if (from !== -1 && to > from) return document.slice(0, from) + part + document.slice(to + end.length)
  return [document.trimEnd(), ...(heading === undefined ? [] : [`## ${heading}`]), part].join('\n\n').concat('\n')
}
