// Finds the fields of an entity by which some of its records are more important than others, if it has any.
import { memoized } from '../base/memoized.ts'
import type { Entity } from './entity.ts'

type ImportanceFields = {
  /** The field with the number of inhabitants. */
  readonly population: string | undefined
  /** The code of the record below that is its seat. */
  readonly seat: string | undefined
  /** The field with the kind of area, and its value for urban ones. */
  readonly area: string | undefined
  readonly urban: string
  /** The code of a record that is the seat of its parent, where no fact of the parent says which is. */
  readonly seatCode: RegExp
}

/** The names of such facts in what was defined before values had roles; the code is that of a seat in the files of INEGI. */
const BUILT_IN = { population: 'poblacion', seat: 'cabecera', area: 'ambito', urban: 'U', seatCode: /^0*1$/ }

export const importanceFieldsOf = memoized(({ fields }: Entity): ImportanceFields => {
  const ifFact = (name: string) => (fields[name]?.kind === 'fact' ? name : undefined)
  const { population, seat, area } = BUILT_IN
  return { ...BUILT_IN, population: ifFact(population), seat: ifFact(seat), area: ifFact(area) }
})
