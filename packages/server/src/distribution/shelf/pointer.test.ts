// How states of a shelf are compared, which of them is followed, and what a home keeps of the state that it follows.
import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestDirectory } from '../../../../../test/support/releases.ts'
import {
  compareStates,
  declaredPointer,
  nextPointer,
  type Pointer,
  partOf,
  readFollowed,
  relationOf,
  saveFollowed,
} from './pointer.ts'

const EMPTY: Pointer = { generation: 0, change: '', chain: [] }
/** The states that changes of these names lead to, one after the other. */
const states = (base: Pointer, ...names: readonly string[]): Pointer[] =>
  names.map((name) => {
    base = nextPointer(base, name)
    return base
  })
const [one, two, three] = states(EMPTY, 'one', 'two', 'three') as [Pointer, Pointer, Pointer]
const [, twoThere, threeThere] = states(EMPTY, 'one', 'two!', 'three!') as [Pointer, Pointer, Pointer]
/** A state without a chain, as a home has it that follows no shelf. */
const plain = (generation: number, change: string): Pointer => ({ generation, change, chain: [] })

test('a change counts up by one, and names those before it', () => {
  expect(three).toEqual({ generation: 3, change: 'three', chain: ['two', 'one'] })
  const long = states(EMPTY, ...Array.from({ length: 150 }, (_, at) => `change ${at}`)).at(-1)
  expect([long?.generation, long?.chain.length, long?.chain[0]]).toEqual([150, 100, 'change 148'])
})

test.each<[string, Pointer, Pointer, ReturnType<typeof relationOf>]>([
  ['itself', two, two, 'same'],
  ['what it led to', one, three, 'before'],
  ['what led to it', three, one, 'after'],
  ['an empty shelf', one, EMPTY, 'after'],
  ['another change of the same generation', two, twoThere, 'fork'],
  ['a longer chain that parted from it', two, threeThere, 'fork'],
  ['a shorter chain that parted from it', three, twoThere, 'fork'],
  ['a chain that does not reach back to it', plain(9, 'nine'), two, 'after'],
  ['an earlier time, without chains', plain(8, 'eight'), plain(9, 'nine'), 'before'],
  ['the same time under another name, without chains', plain(9, 'other'), plain(9, 'nine'), 'fork'],
  ['what was declared right after it', three, declaredPointer(two, 3, 5), 'before'],
  ['a declared state although later ones were followed', declaredPointer(one, 3, 2), three, 'after'],
  ['the rest of what it is a part of', { ...two, change: partOf('two') }, two, 'before'],
  ['a part of it', two, { ...two, change: partOf('two') }, 'after'],
  ['a part of what led to it', three, { ...two, change: partOf('two') }, 'after'],
])('how a state is to another: %s', (_, state, other, relation) => {
  expect(relationOf(state, other)).toBe(relation)
})

const at = (host: string, pointer: Pointer & { readonly listing?: string }) => ({ ...pointer, host })

