// Patterns of others that the runtime can match without harm: nothing in them makes it go back again and again.

const MAX_PATTERN = 500
/** Parts that repeat as often as they can; the time to match grows with the length of a text to this power. */
const MAX_REPEATED = 3
/** Repeated more often than this, a part counts as one without a bound. */
const FEW = 100

type Group = { hasChoice: boolean }

const TOKEN =
  /\\[1-9k]|\(\?(?:[=!]|<[=!])|\\.|\[(?:[^\\\]]|\\.)*\]|\((?:\?(?::|<[^>]*>))?|\)|[*+?]|\{(\d+)(?:(,)(\d*))?\}|\||./gsu

/** True of a pattern without references back, looks around, and repetitions of what repeats or has alternatives. */
export function isSafePattern(source: string): boolean {
  if (source.length > MAX_PATTERN || !isPattern(source)) return false
  const open: Group[] = [{ hasChoice: false }]
  let closed: Group | undefined
  let repeated = 0
  for (const [token, least, comma, most] of source.matchAll(TOKEN)) {
    if (/^(?:\\[1-9k]|\(\?(?:[=!]|<[=!]))/.test(token)) return false
    const group = open.at(-1) as Group
    const times = timesOf(token, least, comma, most)
    if (times !== undefined) {
      if (times > 1 && closed?.hasChoice) return false
      if (times > FEW) repeated++
      group.hasChoice = true
    }
    if (token === '|') group.hasChoice = true
    if (token.startsWith('(')) open.push({ hasChoice: false })
    closed = token === ')' ? open.pop() : undefined
    if (closed?.hasChoice) (open.at(-1) as Group).hasChoice = true
  }
  return repeated <= MAX_REPEATED
}

/** How often a quantifier repeats at most; undefined of anything else. */
function timesOf(token: string, least?: string, comma?: string, most?: string): number | undefined {
  if (token === '?') return 1
  if (token === '*' || token === '+') return Number.POSITIVE_INFINITY
  if (least === undefined) return undefined
  return comma === undefined ? Number(least) : most ? Number(most) : Number.POSITIVE_INFINITY
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== ''
  } catch {
    return false
  }
}
