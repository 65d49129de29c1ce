// nomenclator import boundaries FILE
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import type { Entity } from '../../catalog/entity.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import type { Release } from '../../release/release.ts'
import type { BoundaryFeature } from '../../source/boundaries/boundary-features.ts'
import type { Source } from '../../source/source.ts'
import { text } from '../flags/flags.ts'
import { importCommand } from '../home/import-command.ts'

const flags = {
  list: { value: 'LIST', description: 'the list whose records the shapes are of, such as municipios', parse: text },
  code: {
    value: 'FIELD…',
    description:
      'the property with the official code, or those with its parts, separated by commas; recognised if not given',
    parse: (fields: string) => fields.split(','),
  },
} as const

export const importBoundaries = importCommand({
  source: 'boundaries',
  summary: 'Import the shapes of the records of a list',
  description:
    'FILE is GeoJSON (a collection, or a feature a line) or a zipped shapefile. Its features are matched to records by official code; the shapes that the list had before are replaced.',
  operands: { usage: 'FILE', min: 1, max: 1 },
  flags,
  examples: [
    'import boundaries municipios.geojson --list municipios',
    'import boundaries mun.zip --list municipios --code CVE_ENT,CVE_MUN',
  ],
  readsHome: true,
  open: async ({ operands, values }, home) => {
    const [{ boundaryLayers }, { codeFields, matchShapes }, { boundaryListOf }, { findingText }] = await Promise.all([
      import('../../source/boundaries/boundary-features.ts'),
      import('../../source/boundaries/matched-shapes.ts'),
      import('../../release/boundaries/boundary-records.ts'),
      import('../home/run-import.ts'),
    ])
    const store = new ReleaseStore(home)
    const digest = store.currentDigest()
    if (digest === undefined)
      throw new OperationalError('this home has no lists yet; import them first, or start nomenclator serve')
    const release = store.read(digest)
    const entity = listNamed(release, values.list)
    const list = boundaryListOf(release, entity)
    const [path = ''] = operands
    const file = basename(path)
    const layers = await boundaryLayers(file, readFileSync(path))
    const given = layers.map(({ features }) => ({ features, fields: values.code ?? codeFields(features, list) }))
    const matched = given.flatMap(({ features, fields }) =>
      fields === undefined ? [] : [matchShapes(features, list, fields)],
    )
    const most = matched.toSorted((a, b) => b.shapes.length - a.shapes.length)[0]
    if (most === undefined || most.shapes.length === 0) {
      const why = most?.findings.map(findingText).join('\n') || withoutCodes(layers)
      throw new OperationalError(
        `${file} has no feature that can be used for ${entity.plural}; nothing was changed.\n${why}`,
      )
    }
    const { shapes, findings, fields } = most
    const without = release.entity(entity.name).count - shapes.length
    const source: Source = {
      // Everything that stays keeps its credit.
      origin: { ...release.manifest.source, credits: [] },
      catalog: release.catalog,
      provides: [],
      packages: [],
      expected: () => undefined,
      read: () => [],
      boundaries: new Map([[entity.name, () => ({ shapes, findings })]]),
    }
    return {
      source,
      notes: {
        text: `${entity.plural}: ${shapes.length} shapes by ${fields.join(', ')}; ${without} records have none.\n`,
        members: { boundaries: { list: entity.plural, shapes: shapes.length, without, fields } },
      },
    }
  },
})

/** The properties of the features, where none has the codes of a list. */
function withoutCodes(layers: readonly { readonly features: readonly BoundaryFeature[] }[]): string {
  const names = layers.flatMap(({ features }) => Object.keys(features[0]?.properties ?? {}))
  return `No property has its codes: name them with --code. The features have ${names.join(', ') || 'none'}.`
}

function listNamed({ catalog }: Release, name = ''): Entity {
  const entity = catalog.collections.get(name) ?? catalog.entities.get(name)
  if (entity !== undefined) return entity
  const allowed = [...catalog.collections.keys()].join(', ')
  throw new OperationalError(`--list was ${JSON.stringify(name)}; allowed is ${allowed}`)
}
