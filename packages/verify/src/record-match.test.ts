// Records of two servers: matches, differences, another order, and the limit at which a comparison gives up.
import { describe, expect, test } from 'bun:test'
import { type ContractEntity, collections } from './contract.ts'
import { MAX_WAITING, RecordMatch } from './record-match.ts'

const pais = collections.find(({ name }) => name === 'paises')?.entity as ContractEntity
const country = (idPais: number, descPais = 'x') => ({ idPais, cvePais: 'ABC', descPais })
const countries = (...ids: number[]) => ids.map((id) => country(id))

function matched() {
  const fields: string[] = []
  const match = new RecordMatch(pais, ({ key, page, field, values }) =>
    fields.push(`${key} on page ${page}: ${field} ${values.join('/')}`),
  )
  return { match, fields }
}

describe('records', () => {
  test('match by key, on whatever page they come', () => {
    const { match, fields } = matched()
    match.add(1, countries(1, 2), countries(2, 3))
    match.add(2, countries(3), [])
    expect([match.matches.length, match.unmatched(1), fields]).toEqual([2, [], []])
    expect(match.unmatched(0)).toEqual([{ key: '1', page: 1, position: 1, record: country(1) }])
  })

  test('have positions that count from 1 over all pages', () => {
    const { match } = matched()
    match.add(3, countries(7, 8), [])
    expect(match.unmatched(0).map(({ position }) => position)).toEqual([21, 22])
  })

  test('differ by field, with the page of the first server', () => {
    const { match, fields } = matched()
    match.add(1, [], [country(1, 'right')])
    match.add(2, [country(1, 'left')], [])
    expect(fields).toEqual(['1 on page 2: descPais left/right'])
  })

  test('are misplaced where they come after one that they precede', () => {
    const { match } = matched()
    match.add(1, countries(1, 2, 3), countries(3, 1, 2))
    // The first server has 1, 2, 3. On the second, 3 comes first, so it is what all others come after.
    expect(match.misplaced()).toEqual([{ key: '3', left: 3, right: 1 }])
  })

  test('beside a sample only match what waits', () => {
    const { match } = matched()
    match.add(1, countries(1), countries(2))
    match.addBeside(2, countries(2, 5), countries(6))
    expect([match.matches.length, match.unmatched(0).length + match.unmatched(1).length]).toEqual([1, 1])
  })

  test('without key are identified by all their fields', () => {
    const { match } = matched()
    match.add(1, [7, 'a'], ['a', 8])
    expect([match.matches.length, match.unmatched(0).length + match.unmatched(1).length]).toEqual([1, 2])
  })

  test('are hopeless if too many have no counterpart', () => {
    const { match } = matched()
    match.add(
      1,
      Array.from({ length: MAX_WAITING }, (_, at) => country(at)),
      [],
    )
    expect(match.isHopeless).toBeFalse()
    match.add(2, countries(MAX_WAITING), [])
    expect(match.isHopeless).toBeTrue()
    match.add(3, [], countries(0))
    expect(match.isHopeless).toBeFalse()
  })
})
