// An identifier that was given to an official code stays with it, through saving and loading and whatever comes and goes.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { builtIn, entityNames, localidad, municipio, pais } from '../../../../../test/support/built-in.ts'
import type { Values } from '../../catalog/entity.ts'
import { codeOf, IdRegistry, isNumbered } from './id-registry.ts'

const town = (idEstado: number, cveMunicipio: string, idMunicipio?: number): Values => ({
  idEstado,
  cveMunicipio,
  ...(idMunicipio === undefined ? {} : { idMunicipio }),
})
const saved = (registry: IdRegistry) => new IdRegistry(JSON.parse(JSON.stringify(registry.save())))
const give = (registry: IdRegistry, row: Values) => registry.idFor(municipio, row)

describe('the official code', () => {
  test.each([
    ['of one field', pais, { cvePais: 'MEX' }, 'MEX'],
    ['of several fields', municipio, { idEstado: 1, cveMunicipio: '002' }, '1/002'],
  ])('%s is a text', (_, entity, row, code) => expect(codeOf(entity, row)).toBe(code))
})

test('every entity is in the registry but the one whose records live under a parent', () => {
  expect(entityNames.map(builtIn).filter((entity) => !isNumbered(entity))).toEqual([localidad])
  expect(() => give(new IdRegistry(), town(1, '001'))).not.toThrow()
  expect(() => new IdRegistry().idFor(localidad, {})).toThrow('localidad has no identifier of its own')
})

describe('identifiers are given', () => {
  test('from one, and again to the same code', () => {
    const registry = new IdRegistry()
    expect(['001', '002', '001', '003'].map((code) => give(registry, town(1, code)))).toEqual([1, 2, 1, 3])
    expect(give(registry, town(2, '001'))).toBe(4)
    expect(give(saved(registry), town(1, '002'))).toBe(2)
  })

  test('above the highest that was ever claimed, also by a code that is gone', () => {
    const registry = new IdRegistry()
    registry.claim(municipio, town(1, '001', 50))
    registry.claim(municipio, town(1, '002', 7))
    expect(give(registry, town(1, '003'))).toBe(51)
    expect(give(saved(registry), town(1, '004'))).toBe(52)
  })

  test('to each entity for itself', () => {
    const registry = new IdRegistry()
    registry.claim(pais, { cvePais: 'MEX', idPais: 484 })
    expect(give(registry, town(1, '001'))).toBe(1)
  })
})

describe('identifiers that are preferred', () => {
  const preferring = (registry = new IdRegistry()) => {
    registry.prefer(municipio, [town(1, '001', 40), town(1, '002', 30), town(1, '003')])
    return registry
  }

  test('are given to codes that have none, and others come above them', () => {
    const registry = preferring()
    expect(['002', '003', '001', '004'].map((code) => give(registry, town(1, code)))).toEqual([30, 41, 40, 42])
  })

  test('are not given where the code has one, or another code has it', () => {
    const before = new IdRegistry()
    before.claim(municipio, town(1, '001', 7))
    before.claim(municipio, town(1, '009', 30))
    const registry = preferring(saved(before))
    expect(['001', '002'].map((code) => give(registry, town(1, code)))).toEqual([7, 41])
    expect([registry.reassigned, registry.moved]).toEqual([[], []])
  })

  test('bind no source that states its own', () => {
    const registry = preferring()
    registry.claim(municipio, town(1, '009', 40))
    registry.claim(municipio, town(1, '001', 2))
    expect([registry.reassigned, registry.moved]).toEqual([[], []])
  })
})

describe('a registry that was lost', () => {
  test('knows nothing of an entity until it is seeded', () => {
    const registry = new IdRegistry()
    expect(registry.knows(municipio)).toBe(false)
    registry.seed(municipio, [town(1, '001', 7), town(1, '002', 3)])
    expect([registry.knows(municipio), registry.knows(pais)]).toEqual([true, false])
    expect(saved(registry).knows(municipio)).toBe(true)
  })

  test('keeps what is published once it is seeded', () => {
    const registry = new IdRegistry()
    registry.seed(municipio, [town(1, '001', 7), town(1, '002', 3)])
    expect([give(registry, town(1, '002')), give(registry, town(1, '003'))]).toEqual([3, 8])
    registry.claim(municipio, town(1, '009', 7))
    registry.claim(municipio, town(1, '002', 30))
    expect(registry.reassigned).toEqual(['municipio 7: 1/001 had it, 1/009 would'])
    expect(registry.moved).toEqual(['municipio 1/002: had 3, would have 30'])
  })
})

describe('an identifier that belonged to another code', () => {
  const before = new IdRegistry()
  before.claim(municipio, town(1, '001', 1))
  before.claim(municipio, town(1, '002', 2))

  test('is reported, with both codes', () => {
    const registry = saved(before)
    registry.claim(municipio, town(1, '001', 1))
    registry.claim(municipio, town(1, '009', 2))
    expect(registry.reassigned).toEqual(['municipio 2: 1/002 had it, 1/009 would'])
  })

  test('is reported once: when it was accepted, it has a new owner', () => {
    const registry = saved(before)
    registry.claim(municipio, town(1, '009', 2))
    const later = saved(registry)
    later.claim(municipio, town(1, '009', 2))
    expect(later.reassigned).toEqual([])
  })

  test('is not given to the first again, which gets a new one', () => {
    const registry = saved(before)
    registry.claim(municipio, town(1, '009', 2))
    expect([give(registry, town(1, '009')), give(registry, town(1, '002'))]).toEqual([2, 3])
    const later = saved(registry)
    expect([give(later, town(1, '009')), give(later, town(1, '002'))]).toEqual([2, 3])
  })
})

describe('a code that has had several identifiers', () => {
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

describe('a code that is given a new identifier', () => {
  const before = new IdRegistry()
  before.claim(municipio, town(1, '001', 1))

  test('is reported', () => {
    const registry = saved(before)
    registry.claim(municipio, town(1, '001', 2))
    expect(registry.moved).toEqual(['municipio 1/001: had 1, would have 2'])
    expect(registry.reassigned).toEqual([])
  })

  test('is reported once: when it was accepted, it may have both', () => {
    const registry = saved(before)
    registry.claim(municipio, town(1, '001', 2))
    const later = saved(registry)
    for (const id of [1, 2]) later.claim(municipio, town(1, '001', id))
    expect(later.moved).toEqual([])
  })

  test('by the same source that gave it the first is none', () => {
    const registry = new IdRegistry()
    for (const id of [1, 2]) registry.claim(municipio, town(1, '001', id))
    expect(registry.moved).toEqual([])
  })
})

test('no identifier ever has two codes, and no code loses its identifier, in any order of giving, saving and loading', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('give' as const), code: fc.nat(12) }),
    fc.record({ kind: fc.constant('load' as const), code: fc.constant(0) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let registry = new IdRegistry()
      const given = new Map<string, number>()
      for (const { kind, code } of steps) {
        if (kind === 'load') {
          registry = saved(registry)
          continue
        }
        const cveMunicipio = String(code)
        const id = give(registry, town(1, cveMunicipio))
        registry.claim(municipio, town(1, cveMunicipio, id))
        expect(id).toBe(given.get(cveMunicipio) ?? given.size + 1)
        given.set(cveMunicipio, id)
      }
      expect([...registry.reassigned, ...registry.moved]).toEqual([])
    }),
  )
})
