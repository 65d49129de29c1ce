// nomenclator check PACKAGE, and check --boundaries, which checks the coordinates of a home.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Examined, PackageOptions } from '../../source/package/examined.ts'
import { counted, examinedJson, examinedText } from '../../source/package/package-report.ts'
import { command } from '../command.ts'
import { UsageError, yes } from '../flags/flags.ts'
import { homeOf } from '../flags/home-flag.ts'
import { jsonFlag, jsonText } from '../flags/json-flag.ts'
import { packageFlags } from '../flags/package-flags.ts'
import { bytesText, progressLine } from '../terminal/progress.ts'

const flags = {
  boundaries: {
    description: 'check the coordinates in a home against its boundaries, and no package',
    parse: yes,
  },
  strict: { description: 'count findings as faults', parse: yes },
  explain: { description: 'print every decision, not those in doubt only', parse: yes },
  ...jsonFlag('all that was found'),
  home: {
    value: 'DIR',
    description:
      'a home whose lists the package may refer to, or that is checked; without it, no home is read for a package',
    parse: (path: string) => resolve(path),
  },
  ...packageFlags,
} as const

export const checkPackageCommand = command({
  name: 'check',
  summary: 'Check a data package, or the coordinates of a home',
  description:
    'PACKAGE is a directory, a zip, a descriptor, a table, or the address of one. It is read as an import would read it, and all faults, findings and decisions in doubt are printed. The exit code is 0 if it is sound, else 1.',
  operands: { usage: '[PACKAGE]', min: 0, max: 1 },
  flags,
  examples: [
    'check ./offices',
    'check offices.csv --strict',
    'check ./offices --home /var/lib/nomenclator',
    'check --boundaries --home /var/lib/nomenclator',
    'check https://example.org/data/datapackage.json --json',
  ],
  run: async ({ values, operands, terminal }) => {
    if (values.boundaries === (operands[0] !== undefined))
      throw new UsageError(['check needs either a PACKAGE or --boundaries'], 'check')
    if (values.boundaries) {
      const { checkBoundaries } = await import('./check-boundaries.ts')
      terminal.out(checkBoundaries(homeOf(values.home), values.json))
      return 0
    }
    const { examinePackage } = await import('../../source/package/open-package.ts')
    using progress = progressLine(terminal, bytesText)
    const examined = await withTrial(
      await examinePackage(operands[0] as string, {
        allowsPrivate: values['allow-private-addresses'],
        onProgress: progress.show,
        ...(values.home === undefined ? {} : await lookingAt(values.home)),
      }),
      values.home !== undefined,
    )
    progress.clear()
    examined.source?.close()
    const isSound = examined.faultCount === 0 && !(values.strict && examined.findings.length > 0)
    terminal.out(
      values.json
        ? jsonText({ sound: isSound, ...examinedJson(examined) })
        : `${examinedText(examined, values.explain)}${verdictText(examined, isSound)}`,
    )
    return isSound ? 0 : 1
  },
})

/**
 * The findings of a trial import, for a package that is checked only when it is built, and for its boundaries. The home of the trial
 * is thrown away; a package that refers to lists of another home has its boundaries checked when it is imported there.
 */
async function withTrial(examined: Examined, refersToHome: boolean): Promise<Examined> {
  const { source } = examined
  if (source === undefined) return examined
  const isVerbatim = source.isExport || source.note !== undefined
  if (!isVerbatim && (source.boundaries === undefined || refersToHome)) return examined
  const [{ importRelease }, { isOfBoundary }, { ReleaseStore }, { bundledSource }, { NOTHING }, { FaultyRecords }] =
    await Promise.all([
      import('../../release/import.ts'),
      import('../../release/build/entity-boundaries.ts'),
      import('../../release/home/release-store.ts'),
      import('../../source/bundled.ts'),
      import('./import-package.ts'),
      import('../../source/faults.ts'),
    ])
  const home = mkdtempSync(join(tmpdir(), 'nomenclator-check-'))
  try {
    const bundled = bundledSource()
    const needed = bundled.provides.filter((name) => source.note !== undefined || source.catalog.entities.has(name))
    const fallback = source.isExport ? NOTHING : { ...bundled, provides: needed }
    const trial = await importRelease(new ReleaseStore(home), source, { fallback, acceptChanges: true, dryRun: true })
    const found = trial.findings.map((finding) => ({ ...finding, places: [] }))
    if (!isVerbatim)
      return { ...examined, findings: [...examined.findings, ...found.filter(({ kind }) => isOfBoundary(kind))] }
    const findings = found
    return { ...examined, findings, source: { ...source, counts: new Map(Object.entries(trial.counts)) } }
  } catch (error) {
    if (!(error instanceof FaultyRecords)) throw error
    if (!isVerbatim) return examined
    return { ...examined, faults: error.faults, faultCount: error.count }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** The lists of a home, which a package may refer to. */
export async function lookingAt(home: string): Promise<Pick<PackageOptions, 'outside'>> {
  const { ReleaseStore } = await import('../../release/home/release-store.ts')
  const { homeForPackages } = await import('../../release/package-references.ts')
  return { outside: homeForPackages(new ReleaseStore(homeOf(home))) }
}

function verdictText({ faultCount, findings, notes }: Examined, isSound: boolean): string {
  const findingCount = findings.reduce((sum, { count }) => sum + count, 0)
  const totals = [
    counted(faultCount, 'fault'),
    counted(findingCount, 'finding'),
    counted(notes.filter(({ kind }) => kind === 'doubt').length, 'doubt'),
  ]
  return `${isSound ? 'Sound' : 'Not sound'}: ${totals.join(', ')}.\n`
}
