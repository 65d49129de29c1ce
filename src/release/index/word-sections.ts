// The words of names and codes: which records have them, and in which order.
import { letterMask } from './letters.ts'
import { streamNumbers } from './number-stream.ts'
import { orderTexts, ranksOf } from './ordered-texts.ts'
import type { SectionWriter } from './sections.ts'
import { writeTexts } from './text-sections.ts'
import type { TextTable } from './text-table.ts'

/** The words of each text of a field, one after the other, where those of each begin, and the text at each position. */
export type Texts = { readonly numbers: Uint32Array; readonly words: Uint32Array; readonly starts: Uint32Array }

export function writeWords(
  file: SectionWriter,
  table: TextTable,
  names: readonly Texts[],
  codes: readonly Texts[],
  count: number,
): void {
  const { order } = orderTexts(table, table.flat)
  writeTexts(file, 'words.words', 'words.offsets', table, order)
  file.add(
    'words.masks',
    Uint32Array.from(order, (word) => letterMask(table.text(word))),
  )
  const ranks = ranksOf(order)
  for (const { words } of [...names, ...codes]) {
    for (let at = 0; at < words.length; at++) words[at] = ranks[words[at] as number] as number
  }
  writeRecords(file, 'words.names', 'words.nameStarts', names, count)
  writePostings(file, 'words.starts', 'words.positions', names, count, table.size)
  writeRecords(file, 'words.codes', 'words.codeStarts', codes, count)
  writePostings(file, 'words.codeOwnerStarts', 'words.codeOwners', codes, count, table.size)
}

/** The words of each record: those of its text in the first field, then of that in the next. */
function writeRecords(
  file: SectionWriter,
  words: string,
  starts: string,
  fields: readonly Texts[],
  count: number,
): void {
  file.addPieces(words, 'numbers', (put) =>
    streamNumbers(put, (take) => {
      for (let position = 0; position < count; position++) {
        for (const list of fields) {
          const number = list.numbers[position] as number
          const end = list.starts[number + 1] as number
          for (let at = list.starts[number] as number; at < end; at++) take(list.words[at] as number)
        }
      }
    }),
  )
  file.addPieces(starts, 'numbers', (put) =>
    streamNumbers(put, (take) => {
      let start = 0
      take(start)
      for (let position = 0; position < count; position++) {
        for (const list of fields) {
          const number = list.numbers[position] as number
          start += (list.starts[number + 1] as number) - (list.starts[number] as number)
        }
        take(start)
      }
    }),
  )
}

/** For each word the records that have it; a record that has it twice stands once in its list. */
function writePostings(
  file: SectionWriter,
  startsName: string,
  positionsName: string,
  fields: readonly Texts[],
  count: number,
  words: number,
): void {
  const starts = new Uint32Array(words + 1)
  forEachWord(fields, count, words, (word) => {
    starts[word + 1] = (starts[word + 1] as number) + 1
  })
  for (let word = 0; word < words; word++) starts[word + 1] = (starts[word + 1] as number) + (starts[word] as number)
  file.add(startsName, starts)
  const next = starts.slice(0, words)
  const positions = new Uint32Array(starts[words] as number)
  forEachWord(fields, count, words, (word, position) => {
    const place = next[word] as number
    positions[place] = position
    next[word] = place + 1
  })
  file.add(positionsName, positions)
}

function forEachWord(
  fields: readonly Texts[],
  count: number,
  words: number,
  call: (word: number, position: number) => void,
): void {
  /** The last record that had each word, counted from one. */
  const last = new Uint32Array(words)
  for (let position = 0; position < count; position++) {
    for (const list of fields) {
      const number = list.numbers[position] as number
      const end = list.starts[number + 1] as number
      for (let at = list.starts[number] as number; at < end; at++) {
        const word = list.words[at] as number
        if (last[word] === position + 1) continue
        last[word] = position + 1
        call(word, position)
      }
    }
  }
}
