// nomenclator import package PACKAGE
import { join } from 'node:path'
import { entityData } from '../../catalog/catalog.ts'
import { Shelf } from '../../release/home/shelf.ts'
import { takenIn } from '../../release/packages.ts'
import type { Guess } from '../../source/package/descriptor.ts'
import type { PackageSource } from '../../source/package/open-package.ts'
import type { Source } from '../../source/source.ts'
import { text, yes } from '../flags/flags.ts'
import { packageFlags } from '../flags/package-flags.ts'
import { importCommand } from '../home/import-command.ts'
import { bytesText, progressLine } from '../terminal/progress.ts'

export const importPackage = importCommand({
  source: 'package',
  description:
    'Import a data package: a directory, a zip, a datapackage.json or .yaml, or its address. Its lists are published beside ' +
    'what the home has; imported again, it replaces its own lists only.',
  operands: { usage: 'PACKAGE', min: 1, max: 1 },
  flags: {
    alone: { description: 'leave the bundled lists out of a home that has no release yet', parse: yes },
    strict: { description: 'refuse also what is only odd, and a package of which a table cannot be read', parse: yes },
    name: { value: 'NAME', description: 'another name for the package', parse: text },
    ...packageFlags,
  },
  examples: [
    'import package ./offices',
    'import package https://example.org/currency-codes/datapackage.json --dry-run',
    'import package units.zip --alone --strict',
  ],
  open: async ({ values, operands, terminal }, home) => {
    const { openPackage } = await import('../../source/package/open-package.ts')
    const progress = progressLine(terminal, bytesText)
    try {
      const source = await openPackage(operands[0] as string, {
        downloads: join(home, 'downloads'),
        allowsPrivate: values['allow-private-addresses'],
        strict: values.strict,
        ...(values.name === undefined ? {} : { name: values.name }),
        inHome: placeIn(new Shelf(home)),
        onProgress: (url, done, size) => progress.show(url, done, size),
      })
      return {
        source,
        notes: notesOf(source),
        onImported: source.close,
        ...(values.alone || source.isExport ? { fallback: NOTHING } : {}),
      }
    } finally {
      progress.clear()
    }
  },
})

/** The names that lists of others have in the home, and what they are. */
const placeIn = (shelf: Shelf) => (packageName: string) => {
  const digest = shelf.currentDigest()
  const entities = digest === undefined ? new Map() : shelf.read(digest).catalog.entities
  const others = [...entities.values()].filter((entity) => entity.package !== packageName)
  return { taken: takenIn({ entities }, packageName), others: others.map(entityData) }
}

/** What completes a release in which nothing else is to be. */
const NOTHING: Source = {
  origin: { kind: 'package', title: 'nothing', synthetic: false, credits: [], options: {} },
  catalog: { entities: new Map(), collections: new Map() },
  provides: [],
  expected: () => undefined,
  read: () => [],
}

const guessText = ({ resource, field, what, otherwise }: Guess) => {
  const where = [resource, field].filter((part) => part !== undefined).join(', ')
  return `  ${where === '' ? '' : `${where}: `}${what} To say it otherwise: ${otherwise}`
}

function notesOf({ package: { name }, told, guesses, leftOut }: PackageSource) {
  const section = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : [title, ...lines])
  return {
    lines: [
      ...(told === undefined ? [] : [told]),
      ...section('What the package does not say was guessed:', guesses.map(guessText)),
      ...section(
        'Left out:',
        leftOut.map(({ resource, reason }) => `  ${resource}: ${reason}`),
      ),
    ],
    members: { package: name, ...(told === undefined ? {} : { told }), guesses, leftOut },
  }
}
