// A program over the fetch client of orval.
import { allPaises, getMunicipio, getPais, listMunicipiosOfEstado, search } from 'generated/orval.ts'
import { check, MUNICIPALITY_CODE, SEARCH, STATE } from './expectations.ts'

const list = await listMunicipiosOfEstado(STATE, {
  per_page: 5,
  sort: ['-descMunicipio'],
  fields: ['descMunicipio', 'idMunicipio'],
})
const record = await getMunicipio(MUNICIPALITY_CODE, { by: 'code' })
const suggestions = await search({ q: SEARCH, in: ['municipios', 'localidades'] })
const countries = await allPaises()
const missing = await getPais(0)

if (list.status !== 200 || record.status !== 200 || suggestions.status !== 200 || countries.status !== 200)
  throw new Error('a request failed')
check({
  list: list.data,
  total: list.headers.get('X-Total'),
  record: record.data,
  suggestions: suggestions.data,
  countries: countries.data,
  problem: missing.status === 404 ? missing.data : undefined,
})
