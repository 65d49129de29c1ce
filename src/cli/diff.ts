// nomenclator diff A B
import { type EntityName, entities, entityNames } from '../catalog/entities.ts'
import { diffEntity } from '../release/diff.ts'
import { compareReleases } from '../release/guard.ts'
import type { StoredRelease } from '../release/release.ts'
import { Shelf } from '../release/shelf.ts'
import { command, type Terminal } from './command.ts'
import { type Wrong, yes } from './flags.ts'
import { home, homeOf } from './home-flag.ts'

const number = new Intl.NumberFormat('en')

const plurals = entityNames.map((name) => entities[name].plural)

export const diff = command({
  name: 'diff',
  description: 'Tell what differs between two releases: records added, removed, and changed, and in which fields.',
  words: { shown: 'DIGEST DIGEST', least: 2, most: 2 },
  flags: {
    collection: { value: 'NAME', description: `only one of ${plurals.join(', ')}, change by change`, parse: entityOf },
    json: { description: 'print every change as a line of JSON', parse: yes },
    home,
  },
  examples: ['diff 1a2b3c 4d5e6f', 'diff 1a2b3c 4d5e6f --collection municipios', 'diff 1a2b3c 4d5e6f --json'],
  run: async ({ values, words, terminal }) => {
    const shelf = new Shelf(homeOf(values.home))
    const [older, newer] = words.map((prefix) => shelf.stored(shelf.find(prefix))) as [StoredRelease, StoredRelease]
    const names = values.collection === undefined ? entityNames : [values.collection]
    if (values.json) streamJson(older, newer, names, terminal)
    else if (values.collection !== undefined) listChanges(older, newer, values.collection, terminal)
    else summary(older, newer, terminal)
    return 0
  },
})

function entityOf(plural: string): EntityName | Wrong {
  return entityNames.find((name) => entities[name].plural === plural) ?? { allowed: `one of ${plurals.join(', ')}` }
}

function streamJson(
  older: StoredRelease,
  newer: StoredRelease,
  names: readonly EntityName[],
  terminal: Terminal,
): void {
  for (const entity of names) {
    for (const change of diffEntity(older, newer, entity))
      terminal.out(`${JSON.stringify({ collection: entities[entity].plural, ...change })}\n`)
  }
}

const SIGNS = { added: '+', removed: '-', changed: '~' } as const

function listChanges(older: StoredRelease, newer: StoredRelease, entity: EntityName, terminal: Terminal): void {
  for (const change of diffEntity(older, newer, entity)) {
    const fields = change.change === 'changed' ? `  ${change.fields.join(', ')}` : ''
    terminal.out(`${SIGNS[change.change]} ${change.key}${fields}\n`)
  }
}

function summary(older: StoredRelease, newer: StoredRelease, terminal: Terminal): void {
  const changes = compareReleases(older, newer)
  for (const name of entityNames) {
    const { added, changed, removed, reordered, fields } = changes[name]
    const counts = [
      `${number.format(added)} added`,
      `${number.format(changed)} changed`,
      `${number.format(removed)} removed`,
    ]
    terminal.out(`${entities[name].plural.padEnd(28)} ${counts.join(', ')}${reordered ? ', in another order' : ''}\n`)
    for (const [field, count] of Object.entries(fields))
      terminal.out(`${' '.repeat(29)}${field}: ${number.format(count)}\n`)
  }
}
