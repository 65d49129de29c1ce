// Requests of clients of version 0.3.0 that keep a copy: they know no official codes, and refuse records that have members which
// are in no digest. Nobody else sends them in this form: the address to the letter, and an Accept that is not what it asks for.
import type { HttpRequest } from '../exchange.ts'

const WHOLE = /^release=[0-9a-f]{64}&facts=true&format=ndjson$/
const CHANGES = /^from=[0-9a-f]{64}&to=[0-9a-f]{64}&in=[^&]+&format=ndjson$/

export const isForOldCopy = ({ path, query, headers }: HttpRequest): boolean =>
  headers.get('accept') === 'application/json' && (path.endsWith('/changes') ? CHANGES : WHOLE).test(query)
