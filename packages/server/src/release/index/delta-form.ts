// Offsets and indexes as they travel between machines: a change of one record leaves most of their bytes as they were.
//
// On disk, one text more moves all offsets and ranks after it. In this form
//   numbers           are differences from the number before; those of 64 bits are two of 32
//   <field>.values    are left out, since they follow from the posting lists
//   names, codes      are ranks among the words of the same record, which the posting lists have
//   bytes, and the line of JSON that says what is where, are as they are

import { closeSync, openSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { own } from '../../base/json.ts'
import { mapped } from '../files/mapped-file.ts'
import { aligned, placesIn, type SectionPlaces } from './sections.ts'

const DELTA_FILES = ['offsets', 'index', 'words']
const SUFFIX = '.delta'

/** The name under which a file travels. */
export const travelName = (file: string): string => (DELTA_FILES.includes(file) ? `${file}${SUFFIX}` : file)

/** The file that travels under a name in this form; undefined where the name is that of a file. */
export const deltaFileOf = (name: string): string | undefined => DELTA_FILES.find((file) => name === `${file}${SUFFIX}`)

type Coding =
  | { readonly kind: 'plain' }
  | { readonly kind: 'differences'; readonly stride: number }
  | { readonly kind: 'values'; readonly starts: string; readonly positions: string }
  | { readonly kind: 'ranks'; readonly owners: string; readonly starts: string; readonly positions: string }

type Section = Coding & {
  readonly name: string
  /** The places where it begins on disk, and in this form. */
  readonly offset: number
  readonly at: number
  /** In bytes, on disk. */
  readonly length: number
}

const RANKED: Readonly<Record<string, readonly [owners: string, starts: string, positions: string]>> = {
  names: ['nameStarts', 'starts', 'positions'],
  codes: ['codeStarts', 'codeOwnerStarts', 'codeOwners'],
}

function codingOf(name: string, places: SectionPlaces): Coding {
  if (places[name]?.kind === 'bytes') return { kind: 'plain' }
  const field = name.endsWith('.values') ? name.slice(0, -'values'.length) : undefined
  if (field !== undefined && places[`${field}starts`] !== undefined)
    return { kind: 'values', starts: `${field}starts`, positions: `${field}positions` }
  const [owners, starts, positions] = own(RANKED, name) ?? []
  if (owners !== undefined && starts !== undefined && positions !== undefined)
    return { kind: 'ranks', owners, starts, positions }
  return { kind: 'differences', stride: 1 }
}

/** The sections of a file, from its bytes on disk or in this form, and where they end. */
function sectionsOf(file: string, bytes: Uint8Array): { readonly sections: Section[]; readonly end: Section } {
  const sections: Section[] = []
  let [offset, at] = [0, 0]
  const add = (name: string, coding: Coding, length: number) => {
    sections.push({ ...coding, name, offset, at, length })
    offset += aligned(length)
    if (coding.kind !== 'values') at += aligned(length)
  }
  if (file === 'offsets') add(file, { kind: 'differences', stride: 2 }, bytes.length)
  else {
    const places = placesIn(bytes)
    for (const [name, { length }] of Object.entries(places)) add(name, codingOf(name, places), length)
  }
  const isSound = sections.every(({ length }) => Number.isSafeInteger(length) && length >= 0)
  if (!isSound || at > bytes.length) throw new Error(`${file} does not have the arrays that it names`)
  return { sections, end: { kind: 'plain', name: '', offset, at, length: 0 } }
}

const numbersOf = (bytes: Uint8Array, start: number, length: number): Uint32Array =>
  new Uint32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset + start, length >> 2)

const BYTES = Uint32Array.BYTES_PER_ELEMENT

/** Opens a file on disk, to be read in this form. */
export function deltaForm(path: string) {
  const bytes = mapped(path)
  const { sections, end } = sectionsOf(basename(path), bytes)
  if (end.offset > bytes.length) throw new Error(`${path} has lost its end`)
  const size = end.at + bytes.length - end.offset
  const numbersIn = (name: string): Uint32Array => {
    const section = sections.find((one) => one.name === name)
    return section === undefined ? new Uint32Array() : numbersOf(bytes, section.offset, section.length)
  }
  /** Some bytes of a section, with those up to the next one. */
  const encoded = (section: Section, from: number, to: number): Uint8Array => {
    const { offset, length, kind } = section
    if (kind === 'plain' || kind === 'values' || from >= length) return bytes.subarray(offset + from, offset + to)
    const numbers = numbersOf(bytes, offset, length)
    const [first, last] = [Math.floor(from / BYTES), Math.min(Math.ceil(to / BYTES), numbers.length)]
    const coded = new Uint32Array(Math.ceil(to / BYTES) - first)
    if (section.kind === 'ranks') ranksInto(coded, numbers, numbersIn(section.owners), first, last)
    else if (section.kind === 'differences') differencesInto(coded, numbers, section.stride, first, last)
    return new Uint8Array(coded.buffer, from - first * BYTES, to - from)
  }
  return {
    size,
    /** Fills the target with the bytes from a place on, and returns how many there are. */
    read: (target: Uint8Array, start: number): number => {
      const stop = Math.min(start + target.length, size)
      for (const section of sections) {
        const { at, length, kind } = section
        const [from, to] = [Math.max(start, at), Math.min(stop, at + aligned(length))]
        if (from < to && kind !== 'values') target.set(encoded(section, from - at, to - at), from - start)
      }
      const from = Math.max(start, end.at)
      const shift = end.offset - end.at
      if (from < stop) target.set(bytes.subarray(shift + from, shift + stop), from - start)
      return Math.max(0, stop - start)
    },
  }
}

