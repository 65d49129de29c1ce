// The operations of API v2 that answer with records: lists, what is below a record, single ones, and all at once.
import { V2_PATH } from '../../../catalog/collections.ts'
import { type EntityName, entities, entityNames } from '../../../catalog/entities.ts'
import type { Entity, Field } from '../../../catalog/entity.ts'
import { descendantsOf, ownerOf } from '../../../catalog/lineage.ts'
import type { Release } from '../../../release/release.ts'
import { bulkParameters, listParameters, recordParameters } from '../parameter-definitions.ts'
import { childrenTemplate, recordTemplate } from '../paths.ts'
import { CODING, CONDITIONS, RANGES } from './headers.ts'
import type { Operation } from './operation.ts'
import type { Json, Parts } from './parts.ts'
import { codeInPath, ID } from './record-schemas.ts'
import {
  allContent,
  anyBytes,
  BULKS,
  CODED,
  listContent,
  PAGES,
  PLAIN,
  recordContent,
  samplesOf,
} from './v2-samples.ts'

export const LISTS = 'Lists'
export const RECORDS = 'Single records'
export const WHOLES = 'Whole collections'

/** What can be wrong with any question for records. */
const COMMON = ['bad-parameter', 'unknown-parameter', 'not-acceptable', 'release-gone'] as const

const inPath = (entity: Entity, name: string, schema: Json = ID): Json => ({
  name,
  in: 'path',
  required: true,
  description: (entity.fields[name] as Field).description,
  schema,
})

export function recordOperations(parts: Parts, release: Release): Operation[] {
  const lists = new Map(entityNames.map((name) => [name, listOperation(parts, release, name)]))
  return [
    ...lists.values(),
    ...entityNames.map((name) => allOperation(parts, release, name)),
    ...entityNames.map((name) => recordOperation(parts, release, name)),
    ...entityNames.flatMap((above) =>
      descendantsOf(release.catalog, entities[above]).map((child) =>
        childrenOperation(lists.get(child.name as EntityName) as Operation, entities[above], child),
      ),
    ),
  ]
}

function listOperation(parts: Parts, release: Release, name: EntityName): Operation {
  const { plural } = entities[name]
  const samples = samplesOf(release, true, ...PAGES)
  return {
    path: `${V2_PATH}/${plural}`,
    id: `list_${plural}`,
    tag: LISTS,
    summary: `The ${plural}: filtered, searched, sorted, in pages`,
    inQuery: listParameters(entities[name]),
    inHeader: [...CONDITIONS, CODING],
    good: {
      200: {
        description:
          'A page. Its records are whole unless the request asks for some fields, or for embedded records by identifier',
        samples,
        content: listContent(parts, release, name),
      },
      304: { description: 'The client has this page already', samples },
    },
    problems: [...COMMON, 'page-beyond-last'],
  }
}

function childrenOperation(list: Operation, above: Entity, child: Entity): Operation {
  const { plural } = child
  return {
    ...list,
    path: childrenTemplate(above, child),
    id: `list_${plural}_of_${above.name}`,
    summary: `The ${plural} below a ${above.name}: filtered, searched, sorted, in pages`,
    inPath: [inPath(above, above.key[0] as string)],
    problems: [...list.problems, 'record-not-found'],
  }
}

function recordOperation(parts: Parts, release: Release, name: EntityName): Operation {
  const entity: Entity = entities[name]
  const owner = ownerOf(entity)?.entity
  const own = inPath(entity, entity.key.at(-1) as string, { anyOf: [ID, codeInPath(entity)] })
  const samples = samplesOf(release, true, PLAIN, CODED)
  return {
    path: recordTemplate(entity),
    id: `get_${name}`,
    tag: RECORDS,
    summary: `One ${name}, by identifier or official code`,
    inPath: owner === undefined ? [own] : [inPath(owner, owner.key[0] as string), own],
    inQuery: recordParameters(entity),
    inHeader: [...CONDITIONS, CODING],
    good: {
      200: {
        description: 'The record; whole unless the request asks for some fields, or for embedded records by identifier',
        samples,
        content: recordContent(parts, release, name),
      },
      304: { description: 'The client has it already', samples },
    },
    problems: [...COMMON, 'record-not-found'],
  }
}

function allOperation(parts: Parts, release: Release, name: EntityName): Operation {
  const { plural } = entities[name]
  return {
    path: `${V2_PATH}/${plural}/all`,
    id: `all_${plural}`,
    tag: WHOLES,
    summary: `All ${plural} in one answer, which can be gone on with after an interruption`,
    inQuery: bulkParameters,
    inHeader: [...CONDITIONS, CODING, ...RANGES],
    good: {
      200: {
        description: 'All of them',
        samples: samplesOf(release, true, ...BULKS[200]),
        content: allContent(parts, release, name),
      },
      206: {
        description: 'The bytes that were asked for',
        samples: samplesOf(release, true, ...BULKS[206]),
        content: anyBytes,
      },
      304: { description: 'The client has them already', samples: samplesOf(release, true, ...BULKS[304]) },
    },
    problems: [...COMMON, 'range-not-satisfiable'],
  }
}
