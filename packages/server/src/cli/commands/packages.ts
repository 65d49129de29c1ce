// nomenclator packages, and remove, which takes one out of the home.

import { nearest } from '../../base/nearest.ts'
import { OperationalError } from '../../base/operational-error.ts'
import type { ReleasedPackage } from '../../release/manifest.ts'
import { removalOf } from '../../release/packages.ts'
import type { Release } from '../../release/release.ts'
import { command } from '../command.ts'
import { yes } from '../flags/flags.ts'
import { importFlags } from '../flags/import-flags.ts'
import { jsonFlag, jsonText } from '../flags/json-flag.ts'
import { homeFlags } from '../flags/shelf-flags.ts'
import { changeHome, openHome } from '../home/open-home.ts'

const number = new Intl.NumberFormat('en')

const NO_RELEASE = 'There is no release yet; nomenclator import bundled makes one.\n'
const NO_PACKAGE = 'The home has no packages; nomenclator import package brings one in.\n'

const packages = command({
  name: 'packages',
  summary: 'List the packages of the current release',
  description: 'Each has its version, its licences, and the number of its lists and records.',
  flags: { ...homeFlags, ...jsonFlag() },
  examples: ['packages', 'packages --json'],
  run: async ({ values, terminal }) => {
    const release = (await openHome(values, terminal)).openCurrent()
    const listed = (release?.manifest.packages ?? []).map((one) => summaryOf(one, release as Release))
    if (values.json) terminal.out(jsonText(listed))
    else if (release === undefined) terminal.out(NO_RELEASE)
    else if (listed.length === 0) terminal.out(NO_PACKAGE)
    else terminal.out(tableOf(listed.map(rowOf)))
  },
})

/** A package with the number of records that each of its collections has. */
type Summary = Omit<ReleasedPackage, 'lists' | 'described'> & { readonly collections: Readonly<Record<string, number>> }

function summaryOf({ lists, described: _, ...info }: ReleasedPackage, release: Release): Summary {
  const counted = lists.map((list) => [release.entity(list).definition.plural, release.entity(list).count])
  return { ...info, collections: Object.fromEntries(counted) }
}

const HEADER = ['package', 'version', 'lists', 'records', 'licence', 'title'] as const
const RIGHT = new Set<number>([2, 3])

function rowOf({ name, version = '', title = '', licenses, collections }: Summary): string[] {
  const counts = Object.values(collections)
  const records = counts.reduce((sum, count) => sum + count, 0)
  const licence = licenses.flatMap((one) => one.name ?? one.title ?? one.path ?? []).join(', ')
  return [name, version, number.format(counts.length), number.format(records), licence, title]
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const all = [HEADER, ...rows]
  const widths = HEADER.map((_, at) => Math.max(...all.map((row) => (row[at] as string).length)))
  const cell = (text: string, at: number) =>
    RIGHT.has(at) ? text.padStart(widths[at] as number) : text.padEnd(widths[at] as number)
  return all.map((row) => `${row.map(cell).join('  ').trimEnd()}\n`).join('')
}

const { json, 'accept-changes': _, ...otherFlags } = importFlags

const remove = command({
  name: 'remove',
  summary: 'Take a package out of the home',
  description: 'A release without its lists becomes current. Lists that others refer to cannot be removed.',
  operands: { usage: 'NAME', min: 1, max: 1 },
  flags: {
    'accept-changes': { description: 'remove it although clients may use its lists', parse: yes },
    ...otherFlags,
    json,
  },
  examples: ['remove currency-codes --dry-run', 'remove currency-codes --accept-changes'],
  run: async ({ values, operands, terminal }) => {
    const name = operands[0] as string
    const { importWithProgress, reportText, signerOf } = await import('../home/run-import.ts')
    const signed = signerOf(values)
    const { BreakingChanges } = await import('../../release/import.ts')
    const report = await changeHome(values, `remove ${name}`, terminal, async (store) => {
      const release = store.openCurrent()
      refuseUnknown(name, release?.manifest.packages ?? [])
      return importWithProgress(store, removalOf(release as Release, name), terminal, values, signed)
    }).catch((error: unknown) => {
      throw error instanceof BreakingChanges ? new BreakingChanges(error.found, false, `removing ${name}`) : error
    })
    terminal.out(values.json ? jsonText(report) : reportText(report))
  },
})

function refuseUnknown(name: string, packages: readonly ReleasedPackage[]): void {
  const names = packages.map((one) => one.name)
  if (names.includes(name)) return
  const suggestion = nearest(name, names)
  const others = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
  throw new OperationalError(
    `the home has no package ${JSON.stringify(name)}; ${suggestion === undefined ? others : `did you mean ${suggestion}?`}`,
  )
}

export const packageCommands = [packages, remove] as const
