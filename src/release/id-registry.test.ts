// A number that was given to an official code stays with it, through saving and loading and whatever comes and goes.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { entities, localidad, municipio, pais } from '../catalog/entities.ts'
import type { Values } from '../catalog/entity.ts'
import { codeOf, IdRegistry, isNumbered } from './id-registry.ts'

const town = (idEstado: number, cveMunicipio: string, idMunicipio?: number): Values => ({
  idEstado,
  cveMunicipio,
  ...(idMunicipio === undefined ? {} : { idMunicipio }),
})
const saved = (numbers: IdRegistry) => new IdRegistry(JSON.parse(JSON.stringify(numbers.save())))
const give = (numbers: IdRegistry, row: Values) => numbers.numberFor(municipio, row)

describe('the official code', () => {
  test.each([
    ['of one field', pais, { cvePais: 'MEX' }, 'MEX'],
    ['of several fields', municipio, { idEstado: 1, cveMunicipio: '002' }, '1/002'],
  ])('%s is a text', (_, entity, row, code) => expect(codeOf(entity, row)).toBe(code))
})

test('every entity is numbered but the one whose records live under a parent', () => {
  expect(Object.values(entities).filter((entity) => !isNumbered(entity))).toEqual([localidad])
  expect(() => give(new IdRegistry(), town(1, '001'))).not.toThrow()
  expect(() => new IdRegistry().numberFor(localidad, {})).toThrow('localidad is not numbered')
})

describe('numbers are given', () => {
  test('from one, and again to the same code', () => {
    const numbers = new IdRegistry()
    expect(['001', '002', '001', '003'].map((code) => give(numbers, town(1, code)))).toEqual([1, 2, 1, 3])
    expect(give(numbers, town(2, '001'))).toBe(4)
    expect(give(saved(numbers), town(1, '002'))).toBe(2)
  })

  test('above the highest that was ever claimed, also by a code that is gone', () => {
    const numbers = new IdRegistry()
    numbers.claim(municipio, town(1, '001', 50))
    numbers.claim(municipio, town(1, '002', 7))
    expect(give(numbers, town(1, '003'))).toBe(51)
    expect(give(saved(numbers), town(1, '004'))).toBe(52)
  })

  test('to each entity for itself', () => {
    const numbers = new IdRegistry()
    numbers.claim(pais, { cvePais: 'MEX', idPais: 484 })
    expect(give(numbers, town(1, '001'))).toBe(1)
  })
})

describe('a number that belonged to another code', () => {
  const before = new IdRegistry()
  before.claim(municipio, town(1, '001', 1))
  before.claim(municipio, town(1, '002', 2))

  test('is told of, with both codes', () => {
    const numbers = saved(before)
    numbers.claim(municipio, town(1, '001', 1))
    numbers.claim(municipio, town(1, '009', 2))
    expect(numbers.reassigned).toEqual(['municipio 2: 1/002 had it, 1/009 would'])
  })

  test('is told of once: when it was accepted, it has a new owner', () => {
    const numbers = saved(before)
    numbers.claim(municipio, town(1, '009', 2))
    const later = saved(numbers)
    later.claim(municipio, town(1, '009', 2))
    expect(later.reassigned).toEqual([])
  })

  test('is not given to the first again, which gets a new one', () => {
    const numbers = saved(before)
    numbers.claim(municipio, town(1, '009', 2))
    expect([give(numbers, town(1, '009')), give(numbers, town(1, '002'))]).toEqual([2, 3])
    const later = saved(numbers)
    expect([give(later, town(1, '009')), give(later, town(1, '002'))]).toEqual([2, 3])
  })
})

describe('a code that has had several numbers', () => {
  const moved = new IdRegistry()
  for (const id of [5, 9, 5]) moved.claim(municipio, town(1, '001', id))

  test('has the last of them', () => {
    expect(give(moved, town(1, '001'))).toBe(5)
    expect(give(saved(moved), town(1, '001'))).toBe(5)
  })

  test.each([5, 9])('still owns %i', (id) => {
    const later = saved(moved)
    later.claim(municipio, town(1, '002', id))
    expect(later.reassigned).toEqual([`municipio ${id}: 1/001 had it, 1/002 would`])
  })
})

describe('a code that is given a new number', () => {
  const before = new IdRegistry()
  before.claim(municipio, town(1, '001', 1))

  test('is told of', () => {
    const numbers = saved(before)
    numbers.claim(municipio, town(1, '001', 2))
    expect(numbers.moved).toEqual(['municipio 1/001: had 1, would have 2'])
    expect(numbers.reassigned).toEqual([])
  })

  test('is told of once: when it was accepted, it may have both', () => {
    const numbers = saved(before)
    numbers.claim(municipio, town(1, '001', 2))
    const later = saved(numbers)
    for (const id of [1, 2]) later.claim(municipio, town(1, '001', id))
    expect(later.moved).toEqual([])
  })

  test('by the same source that gave it the first is none', () => {
    const numbers = new IdRegistry()
    for (const id of [1, 2]) numbers.claim(municipio, town(1, '001', id))
    expect(numbers.moved).toEqual([])
  })
})

test('no number ever has two codes, and no code loses its number, in any order of asking, saving and loading', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('give' as const), code: fc.nat(12) }),
    fc.record({ kind: fc.constant('load' as const), code: fc.constant(0) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let numbers = new IdRegistry()
      const given = new Map<string, number>()
      for (const { kind, code } of steps) {
        if (kind === 'load') {
          numbers = saved(numbers)
          continue
        }
        const cveMunicipio = String(code)
        const id = give(numbers, town(1, cveMunicipio))
        numbers.claim(municipio, town(1, cveMunicipio, id))
        expect(id).toBe(given.get(cveMunicipio) ?? given.size + 1)
        given.set(cveMunicipio, id)
      }
      expect([...numbers.reassigned, ...numbers.moved]).toEqual([])
    }),
  )
})
