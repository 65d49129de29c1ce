// Patterns that a schema declares, matched by RE2: in time that grows with the text, whoever wrote them.
import { RE2JS } from 're2js'

const MAX_PATTERN = 500
/** A longer text is not matched: it would take too long for what it tells. */
const MAX_MATCHED = 1_000
/** The time in milliseconds that one pattern may take over all rows; one that takes more is no longer checked. */
const MAX_TIME = 10_000

/** Says whether a whole text matches; undefined where the pattern is none, is too long, or looks back or around. */
export function patternCheck(source: string): ((text: string) => boolean) | undefined {
  if (source.length > MAX_PATTERN) return undefined
  const pattern = compiled(source)
  if (pattern === undefined) return undefined
  let spent = 0
  return (text) => {
    if (text.length > MAX_MATCHED || spent > MAX_TIME) return true
    const started = performance.now()
    const matches = pattern.testExact(text)
    spent += performance.now() - started
    return matches
  }
}

function compiled(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), RE2JS.DOTALL)
  } catch {
    return undefined
  }
}
