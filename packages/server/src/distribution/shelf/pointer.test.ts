// When a shelf counts as restored to an older state, and what a home keeps of the state that it follows.
import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import { dateOf, isOlder, readFollowed, saveFollowed } from './pointer.ts'

const followed = { generation: 10, change: 'ten', complete: true, own: [] }

test.each<[string, Parameters<typeof isOlder>, boolean]>([
  ['the state that a home follows', [{ generation: 10, change: 'ten' }, followed], false],
  ['a later state', [{ generation: 11, change: 'eleven' }, followed], false],
  ['a later state under the same name', [{ generation: 11, change: 'ten' }, followed], false],
  ['an earlier state', [{ generation: 9, change: 'nine' }, followed], true],
  ['an earlier state under the same name', [{ generation: 9, change: 'ten' }, followed], true],
  ['another change of the same generation', [{ generation: 10, change: 'other' }, followed], true],
  ['an empty shelf', [{ generation: 0, change: '' }, followed], true],
  ['any state where a home follows none yet', [{ generation: 0, change: '' }, undefined], false],
])('whether the shelf has lost what a home has seen: %s', (_, [pointer, state], older) => {
  expect(isOlder(pointer, state)).toBe(older)
})

test('a generation is shown as the time that it is', () => {
  expect([0, 1, Date.UTC(2026, 4, 3, 2, 1, 59, 999)].map(dateOf)).toEqual([
    'never',
    '1970-01-01 00:00:00',
    '2026-05-03 02:01:59',
  ])
})

describe('the state that a home follows', () => {
  test('is read as it was saved, and not written again where it is the same', () => {
    using home = new TestDirectory()
    expect(readFollowed(home.path)).toBeUndefined()
    const state = { generation: 7, change: 'seven', complete: false, own: ['a', 'b'] }
    saveFollowed(home.path, state)
    expect(readFollowed(home.path)).toEqual(state)
    const { ino } = statSync(join(home.path, 'shelf.json'))
    saveFollowed(home.path, state)
    expect(statSync(join(home.path, 'shelf.json')).ino).toBe(ino)
    for (const changed of [
      { ...state, generation: 8 },
      { ...state, change: 'eight' },
      { ...state, complete: true },
      { ...state, own: [] },
    ]) {
      saveFollowed(home.path, changed)
      expect(readFollowed(home.path)).toEqual(changed)
    }
    expect(readFileSync(join(home.path, 'shelf.json'), 'utf8')).toEndWith('}\n')
  })

  test.each<[string, string, ReturnType<typeof readFollowed>]>([
    ['what is not JSON', '{', undefined],
    ['no generation', '{"change":"x"}', undefined],
    ['a generation that is not whole', '{"generation":1.5}', undefined],
    [
      'nothing else than a generation',
      '{"generation":3}',
      { generation: 3, change: 'undefined', complete: false, own: [] },
    ],
    [
      'members of another kind',
      '{"generation":3,"change":4,"complete":"yes","own":{}}',
      { generation: 3, change: '4', complete: false, own: [] },
    ],
  ])('is not known, or is less, where its file has %s', (_, text, state) => {
    using home = new TestDirectory()
    writeFileSync(join(home.path, 'shelf.json'), text)
    expect(readFollowed(home.path)).toEqual(state)
  })
})
