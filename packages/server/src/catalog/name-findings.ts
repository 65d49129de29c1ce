// Finds what is unusual about a name, which is published as it is.

type NameFinding = { readonly kind: string; readonly description: string }

const STRAY_BLANKS = { kind: 'stray-blanks', description: 'a name begins, ends or is split with stray blanks' }
const NOT_NFC = { kind: 'not-nfc', description: 'a name is not in Unicode normal form C' }
const NONE: readonly NameFinding[] = []

const STRAY = /^\s|\s$|\s\s/
/** Below these, every character is its own normal form. */
const MAY_COMBINE = /[\u0300-\uffff]/

export function nameFindings(name: string): readonly NameFinding[] {
  const isStray = STRAY.test(name)
  const isOther = MAY_COMBINE.test(name) && name.normalize('NFC') !== name
  if (!isStray && !isOther) return NONE
  return [...(isStray ? [STRAY_BLANKS] : []), ...(isOther ? [NOT_NFC] : [])]
}
