// The words of made-up names and codes, indexed as those of a release are.
import type { Words } from '../../src/release/index/index-file.ts'
import { SortedTexts } from '../../src/release/index/sorted-texts.ts'
import { WordBuild } from '../../src/release/index/word-build.ts'

/** One record for each name, in this order; the codes are those of the names at the same places. */
export function namedWords(names: readonly string[], codes: readonly string[] = []): Words {
  const build = new WordBuild()
  for (const [at, name] of names.entries()) build.add(1, [[name]], codes[at] === undefined ? [] : [[codes[at]]])
  const sections = build.sections()
  const numbers = (name: string) => sections[name] as Uint32Array
  return {
    words: new SortedTexts(Buffer.from(sections.words as Uint8Array), numbers('offsets'), (word) => word),
    masks: numbers('masks'),
    names: numbers('names'),
    nameStarts: numbers('nameStarts'),
    codes: numbers('codes'),
    codeStarts: numbers('codeStarts'),
    inNames: { starts: numbers('starts'), positions: numbers('positions') },
    inCodes: { starts: numbers('codeOwnerStarts'), positions: numbers('codeOwners') },
  }
}
