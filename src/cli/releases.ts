// Lists the releases on disk.
import type { Listed } from '../release/shelf.ts'
import { Shelf } from '../release/shelf.ts'
import { command } from './command.ts'
import { yes } from './flags.ts'
import { home, homeOf } from './home-flag.ts'
import { countsOf } from './import.ts'

export const releases = command({
  name: 'releases',
  says: 'List the releases on disk, newest first; the current one is marked.',
  flags: { home, json: { says: 'print the list as one JSON document', parse: yes } },
  examples: ['releases', 'releases --json'],
  run: async ({ values, terminal }) => {
    const listed = new Shelf(homeOf(values.home)).list()
    if (values.json) terminal.out(`${JSON.stringify(listed, null, 2)}\n`)
    else if (listed.length === 0) terminal.out('There is no release yet; nomenclator import bundled makes one.\n')
    else terminal.out(listed.map(line).join(''))
    return 0
  },
})

function line({ digest, current, manifest }: Listed): string {
  const mark = `${current ? '*' : ' '} ${digest.slice(0, 12)}`
  if ('damage' in manifest) return `${mark}  damaged: ${manifest.damage}\n`
  return `${mark}  ${manifest.built.slice(0, 16).replace('T', ' ')}  ${manifest.source.kind.padEnd(9)}  ${countsOf(manifest)}\n`
}
