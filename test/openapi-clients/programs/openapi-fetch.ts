// A program over the types of openapi-typescript, with openapi-fetch.

import document from 'generated/openapi.json' with { type: 'json' }
import type { paths } from 'generated/openapi-typescript.ts'
import createClient from 'openapi-fetch'
import { check, MUNICIPALITY_CODE, SEARCH, STATE } from './expectations.ts'

const client = createClient<paths>({
  baseUrl: document.servers[0]?.url ?? '',
  // The types know nothing of how arrays are written.
  querySerializer: { array: { style: 'form', explode: false } },
})

const list = await client.GET('/api/v2/estados/{idEstado}/municipios', {
  params: {
    path: { idEstado: STATE },
    query: { per_page: 5, sort: ['-descMunicipio'], fields: ['descMunicipio', 'idMunicipio'] },
  },
})
const record = await client.GET('/api/v2/municipios/{idMunicipio}', {
  params: { path: { idMunicipio: MUNICIPALITY_CODE }, query: { by: 'code' } },
})
const suggestions = await client.GET('/api/v2/search', {
  params: { query: { q: SEARCH, in: ['municipios', 'localidades'] } },
})
const countries = await client.GET('/api/v2/paises/all')
const missing = await client.GET('/api/v2/paises/{idPais}', { params: { path: { idPais: 0 } } })

if (!list.data || !record.data || !suggestions.data || !countries.data) throw new Error('a request failed')
check({
  list: list.data,
  total: list.response.headers.get('X-Total'),
  record: record.data,
  suggestions: suggestions.data,
  countries: countries.data,
  problem: missing.error,
})
