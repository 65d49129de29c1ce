// nomenclator import package PACKAGE
import { ReleaseStore } from '../../release/home/release-store.ts'
import type { PackageSource } from '../../source/package/examined.ts'
import { faultsText, findingsText, leftOutText, listsText, notesText } from '../../source/package/package-report.ts'
import type { Source } from '../../source/source.ts'
import { text, yes } from '../flags/flags.ts'
import { packageFlags } from '../flags/package-flags.ts'
import { importCommand } from '../home/import-command.ts'
import { keptDownloads } from '../home/kept-downloads.ts'
import { bytesText, progressLine } from '../terminal/progress.ts'

export const importPackage = importCommand({
  source: 'package',
  summary: 'Import lists of your own: a spreadsheet, a directory, a zip',
  description:
    'PACKAGE is a table (CSV, JSON, NDJSON, .xlsx or .ods), a directory of tables, a zip, a datapackage.json or .yaml, or the address of one. Its lists stand beside those of other packages. A package that the home has already is replaced; other lists stay.',
  operands: { usage: 'PACKAGE', min: 1, max: 1 },
  flags: {
    alone: { description: 'leave the bundled lists out of a home that has no release yet', parse: yes },
    strict: { description: 'refuse a package with findings, or with a table that cannot be read', parse: yes },
    name: { value: 'NAME', description: 'another name for the package', parse: text },
    explain: { description: 'print every decision, not those in doubt only', parse: yes },
    ...packageFlags,
  },
  examples: [
    'import package ./offices',
    'import package https://example.org/currency-codes/datapackage.json --dry-run',
    'import package units.zip --alone --strict',
  ],
  readsHome: true,
  open: async ({ values, operands, terminal }, home, resources) => {
    const { openPackage } = await import('../../source/package/open-package.ts')
    const { homeForPackages } = await import('../../release/package-references.ts')
    using progress = progressLine(terminal, bytesText)
    const source = await openPackage(operands[0] as string, {
      downloads: keptDownloads(home, 'import package', resources),
      allowsPrivate: values['allow-private-addresses'],
      strict: values.strict,
      ...(values.name === undefined ? {} : { name: values.name }),
      outside: homeForPackages(new ReleaseStore(home), values.alone ? NOTHING.catalog : undefined),
      onProgress: (url, done, size) => progress.show(url, done, size),
    })
    resources.defer(source.close)
    return {
      source,
      notes: notesOf(source, values.explain),
      ...(values.alone || source.isExport ? { fallback: NOTHING } : {}),
    }
  },
})

/** The source that completes a release with nothing. */
export const NOTHING: Source = {
  origin: { kind: 'package', title: 'nothing', synthetic: false, credits: [], options: {} },
  catalog: { entities: new Map(), collections: new Map() },
  provides: [],
  expected: () => undefined,
  read: () => [],
}

/** Text and members beside the report of the import, which has the findings of the lists that are published. */
function notesOf(source: PackageSource, explains: boolean) {
  const { note, notes, leftOut } = source
  const faults = leftOut.flatMap((one) => one.faults)
  const faultCount = leftOut.reduce((sum, one) => sum + one.faultCount, 0)
  const ofLeftOut = leftOut.flatMap(({ findings }) => findings)
  const parts = [
    note === undefined ? '' : `${note}\n`,
    notes.length === 0 ? '' : listsText(source),
    notesText(notes, explains),
    faultsText(faults, faultCount),
    leftOutText(leftOut),
    findingsText(ofLeftOut, 'Findings in tables that are left out:'),
  ]
  return {
    text: parts.join(''),
    members: {
      package: source.package.name,
      ...(note === undefined ? {} : { told: note }),
      notes,
      faults,
      faultCount,
      leftOut,
    },
  }
}
