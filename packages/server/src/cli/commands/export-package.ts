// nomenclator export package DIR
import { OperationalError } from '../../base/operational-error.ts'
import { command } from '../command.ts'
import { yes } from '../flags/flags.ts'
import { restrictedFlag } from '../flags/restricted-flag.ts'
import { homeFlags } from '../flags/shelf-flags.ts'
import { openHome } from '../home/open-home.ts'

const number = new Intl.NumberFormat('en')

export const exportPackageCommand = command({
  name: 'export package',
  summary: 'Write all lists as a data package',
  description: 'Imported into an empty home, the package gives the same release again.',
  operands: { usage: 'DIR', min: 1, max: 1 },
  flags: {
    overwrite: { description: 'replace files that are there already', parse: yes },
    ...restrictedFlag,
    ...homeFlags,
  },
  examples: ['export package ./catalogs', 'export package ./catalogs --overwrite'],
  run: async ({ values, operands, terminal }) => {
    const release = (await openHome(values, terminal)).openCurrent()
    if (release === undefined)
      throw new OperationalError('there is no release to export; nomenclator import bundled makes one')
    const { leftOutLine, releaseWithout, restrictedLists } = await import('../../release/restricted.ts')
    const leftOut = values['include-restricted'] ? new Set<string>() : restrictedLists(release)
    const { DESCRIPTOR_FILE, exportPackage } = await import('../../release/export-package.ts')
    const given = leftOut.size === 0 ? release : releaseWithout(release, leftOut)
    const counts = exportPackage(given, operands[0] as string, { overwrite: values.overwrite })
    const width = Math.max(DESCRIPTOR_FILE.length, ...Object.keys(counts).map((name) => name.length))
    for (const [name, count] of Object.entries(counts))
      terminal.out(`${name.padEnd(width)}${number.format(count).padStart(12)}\n`)
    terminal.out(`${DESCRIPTOR_FILE}\n`)
    const line = leftOutLine([...leftOut].map((list) => release.entity(list).definition.plural))
    if (line !== undefined) terminal.err(`${line}\n`)
  },
})