test.each<[string, Parameters<typeof compareStates>, string[], string | undefined]>([
  ['the longest chain', [[at('a', one), at('b', three), at('c', two)], one], ['b', 'c', 'a'], undefined],
  ['each state once', [[at('a', two), at('b', two)], one], ['a'], undefined],
  [
    'each claim under the name of one change',
    [[at('a', { ...two, generation: 9 }), at('b', { ...two, listing: 'x' }), at('c', two)], one],
    ['a', 'b', 'c'],
    undefined,
  ],
  ['nothing that is over', [[at('a', one), at('b', two)], two], ['b'], undefined],
  ['nothing, if all hosts have lost the followed state', [[at('a', one), at('b', EMPTY)], two], [], 'older'],
  ['the side that a home is on, though the other is longer', [[at('a', two), at('b', threeThere)], two], ['a'], 'fork'],
  ['the longer side, if it has followed neither', [[at('a', two), at('b', threeThere)], one], ['b', 'a'], 'fork'],
  ['the same side on all machines', [[at('a', twoThere), at('b', two)], one], ['b', 'a'], 'fork'],
  ['the longer side, in an empty home', [[at('a', two), at('b', threeThere)], undefined], ['b', 'a'], 'fork'],
  ['nothing, where only the other side is there', [[at('b', threeThere)], two], [], 'fork'],
  ['what was declared right', [[at('a', two), at('b', declaredPointer(twoThere, 0))], two], ['b', 'a'], undefined],
  [
    'nothing, where a relay has a part of what is there',
    [[at('a', { ...two, change: partOf('two') })], two],
    [],
    undefined,
  ],
  ['any state, if none was followed', [[at('a', EMPTY)], undefined], ['a'], undefined],
  ['no time that is yet to come', [[at('a', plain(4e12, 'x')), at('b', two)], one], ['b'], 'refused'],
  ['no time that is yet to come, in an empty home', [[at('a', plain(4e12, 'x'))], undefined], [], 'refused'],
  [
    'any state, if the followed one has a time that is yet to come',
    [[at('a', one)], plain(4e12, 'x')],
    ['a'],
    undefined,
  ],
  [
    'what goes on from the last state that was complete, too',
    [[at('a', two)], { ...plain(9, 'part'), complete: false, whole: one }],
    ['a'],
    undefined,
  ],
  ['nothing before that', [[at('a', one)], { ...plain(9, 'part'), complete: false, whole: two }], [], 'older'],
  ['any state, if none was complete', [[at('a', one)], { ...plain(9, 'part'), complete: false }], ['a'], undefined],
])('what is followed of several hosts: %s', (_, given, hosts, kind) => {
  const { states, trouble } = compareStates(...given)
  expect([states.map(({ host }) => host), trouble?.kind]).toEqual([hosts, kind as never])
})

test('a state that is declared right is no time that is yet to come because another was', () => {
  expect([declaredPointer(plain(4e12, 'x'), 7, 100).generation, declaredPointer(two, 4e12, 100).generation]).toEqual([
    100, 100,
  ])
})

test('a fork is reported with both sides and what to do', () => {
  expect(compareStates([at('a', two), at('b', threeThere)], one).trouble?.message).toMatch(
    /^THE SHELF HAS FORKED: a has generation 2 \(two\), .* generation 3 \(three!\) of b\. .*shelf accept/,
  )
})

describe('the state that a home follows', () => {
  test('is read as it was saved, and not written again where it is the same', () => {
    using home = new TestDirectory()
    expect(readFollowed(home.path)).toBeUndefined()
    const state = {
      generation: 7,
      change: 'seven',
      chain: ['six'],
      complete: false,
      own: ['a'.repeat(64), 'b'.repeat(64)],
    }
    saveFollowed(home.path, state)
    expect(readFollowed(home.path)).toEqual(state)
    const { ino } = statSync(join(home.path, 'shelf.json'))
    saveFollowed(home.path, state)
    expect(statSync(join(home.path, 'shelf.json')).ino).toBe(ino)
    for (const changed of [
      { ...state, generation: 8 },
      { ...state, change: 'eight' },
      { ...state, chain: [] },
      { ...state, complete: true },
      { ...state, own: [] },
      { ...state, whole: { generation: 6, change: 'six', chain: [] } },
    ]) {
      saveFollowed(home.path, changed)
      expect(readFollowed(home.path)).toEqual(changed)
    }
    expect(readFileSync(join(home.path, 'shelf.json'), 'utf8')).toEndWith('}\n')
  })

  test.each<[string, string]>([
    ['what is not JSON', '{'],
    ['no generation', '{"change":"x","chain":[],"own":[]}'],
    ['a generation that is not whole', '{"generation":1.5,"change":"x","chain":[],"own":[]}'],
    ['nothing else than a generation', '{"generation":3}'],
    ['members of another kind', '{"generation":3,"change":"x","chain":[],"own":{}}'],
  ])('is not read from a file with %s', (_, text) => {
    using home = new TestDirectory()
    writeFileSync(join(home.path, 'shelf.json'), text)
    expect(readFollowed(home.path)).toBeUndefined()
  })
})
