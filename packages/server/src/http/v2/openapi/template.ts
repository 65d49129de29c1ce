// The part of the OpenAPI document that a file has: names in braces stand in it for what follows from the program and the catalog.
import { version } from '../../../base/version.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { MAX_ID } from '../../../catalog/check.ts'
import { PER_PAGE, v1Collections } from '../../../catalog/collections.ts'
import { hasCoordinates, VALUE_ROLES } from '../../../catalog/entity.ts'
import { DISTANCE } from '../../../query/near.ts'
import { ROW_HOW } from '../../../query/resolve/record-match.ts'
import { MAX_ROW_CHARACTERS } from '../../../query/resolve/resolve.ts'
import { VERDICTS } from '../../../query/resolve/verdict.ts'
import { HOW } from '../../../query/search/explanation.ts'
import { NUMBERINGS } from '../../../source/numbering.ts'
import { MAX_ROWS } from '../../bodies/body-limits.ts'
import { PROBLEMS, type ProblemKind, problemType } from '../../problem.ts'
import { MAX_FILTER_VALUES } from '../parameter-definitions.ts'
import document from './document.json' with { type: 'json' }
import { changeRef, DISTANCE_SCHEMA, type Json } from './schemas.ts'

export const problemKinds = Object.keys(PROBLEMS) as ProblemKind[]

const PART: Json = { type: ['string', 'number', 'null'], maxLength: MAX_ROW_CHARACTERS }

/** What stands for the names in braces. */
function valuesFor(catalog: Catalog): Json {
  const { collections, entities } = catalog
  const collectionsV1 = v1Collections(catalog)
  const links = collectionsV1.map(({ name, title }) => [name, { type: 'string', format: 'uri', description: title }])
  return {
    version,
    listCount: collections.size,
    collections: [...collections.keys()],
    changes: Array.from(entities.values(), changeRef),
    parts: Object.fromEntries(Array.from(entities.keys(), (name) => [name, PART])),
    listCountV1: collectionsV1.length,
    collectionsV1: Object.fromEntries(links),
    namesV1: collectionsV1.map(({ name }) => name),
    problemTypes: problemKinds.map(problemType),
    fieldRoles: [...VALUE_ROLES, 'broader'],
    numberings: NUMBERINGS,
    verdicts: VERDICTS,
    how: HOW,
    rowHow: ROW_HOW,
    perPage: PER_PAGE,
    maxFilterValues: MAX_FILTER_VALUES,
    maxId: MAX_ID,
    maxRows: MAX_ROWS,
    maxRowCharacters: MAX_ROW_CHARACTERS,
  }
}

const NAME = /\{([a-zA-Z]\w*)\}/g
const ALONE = /^\{([a-zA-Z]\w*)\}$/

/** A part of the file with its names filled in: one that stands alone becomes its value, one in a text becomes text. */
function filled(part: unknown, values: Json): unknown {
  if (typeof part === 'string') {
    const [, alone] = ALONE.exec(part) ?? []
    return alone === undefined ? part.replace(NAME, (_, name) => String(values[name])) : values[alone]
  }
  if (Array.isArray(part)) return part.map((one) => filled(one, values))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, filled(one, values)]))
}

export function filledDocument(catalog: Catalog): typeof document {
  const whole = filled(document, valuesFor(catalog)) as typeof document
  if ([...catalog.entities.values()].some(hasCoordinates))
    Object.assign(whole.schemas.Suggestion.properties, { [DISTANCE]: DISTANCE_SCHEMA })
  return whole
}
