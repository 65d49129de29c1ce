/** Owns the cases of applying a correction, and of refusing one that is not needed. */
import { describe, expect, test } from 'bun:test'
import { add, change, type Keyed, leaveOut, leaveOutKinds } from './correct.ts'
import type { Correction } from './corrections.ts'

interface Row {
  readonly code: string
  readonly name: string
}

const keyed: Keyed<Row> = { table: 'places', codeOf: ({ code }) => code }
const rows: readonly Row[] = [
  { code: '1', name: 'Oaxaca' },
  { code: '2', name: 'Ninguno' },
]
const nameOf = ({ name }: Row): string => name
const correct = (code: string, value: string): Correction => ({ code, value, reason: 'as a test needs it' })

const renamed = (...corrections: readonly Correction[]) =>
  change(keyed, rows, corrections, nameOf, (row, name) => ({ ...row, name }))
const added = (...corrections: readonly Correction[]) =>
  add(keyed, rows, corrections, ({ code, value }) => ({ code, name: value }))
const without = (...corrections: readonly Correction[]) => leaveOut(keyed, rows, corrections, nameOf)
const withoutKinds = (...corrections: readonly Correction[]) => leaveOutKinds('places', rows, corrections, nameOf)

test('a correction changes its row and no other', () => {
  expect(renamed(correct('1', 'Oaxaca de Juárez'))).toEqual([{ code: '1', name: 'Oaxaca de Juárez' }, ...rows.slice(1)])
  expect(added(correct('3', 'Eldorado'))).toEqual([...rows, { code: '3', name: 'Eldorado' }])
  expect(without(correct('2', 'Ninguno'))).toEqual(rows.slice(0, 1))
  expect(withoutKinds(correct('Ninguno', 'without a name'))).toEqual(rows.slice(0, 1))
})

describe('a correction is refused', () => {
  test.each([
    [
      'whose row has the value already',
      () => renamed(correct('1', 'Oaxaca')),
      'places 1 is not needed: it is Oaxaca already',
    ],
    ['whose row is not there', () => renamed(correct('3', 'Toluca')), 'places 3 (Toluca): there is no such row'],
    ['that is given twice', () => renamed(correct('1', 'A'), correct('1', 'B')), 'places 1 is given twice'],
    [
      'that adds a row that is there',
      () => added(correct('2', 'B')),
      'places 2 is not needed: the row is there already',
    ],
    ['that leaves out a row that is not there', () => without(correct('3', 'B')), 'places 3 (B): there is no such row'],
    ['that leaves out a row of another name', () => without(correct('1', 'B')), 'places 1: it is Oaxaca, not B'],
    [
      'that leaves out a kind of which there is none',
      () => withoutKinds(correct('B', '')),
      'there is no row of this kind',
    ],
  ])('%s', (_, apply, message) => expect(apply).toThrow(message))

  test('with its reason', () => expect(() => renamed(correct('1', 'Oaxaca'))).toThrow('as a test needs it'))
})
