// What the picker is made of on pages of others: its script under a name that stays, and what it needs to know of the levels.

import { type Entity, identifierOf, nameFieldOf } from '../catalog/entity.ts'
import { ownerOf, pathTo } from '../catalog/lineage.ts'
import { type HttpRequest, type HttpResponse, isRead } from '../http/exchange.ts'
import { otherMethod } from '../http/methods.ts'
import { ProblemError } from '../http/problem.ts'
import { V2_PATH } from '../http/routes.ts'
import { recordTemplate } from '../http/v2/paths.ts'
import type { V2Context } from '../http/v2/pipeline.ts'
import { refuseParameters } from '../http/v2/request/parameters.ts'
import { parseQuery } from '../http/v2/request/query-string.ts'
import { jsonResponse } from '../http/v2/response.ts'
import type { Release } from '../release/release.ts'
import { namedAssetResponse, PICKER_SOURCE } from './assets.ts'
import { LANGUAGES, languageOf } from './language.ts'
import { PICKER_PATH } from './links.ts'
import { capitalized } from './view.ts'

export const PICKER_SCRIPT = `${PICKER_PATH}/${PICKER_SOURCE}`
const LEVELS_PATH = `${PICKER_PATH}/levels.json`

export const isPickerFile = (path: string): boolean => path === PICKER_SCRIPT || path === LEVELS_PATH

export function respondPickerFile({ releases }: V2Context, request: HttpRequest): HttpResponse {
  if (!isRead(request)) return otherMethod(request)
  if (request.path === PICKER_SCRIPT) {
    const response = namedAssetResponse(request, PICKER_SOURCE)
    if (response === undefined) throw new ProblemError({ kind: 'not-found', known: [PICKER_PATH] })
    return response
  }
  refuseParameters(parseQuery(request.query))
  const { current: release } = releases
  return jsonResponse(request, { release, isNamed: false, isUndated: true }, describeLevels(release))
}

/** What the script needs of every entity to offer its records as a level, and its words. */
function describeLevels({ catalog }: Release) {
  const entities = [...catalog.entities.values()]
  return {
    levels: Object.fromEntries(entities.map((entity) => [entity.name, describeLevel(entity, entities)])),
    words: Object.fromEntries(LANGUAGES.map((code) => [code, languageOf(code).words.pickerElement])),
  }
}

function describeLevel(entity: Entity, entities: readonly Entity[]) {
  const owner = ownerOf(entity)
  const own = entity.key.at(-1) as string
  const ancestors = entities.flatMap((ancestor) => {
    const path = pathTo(entity, ancestor)
    if (path === undefined) return []
    const id = `${path.path}.${identifierOf(ancestor)}`
    return [[ancestor.name, { filter: path.path, id, name: `${path.path}.${nameFieldOf(ancestor)}` }] as const]
  })
  return {
    collection: entity.plural,
    list: `${V2_PATH}/${entity.plural}`,
    record: recordTemplate(entity).replaceAll(/\{[^}]*\}/g, '{}'),
    /** The paths of the identifiers that make up the key. */
    key: owner === undefined ? [own] : [`${owner.field}.${identifierOf(owner.entity)}`, own],
    name: nameFieldOf(entity),
    labels: Object.fromEntries(
      LANGUAGES.map((code) => [code, capitalized(languageOf(code).words.entities[entity.name]?.one ?? entity.name)]),
    ),
    ancestors: Object.fromEntries(ancestors),
  }
}
