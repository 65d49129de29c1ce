// A single record of API v2.
import { type EntityName, entities } from '../../catalog/entities.ts'
import type { Filter } from '../../find/filter.ts'
import { bodyOf, type Rendition, recordEncoder } from '../../page/rendition.ts'
import { isWhole } from '../../page/selection.ts'
import type { HttpRequest, HttpResponse } from '../exchange.ts'
import { bodyResponse, formatOf, type NotAcceptable } from './answers.ts'
import { type By, positionOf } from './key.ts'
import { selectionOf } from './list-request.ts'
import type { OpenReleases, ReleaseGone } from './open-releases.ts'
import { RECORD_NAMED_BY, recordParameters } from './parameter-definitions.ts'
import { oneOf, readParameters } from './parameters.ts'

/** The one record for which the filters hold; undefined when there is none. */
export function answerRecord(
  releases: OpenReleases,
  name: EntityName,
  filtersBy: (by: By) => readonly Filter[] | undefined,
  request: HttpRequest,
): HttpResponse | ReleaseGone | NotAcceptable | undefined {
  const parameters = readParameters(request.query, recordParameters(entities[name]))
  const format = formatOf(parameters, request)
  if (typeof format !== 'string') return format
  const rendition = { ...selectionOf(entities[name], parameters), format }
  const filters = filtersBy(oneOf(parameters, 'by', RECORD_NAMED_BY, 'id'))
  const chosen = releases.chosen(parameters)
  if ('kind' in chosen) return chosen
  const { release } = chosen
  const position = filters === undefined ? undefined : positionOf(release, name, filters)
  if (position === undefined) return undefined
  const json = release.entity(name).records.record(position)
  const body = format === 'json' && isWhole(rendition) ? json : single(name, rendition, json)
  return bodyResponse(request, chosen, format, body)
}

/** Not a list of one: in JSON, the record itself. */
function single(name: EntityName, rendition: Rendition, json: Uint8Array): Uint8Array {
  const encoder = recordEncoder(entities[name], rendition)
  if (rendition.format !== 'json') return bodyOf(encoder, [json])
  const [only] = encoder.records([json])
  return only as Uint8Array
}
