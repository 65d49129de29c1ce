// nomenclator export shelf DIR
import { resolve } from 'node:path'
import { counted } from '../../source/package/package-report.ts'
import { command } from '../command.ts'
import { jsonFlag, jsonText } from '../flags/json-flag.ts'
import { restrictedFlag } from '../flags/restricted-flag.ts'
import { homeFlags } from '../flags/shelf-flags.ts'
import { openHome } from '../home/open-home.ts'

export const exportShelfCommand = command({
  name: 'export shelf',
  summary: 'Write all releases as files that other machines follow',
  description:
    'Put them on any static host, object store or CDN; nodes follow them with serve --shelf https://host/path. Later exports add what is new, and write the pointer last.',
  operands: { usage: 'DIR', min: 1, max: 1 },
  flags: {
    ...restrictedFlag,
    ...homeFlags,
    ...jsonFlag('the report'),
  },
  examples: ['export shelf ./shelf', 'export shelf /srv/www/shelf --home /var/lib/nomenclator'],
  run: async ({ values, operands, terminal }) => {
    const store = await openHome(values, terminal)
    const { exportShelf } = await import('../../distribution/shelf/export-shelf.ts')
    const directory = resolve(operands[0] as string)
    const report = await exportShelf(store, directory, { includesRestricted: values['include-restricted'] })
    const { leftOutLine } = await import('../../release/restricted.ts')
    const line = leftOutLine(report.leftOut)
    if (line !== undefined) terminal.err(`${line}\n`)
    terminal.out(
      values.json
        ? jsonText({ directory, ...report })
        : `${counted(report.releases, 'release')} in ${directory}: ${counted(report.chunks, 'chunk')} written, ${(report.bytes / 1e6).toFixed(1)} MB.\n`,
    )
  },
})
