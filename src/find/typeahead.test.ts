// What is suggested first, over all entities of a small release.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { releaseOf } from '../../test/support/releases.ts'
import { entityNames } from '../catalog/entities.ts'
import { wordsOf } from '../catalog/words.ts'
import type { Release } from '../release/release.ts'
import { bundledSource } from '../source/bundled.ts'
import { suggest } from './typeahead.ts'

setDefaultTimeout(60_000)

let release: Release
beforeAll(async () => {
  release = await releaseOf(bundledSource())
})

const all = entityNames.map((name) => [name, []] as const)

/** What is suggested, as entity and name. */
function suggested(typed: string, limit = 3, scope: Parameters<typeof suggest>[2] = all): [string, string][] {
  return suggest(release, wordsOf(typed), scope, limit).map(({ name, position }) => {
    const record = JSON.parse(new TextDecoder().decode(release.entity(name).records.record(position)))
    return [name, record[Object.keys(record).find((field) => field.startsWith('desc')) as string]]
  })
}

describe('order', () => {
  test('of equal ones, what has less above it comes first', () =>
    expect(suggested('Puebla', 2)).toEqual([
      ['estado', 'Puebla'],
      ['municipio', 'Puebla'],
    ]))
  test('a field of knowledge goes before a municipality that begins alike', () =>
    expect(suggested('quim', 2)).toEqual([
      ['campo', 'Química'],
      ['municipio', 'Quimixtlán'],
    ]))
  test('a name with its state goes before a name that only begins so', () =>
    expect(suggested('Tuxpan Nayarit', 1)).toEqual([['municipio', 'Tuxpan']]))
  test('a typing error in the name goes before one in what is above it', () =>
    expect(suggested('San Luis Potossi', 1)).toEqual([['estado', 'San Luis Potosí']]))
})

test('only so many are suggested, and only within what is asked for', () => {
  expect(suggested('san', 7)).toHaveLength(7)
  const scope = [['localidad', [{ steps: ['idEstado', 'cveEstado'], match: 'equals', values: ['CDMX'] }]]] as const
  expect(suggested('Coyoacan', 5, scope)[0]).toEqual(['localidad', 'Coyoacán'])
})

test('what is found as it was typed is not mixed with what is only alike', () => {
  const names = suggested('tula', 50).map(([, name]) => name)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !wordsOf(name).some((word) => word.startsWith('tula')))).toEqual([])
})
