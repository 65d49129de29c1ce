// nomenclator export tabular DIR
import { Failure } from '../../base/failure.ts'
import { type TabularFormat, tabularFormats } from '../../source/tabular/files.ts'
import { command } from '../command.ts'
import { type Wrong, yes } from '../flags/flags.ts'
import { homeFlags } from '../flags/shelf-flags.ts'
import { openHome } from '../home/open-home.ts'

const number = new Intl.NumberFormat('en')

export const exportTabularCommand = command({
  name: 'export tabular',
  description: 'Write the current release as a directory of files that import tabular reads.',
  operands: { usage: 'DIR', min: 1, max: 1 },
  flags: {
    format: {
      value: 'FORMAT',
      description: 'csv or ndjson',
      defaultValue: 'csv',
      choices: tabularFormats,
      parse: formatOf,
    },
    overwrite: { description: 'replace files that are there already', parse: yes },
    ...homeFlags,
  },
  examples: ['export tabular ./catalogs', 'export tabular ./catalogs --format ndjson'],
  run: async ({ values, operands, terminal }) => {
    const shelf = await openHome(values, terminal)
    const current = shelf.currentDigest()
    if (current === undefined) throw new Failure('there is no release to export; nomenclator import bundled makes one')
    const { exportTabular } = await import('../../release/export-tabular.ts')
    const directory = operands[0] as string
    const counts = exportTabular(shelf.read(current), directory, values.format, { overwrite: values.overwrite })
    for (const [name, count] of Object.entries(counts))
      terminal.out(`${name}.${values.format.padEnd(8)}${number.format(count).padStart(12)}\n`)
    return 0
  },
})

function formatOf(text: string): TabularFormat | Wrong {
  return tabularFormats.find((format) => format === text) ?? { allowed: tabularFormats.join(' or ') }
}
