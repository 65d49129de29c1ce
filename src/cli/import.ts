// Commands that build a release from a source and make it current.
import { collections } from '../catalog/collections.ts'
import type { Manifest } from '../release/manifest.ts'
import { Shelf } from '../release/shelf.ts'
import { bundledSource } from '../source/bundled.ts'
import type { Source } from '../source/source.ts'
import { syntheticSource } from '../source/synthetic.ts'
import { command, type Terminal } from './command.ts'
import { wholeNumber, yes } from './flags.ts'
import { home, homeOf } from './home-flag.ts'
import { progressLine } from './progress.ts'

const json = { says: 'print the report as one JSON document', parse: yes } as const
const number = new Intl.NumberFormat('en')

export const importBundled = command({
  name: 'import bundled',
  says: 'Build a release from the data that ships with the program, and make it current.',
  flags: { home, json },
  examples: ['import bundled', 'import bundled --home /srv/catalogs --json'],
  run: async ({ values, terminal }) => {
    report(await importInto(new Shelf(homeOf(values.home)), bundledSource(), terminal), values.json, terminal)
    return 0
  },
})

export const importSynthetic = command({
  name: 'import synthetic',
  says: 'Build a release of invented data at full scale, for tests and benchmarks, and make it current.',
  flags: {
    seed: { value: 'N', says: 'another seed gives other records', absent: '1', parse: wholeNumber(0, 4_294_967_295) },
    scale: { value: 'N', says: 'how many times the 300,137 localities', absent: '1', parse: wholeNumber(1, 1_000) },
    home,
    json,
  },
  examples: ['import synthetic', 'import synthetic --scale 10 --seed 7'],
  run: async ({ values, terminal }) => {
    const source = syntheticSource({ seed: values.seed, scale: values.scale })
    report(await importInto(new Shelf(homeOf(values.home)), source, terminal), values.json, terminal)
    return 0
  },
})

/** Builds the release and makes it current. */
export async function importInto(shelf: Shelf, source: Source, terminal: Terminal): Promise<Manifest> {
  const progress = progressLine(terminal)
  try {
    const manifest = await shelf.build(source, progress.onProgress)
    shelf.activate(manifest.digest)
    return manifest
  } finally {
    progress.clear()
  }
}

function report(manifest: Manifest, asJson: boolean, terminal: Terminal): void {
  if (asJson) {
    terminal.out(`${JSON.stringify(manifest, null, 2)}\n`)
    return
  }
  const findings = manifest.findings.map(
    ({ says, count, examples }) => `  ${number.format(count)} × ${says} (${examples[0]})\n`,
  )
  terminal.out(
    `Release ${manifest.digest.slice(0, 12)} is current: ${countsOf(manifest)}\n` +
      (findings.length === 0 ? '' : `Findings, served as they are:\n${findings.join('')}`),
  )
}

export function countsOf(manifest: Manifest): string {
  return collections.map(({ name, entity }) => `${number.format(manifest.entities[entity].count)} ${name}`).join(', ')
}