function differencesInto(coded: Uint32Array, numbers: Uint32Array, stride: number, first: number, last: number): void {
  for (let at = first; at < last; at++)
    coded[at - first] = (numbers[at] as number) - (at < stride ? 0 : (numbers[at - stride] as number))
}

/** The rank of each word among the different words of its record. */
function ranksInto(coded: Uint32Array, words: Uint32Array, owners: Uint32Array, first: number, last: number): void {
  const ascending: number[] = []
  for (let record = recordAt(owners, first); (owners[record] as number) < last; record++) {
    const [start, end] = [owners[record] as number, owners[record + 1] as number]
    ascending.length = 0
    for (let at = start; at < end; at++) {
      const word = words[at] as number
      let place = ascending.length
      while (place > 0 && (ascending[place - 1] as number) >= word) place--
      if (ascending[place] !== word) ascending.splice(place, 0, word)
    }
    for (let at = Math.max(start, first); at < Math.min(end, last); at++)
      coded[at - first] = ascending.indexOf(words[at] as number)
  }
}

/** The record whose words a place is among. */
function recordAt(owners: Uint32Array, place: number): number {
  let [low, high] = [0, owners.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((owners[middle] as number) <= place) low = middle
    else high = middle - 1
  }
  return low
}

/** Writes a file that came in this form as it is on disk, where it must have so many bytes. What comes out has to be compared with its digest. */
export function restore(form: string, path: string, size: number): void {
  const bytes = mapped(form)
  const { sections, end } = sectionsOf(basename(path), bytes)
  if (end.offset + bytes.length - end.at !== size) throw new Error(`${form} is not the form of a file of ${size} bytes`)
  const decoded = (name: string): Uint32Array => {
    const section = sections.find((one) => one.name === name)
    if (section === undefined || section.kind === 'values' || section.kind === 'ranks') return new Uint32Array()
    const stride = section.kind === 'plain' ? 0 : section.stride
    const numbers = numbersOf(bytes, section.at, section.length).slice()
    if (stride > 0)
      for (let at = stride; at < numbers.length; at++)
        numbers[at] = (numbers[at] as number) + (numbers[at - stride] as number)
    return numbers
  }
  const contentOf = (section: Section): Uint8Array => {
    const { kind, at, length, name } = section
    if (kind === 'plain') return bytes.subarray(at, at + length)
    const numbers =
      kind === 'differences'
        ? decoded(name)
        : kind === 'values'
          ? valuesOf(decoded(section.starts), decoded(section.positions), length >> 2)
          : wordsOf(
              numbersOf(bytes, at, length),
              decoded(section.owners),
              decoded(section.starts),
              decoded(section.positions),
            )
    return new Uint8Array(numbers.buffer, 0, numbers.byteLength)
  }
  const descriptor = openSync(path, 'w')
  try {
    for (const section of sections) {
      write(descriptor, contentOf(section), section.offset)
      write(descriptor, new Uint8Array(aligned(section.length) - section.length), section.offset + section.length)
    }
    write(descriptor, bytes.subarray(end.at), end.offset)
  } finally {
    closeSync(descriptor)
  }
}

/** Calls with each entry of posting lists and the value that it belongs to, whatever the numbers are. */
function forEachPosting(starts: Uint32Array, positions: Uint32Array, call: (value: number, position: number) => void) {
  for (let value = 0, at = 0; value < starts.length - 1; value++)
    for (const end = Math.min(starts[value + 1] as number, positions.length); at < end; at++)
      call(value, positions[at] as number)
}

function valuesOf(starts: Uint32Array, positions: Uint32Array, count: number): Uint32Array {
  const values = new Uint32Array(count)
  forEachPosting(starts, positions, (value, position) => {
    values[position] = value
  })
  return values
}

function wordsOf(ranks: Uint32Array, owners: Uint32Array, starts: Uint32Array, positions: Uint32Array): Uint32Array {
  const records = Math.max(owners.length - 1, 0)
  const ends = new Uint32Array(records)
  for (const position of positions) ends[position] = (ends[position] as number) + 1
  for (let record = 0, sum = 0; record < records; record++) {
    const count = ends[record] as number
    ends[record] = sum
    sum += count
  }
  const firsts = ends.slice()
  const ascending = new Uint32Array(positions.length)
  forEachPosting(starts, positions, (word, position) => {
    const place = ends[position] as number
    ascending[place] = word
    ends[position] = place + 1
  })
  const words = new Uint32Array(ranks.length)
  for (let record = 0, at = 0; record < records; record++)
    for (const end = Math.min(owners[record + 1] as number, words.length); at < end; at++)
      words[at] = ascending[(firsts[record] as number) + (ranks[at] as number)] as number
  return words
}

function write(descriptor: number, bytes: Uint8Array, start: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(descriptor, bytes, done, bytes.length - done, start + done)
}
