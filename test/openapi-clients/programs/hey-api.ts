// A program over the client of @hey-api/openapi-ts.
import { allPaises, getMunicipio, getPais, listMunicipiosOfEstado, search } from 'generated/hey-api/index.ts'
import { check, MUNICIPALITY_CODE, SEARCH, STATE } from './expectations.ts'

const list = await listMunicipiosOfEstado({
  path: { idEstado: STATE },
  query: { per_page: 5, sort: ['-descMunicipio'], fields: ['descMunicipio', 'idMunicipio'] },
})
const record = await getMunicipio({ path: { idMunicipio: MUNICIPALITY_CODE }, query: { by: 'code' } })
const suggestions = await search({ query: { q: SEARCH, in: ['municipios', 'localidades'] } })
const countries = await allPaises()
const missing = await getPais({ path: { idPais: 0 } })

if (!list.data || !record.data || !suggestions.data || !countries.data) throw new Error('a request failed')
check({
  list: list.data,
  total: list.response?.headers.get('X-Total'),
  record: record.data,
  suggestions: suggestions.data,
  countries: countries.data,
  problem: missing.error,
})
