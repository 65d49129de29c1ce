// What every generated client must get from the bundled data; each program passes what its client returned.

export const STATE = 14
export const MUNICIPALITY_CODE = 'JAL-039'
export const SEARCH = 'guadalajara'

function expect(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`the client did not get ${what}`)
}

export type Outcome = {
  /** Names of the municipalities of the state, in descending order, with no field besides name and identifier. */
  readonly list: readonly { readonly descMunicipio: string; readonly idMunicipio: number }[]
  readonly total: string | null | undefined
  readonly record: {
    readonly descMunicipio: string
    readonly idEstado: { readonly idPais: { readonly cvePais: string } }
  }
  readonly suggestions: readonly { readonly collection: string; readonly name: string }[]
  readonly countries: readonly { readonly cvePais: string }[]
  readonly problem: { readonly type: string; readonly status: number } | undefined
}

export function check({ list, total, record, suggestions, countries, problem }: Outcome): void {
  const collator = new Intl.Collator('es')
  const names = list.map(({ descMunicipio }) => descMunicipio)
  expect(names.length === 5, 'five municipalities on a page')
  expect(names.join() === names.toSorted((a, b) => collator.compare(b, a)).join(), 'them in descending order')
  expect(
    list.every((one) => Object.keys(one).toSorted().join() === 'descMunicipio,idMunicipio'),
    'only the fields that were requested',
  )
  expect(Number(total) > list.length, 'the header X-Total')
  expect(record.descMunicipio === 'Guadalajara', 'a record by its official code')
  expect(record.idEstado.idPais.cvePais === 'MEX', 'its embedded records')
  expect(
    suggestions.length > 0 && suggestions.every(({ collection }) => ['municipios', 'localidades'].includes(collection)),
    'suggestions from two collections',
  )
  expect(
    suggestions.some(({ name }) => name === 'Guadalajara'),
    'the suggestion that was searched for',
  )
  expect(countries.length > 200 && countries.some(({ cvePais }) => cvePais === 'MEX'), 'all countries')
  expect(problem?.status === 404 && problem.type.endsWith(':record-not-found'), 'a problem as data')
}
