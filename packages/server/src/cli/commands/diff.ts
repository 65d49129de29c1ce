// nomenclator diff A B

import { valueAtPath } from '../../base/json.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { type Catalog, entityIn } from '../../catalog/catalog.ts'
import { type Entity, nameFieldOf } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { catalogOfBoth, changeJson, diffEntity, diffJson, isRenumbered } from '../../release/diff.ts'
import { compareReleases } from '../../release/guard.ts'
import type { Release } from '../../release/release.ts'
import { command, type Terminal } from '../command.ts'
import { text, yes } from '../flags/flags.ts'
import { homeFlags } from '../flags/shelf-flags.ts'
import { openHome } from '../home/open-home.ts'
import { changeCounts, lostFactsText, RENUMBERED } from '../terminal/changes.ts'

const number = new Intl.NumberFormat('en')

export const diff = command({
  name: 'diff',
  summary: 'Show what differs between two releases',
  description: 'It counts the records that were added, changed and removed, and the fields that changed.',
  operands: { usage: 'DIGEST DIGEST', min: 2, max: 2 },
  flags: {
    collection: {
      value: 'NAME',
      description: 'print each change in this collection, such as municipios, with name, old and new values',
      parse: text,
    },
    json: { description: 'print every change as a line of JSON', parse: yes },
    ...homeFlags,
  },
  examples: ['diff 1a2b3c 4d5e6f', 'diff 1a2b3c 4d5e6f --collection municipios', 'diff 1a2b3c 4d5e6f --json'],
  run: async ({ values, operands, terminal }) => {
    const store = await openHome(values, terminal)
    const [older, newer] = operands.map((prefix) => store.read(store.find(prefix))) as [Release, Release]
    const catalog = catalogOfBoth(older, newer)
    const only = values.collection === undefined ? undefined : entityNamed(catalog, values.collection)
    if (values.json) streamJson(older, newer, only === undefined ? [...catalog.entities.values()] : [only], terminal)
    else if (only !== undefined) listChanges(older, newer, only, terminal)
    else summary(older, newer, catalog, terminal)
  },
})

function entityNamed({ collections }: Catalog, collection: string): Entity {
  const entity = collections.get(collection)
  if (entity !== undefined) return entity
  const allowed = [...collections.keys()].join(', ')
  throw new OperationalError(`--collection was ${JSON.stringify(collection)}; allowed is one of ${allowed}`)
}

function streamJson(older: Release, newer: Release, entities: readonly Entity[], terminal: Terminal): void {
  for (const { name, plural } of entities)
    for (const change of diffJson(older, newer, name))
      if (change !== undefined) terminal.data(`${Buffer.concat(changeJson(plural, change))}\n`)
}

const SIGNS = { added: '+', removed: '-', changed: '~' } as const

function listChanges(older: Release, newer: Release, entity: Entity, terminal: Terminal): void {
  const nameField = nameFieldOf(entity)
  if (isRenumbered(older, newer, entity.name)) terminal.out(`${entity.plural}: ${RENUMBERED}\n`)
  for (const change of diffEntity(older, newer, entity.name, { withoutLostFacts: true })) {
    const record = change.change === 'removed' ? change.old : change.new
    const name = record[nameField] === undefined ? '' : ` ${record[nameField]}`
    terminal.out(`${SIGNS[change.change]} ${Object.values(change.key).join('/')}${name}\n`)
    if (change.change !== 'changed') continue
    for (const path of change.fields)
      terminal.out(`    ${path}: old ${textAt(change.old, path)} → new ${textAt(change.new, path)}\n`)
  }
}

/** A value as JSON, which distinguishes texts from numbers; `nothing` if the record lacks the field. */
const textAt = (record: PublishedRecord, path: string): string => JSON.stringify(valueAtPath(record, path)) ?? 'nothing'

function summary(older: Release, newer: Release, catalog: Catalog, terminal: Terminal): void {
  for (const [name, changes] of Object.entries(compareReleases(older, newer))) {
    const { reordered, fields, isRenumbered, lostFacts } = changes
    const collection = entityIn(catalog, name).plural.padEnd(28)
    const more = isRenumbered ? `; ${RENUMBERED}` : reordered ? ', in another order' : ''
    terminal.out(`${collection} ${changeCounts(changes)}${more}${lostFactsText(lostFacts)}\n`)
    for (const [field, count] of Object.entries(fields))
      terminal.out(`${' '.repeat(29)}${field}: ${number.format(count)}\n`)
  }
}
