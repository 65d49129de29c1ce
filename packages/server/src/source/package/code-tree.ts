// Trees that stand in the codes themselves: `01.1` is below `01`, `A000` below `A00`, `1110` below `1100`.

/** How the code above is made of a code: what stands before the last of a sign, its beginning, or with its last group of zeros. */
export type CodeCut =
  | { readonly separator: string }
  | { readonly prefixes: readonly number[] }
  | { readonly zeros: number }

/** The code above, undefined at the top. */
export function codeAbove(code: string, cut: CodeCut): string | undefined {
  if ('separator' in cut) {
    const end = code.lastIndexOf(cut.separator)
    return end <= 0 ? undefined : code.slice(0, end)
  }
  if ('prefixes' in cut) {
    const length = cut.prefixes.findLast((one) => one < code.length)
    return length === undefined ? undefined : code.slice(0, length)
  }
  for (let at = code.length - cut.zeros; at > 0; at -= cut.zeros)
    if (/[^0]/.test(code.slice(at, at + cut.zeros))) return code.slice(0, at).padEnd(code.length, '0')
  return undefined
}

const SEPARATORS = ['.', '-', '/', ':', ' ', '_'] as const
const WIDTHS = [1, 2, 3] as const

/** How codes are cut so that every code above is there; undefined where they form no tree. */
export function cutOf(codes: readonly string[], isThere: (code: string) => boolean): CodeCut | undefined {
  const prefixes = [...new Set(codes.map(({ length }) => length))].toSorted((a, b) => a - b)
  const [length = 0, ...others] = prefixes
  const areNumbers = others.length === 0 && codes.every((code) => /^[0-9]+$/.test(code))
  const cuts: readonly CodeCut[] = [
    ...SEPARATORS.map((separator) => ({ separator })),
    { prefixes },
    ...(areNumbers ? WIDTHS.filter((width) => width < length && length % width === 0) : []).map((zeros) => ({ zeros })),
  ]
  return cuts.find((cut) => isTreeBy(codes, cut, isThere))
}

function isTreeBy(codes: readonly string[], cut: CodeCut, isThere: (code: string) => boolean): boolean {
  let isTree = false
  for (const code of codes) {
    const above = codeAbove(code, cut)
    if (above === undefined) continue
    if (!isThere(above)) return false
    isTree = true
  }
  return isTree
}
