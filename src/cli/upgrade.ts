// nomenclator upgrade
import { Failure } from '../failure.ts'
import { Shelf } from '../release/shelf/shelf.ts'
import { command } from './command.ts'
import { yes } from './flags.ts'
import { home, homeOf } from './home-flag.ts'
import { wait } from './import-flags.ts'

export const upgrade = command({
  name: 'upgrade',
  description:
    'Bring the releases of an earlier version up to the format of this one: their records stay as they are, and so do their digests.',
  flags: { json: { description: 'print the report as one JSON document', parse: yes }, wait, home },
  examples: ['upgrade', 'upgrade --home /srv/catalogs --json'],
  run: async ({ values, terminal }) => {
    const { lockFor, upgradeWithProgress } = await import('./locking.ts')
    const shelf = new Shelf(homeOf(values.home))
    using _lock = await lockFor(shelf, 'upgrade', values.wait, terminal, false)
    const upgraded = await upgradeWithProgress(shelf, terminal)
    const failed = upgraded.filter(({ failure }) => failure !== undefined)
    if (values.json) terminal.out(`${JSON.stringify(upgraded, null, 2)}\n`)
    else if (upgraded.length === 0) terminal.out('Nothing to do: every release is in the format of this version.\n')
    for (const { digest, entities, failure } of values.json ? [] : upgraded)
      if (failure === undefined) terminal.out(`Upgraded ${digest.slice(0, 12)}: ${entities.join(', ')}.\n`)
    if (failed.length > 0)
      throw new Failure(
        `${failed.length} of ${upgraded.length} releases could not be upgraded; the reasons stand above`,
      )
    return 0
  },
})
