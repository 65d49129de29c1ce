// The files of the picker on other sites: its script under a name that stays, and the description of the levels.

import { V2_PATH } from '../base/api-v2.ts'
import { broaderOf, type Entity } from '../catalog/entity.ts'
import { pathTo } from '../catalog/lineage.ts'
import { usualCodeOf } from '../catalog/official-code.ts'
import { keyPathsOf, pathsOf } from '../catalog/paths.ts'
import { type HttpRequest, type HttpResponse, isRead } from '../http/exchange.ts'
import { otherMethod } from '../http/methods.ts'
import { ProblemError } from '../http/problem.ts'
import type { V2Context } from '../http/v2/context.ts'
import { refuseParameters } from '../http/v2/parameter.ts'
import { recordTemplate } from '../http/v2/record-paths.ts'
import { parseQuery } from '../http/v2/request/query-string.ts'
import { jsonResponse } from '../http/v2/response.ts'
import type { Release } from '../release/release.ts'
import { namedAssetResponse, PICKER_SOURCE } from './assets.ts'
import { LANGUAGES, languageOf } from './language.ts'
import { filterParameter, keySeparator, PICKER_PATH } from './links.ts'
import { capitalized, oneOf, publishedNames } from './names.ts'

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

/** The description of every entity as a level for the script, and its words. */
function describeLevels({ catalog }: Release) {
  const entities = [...catalog.entities.values()]
  return {
    levels: Object.fromEntries(entities.map((entity) => [entity.name, describeLevel(entity, entities)])),
    words: Object.fromEntries(LANGUAGES.map((code) => [code, languageOf(code).words.pickerElement])),
  }
}

/** The way to what a record is called: its first name, or the end of its key where it has none. */
const nameWay = (entity: Entity): readonly string[] => {
  const [first] = publishedNames(entity)
  return first === undefined ? (keyPathsOf(entity).at(-1)?.steps ?? []) : [first.name]
}

/** The ways to all names with their languages, where there are several to choose from. */
const namesIn = (entity: Entity, pathOfWay: (way: readonly string[]) => string) => {
  const names = publishedNames(entity).map(({ name, language = '' }) => [pathOfWay([name]), language] as const)
  return names.length < 2 ? {} : { names }
}

/** The path by which a query names what the steps lead to. */
const pathOf = (entity: Entity, steps: readonly string[]): string =>
  [...pathsOf(entity).values()].find((path) => Bun.deepEquals(path.steps, steps))?.path ?? ''

/** The steps of paths that hide them, since a name in them has signs of a query. */
const stepsNotIn = (entity: Entity, paths: readonly string[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    paths.flatMap((path) => {
      const steps = pathsOf(entity).get(path)?.steps ?? []
      return steps.join('.') === path ? [] : [[path, steps]]
    }),
  )

/** The path of the code that people know a record by; undefined if that has no name. */
function codePath(entity: Entity): string | undefined {
  const { name } = usualCodeOf(entity)
  return name === '' ? undefined : pathOf(entity, [name])
}

const USUAL_SEPARATOR = '-'

function describeLevel(entity: Entity, entities: readonly Entity[]) {
  const ancestors = entities.flatMap((ancestor) => {
    const steps = pathTo(entity, ancestor)?.steps
    const [key, ...more] = keyPathsOf(ancestor)
    // A list is filtered by one value, so that a parent whose key has several is no level.
    if (steps === undefined || key === undefined || more.length > 0) return []
    const within = (way: readonly string[]) => pathOf(entity, [...steps, ...way])
    const paths = {
      filter: filterParameter(entity, steps),
      id: within(key.steps),
      name: within(nameWay(ancestor)),
      ...namesIn(ancestor, within),
    }
    return [[ancestor.name, paths] as const]
  })
  const key = keyPathsOf(entity).map(({ path }) => path)
  const name = pathOf(entity, nameWay(entity))
  const { names = [] } = namesIn(entity, (way) => pathOf(entity, way))
  const broader = broaderOf(entity)
  const parent = broader === undefined ? undefined : pathOf(entity, [broader])
  const code = codePath(entity)
  const read = [
    ...[...key, name, ...names.map(([path]) => path), ...[parent, code].filter((path) => path !== undefined)],
    ...ancestors.flatMap(([, paths]) => [paths.id, paths.name, ...(paths.names ?? []).map(([path]) => path)]),
  ]
  const steps = stepsNotIn(entity, read)
  return {
    collection: entity.plural,
    list: `${V2_PATH}/${entity.plural}`,
    record: recordTemplate(entity).replaceAll(/\{[^}]*\}/g, '{}'),
    /** The paths of the values that make up the key, and what is between them in it, where that is not the usual sign. */
    key,
    ...(keySeparator(entity) === USUAL_SEPARATOR ? {} : { separator: keySeparator(entity) }),
    name,
    ...(names.length === 0 ? {} : { names }),
    ...(parent === undefined ? {} : { broader: parent }),
    ...(code === undefined ? {} : { code }),
    ...(Object.keys(steps).length === 0 ? {} : { steps }),
    labels: Object.fromEntries(
      LANGUAGES.map((code) => {
        const language = languageOf(code)
        return [code, capitalized(oneOf({ language, words: language.words }, entity))]
      }),
    ),
    ancestors: Object.fromEntries(ancestors),
  }
}
