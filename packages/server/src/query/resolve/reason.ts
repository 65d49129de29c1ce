// Why a row has its verdict, in a few words for people.
import type { RowHow } from './record-match.ts'
import type { Decision } from './verdict.ts'

const WAYS: Readonly<Record<RowHow, string>> = {
  exact: 'called so',
  code: 'by its code',
  alias: 'also called so',
  abbreviation: 'abbreviated',
  prefix: 'cut off',
  'by-ear': 'sounds alike',
  typo: 'misspelt',
  glued: 'spaces left out',
  'dropped-words': 'words left out',
  'former-code': 'by a former code',
  seat: 'the seat, by its short name or that of its parent',
  town: 'by the name of a town in it',
  swapped: 'parts in each other’s place',
  elsewhere: 'in another place than is written',
  repaired: 'damaged text repaired',
  'ignored-part': 'without a part that says nothing more',
  'other-postal-code': 'the postal code is that of another state',
  point: 'at the point that is given',
}

export function reasonOf({ verdict, record, isDoubtful }: Decision): string {
  if (record === undefined) return 'nothing fits'
  const ways = record.how.map((how) => WAYS[how]).join('; ')
  if (verdict === 'ambiguous') return `several records fit: ${ways}`
  if (verdict === 'likely')
    return `${isDoubtful ? 'another one may be meant' : 'too much would have to be assumed'}: ${ways}`
  return ways
}
