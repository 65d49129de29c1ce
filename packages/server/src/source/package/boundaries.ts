// The boundaries that a package has for its lists: resources of GeoJSON, whose foreign key says which list their features are of.
import { OperationalError } from '../../base/operational-error.ts'
import { type BoundaryFeature, boundaryLayers } from '../boundaries/boundary-features.ts'
import { matchShapes } from '../boundaries/matched-shapes.ts'
import type { TextFile } from '../lines.ts'
import type { MatchBoundaries } from '../source.ts'
import type { Resource } from './descriptor.ts'
import { smallFile } from './locate.ts'
import { listProperties } from './profile.ts'

/** The features for a list of the package, and the properties of them that have its official code. */
export type PackageBoundaries = {
  /** The name of the resource of the list. */
  readonly list: string
  readonly features: readonly BoundaryFeature[]
  readonly fields: readonly string[]
}

const ENDING = /\.geojson(l|s|seq)?$/i
const FORMAT = /^geojson(l|s|seq)?$/i

export const isOfBoundaries = ({ format = '', paths: [path = ''] }: Resource): boolean =>
  FORMAT.test(format) || ENDING.test(path)

/** All of a file is read into memory at once. */
const MAX_BYTES = 512 << 20

export async function readBoundaries(
  resource: Resource,
  lists: ReadonlySet<string>,
  find: (path: string) => Promise<TextFile>,
): Promise<PackageBoundaries> {
  const key = resource.schema?.foreignKeys?.find(
    ({ reference }) => reference.package === undefined && lists.has(reference.resource),
  )
  if (key === undefined)
    throw new OperationalError(
      'a foreign key to a list of this package without other boundaries, by the properties that have its codes; other lists get boundaries with nomenclator import boundaries',
    )
  const { code } = listProperties(resource)
  const { file, bytes } = await smallFile({ find }, resource.paths[0] ?? '', MAX_BYTES)
  const layers = await boundaryLayers(file, bytes)
  return {
    list: key.reference.resource,
    features: layers.flatMap(({ features }) => features),
    fields: code !== undefined && !('parts' in code) ? code : key.fields,
  }
}

/** The boundaries by entity; `entityOf` gives that of a resource, and undefined where the list is left out. */
export const boundariesByEntity = (
  all: readonly PackageBoundaries[],
  entityOf: (resource: string) => string | undefined,
): ReadonlyMap<string, MatchBoundaries> =>
  new Map(
    all.flatMap(({ list, features, fields }) => {
      const entity = entityOf(list)
      return entity === undefined ? [] : [[entity, matcherOf(features, fields)] as const]
    }),
  )

const MAX_EXAMPLES = 5

/** What is wrong with features is a finding, and so are records that none is of. */
const matcherOf =
  (features: readonly BoundaryFeature[], fields: readonly string[]): MatchBoundaries =>
  (list) => {
    const { shapes, findings } = matchShapes(features, list, fields)
    const without = list.codes.difference(new Set(shapes.map(({ code }) => code)))
    if (without.size === 0) return { shapes, findings }
    const examples = [...without].slice(0, MAX_EXAMPLES)
    const missing = { kind: 'boundary-missing', description: 'a record has no boundary', count: without.size, examples }
    return { shapes, findings: [...findings, missing] }
  }
