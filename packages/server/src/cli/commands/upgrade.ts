// nomenclator upgrade
import { OperationalError } from '../../base/operational-error.ts'
import { refusedFormats } from '../../release/home/other-formats.ts'
import { command } from '../command.ts'
import { wait } from '../flags/import-flags.ts'
import { jsonFlag, jsonText } from '../flags/json-flag.ts'
import { homeFlags } from '../flags/shelf-flags.ts'

export const upgrade = command({
  name: 'upgrade',
  summary: 'Bring a home to the format of this version',
  description: 'The records and digests of its releases stay as they are. serve and imports do this by themselves.',
  flags: { ...jsonFlag('the report'), wait, ...homeFlags },
  examples: ['upgrade', 'upgrade --home /srv/catalogs --json'],
  run: async ({ values, terminal }) => {
    const { changeHome, upgradeWithProgress } = await import('../home/open-home.ts')
    const { upgraded, refused } = await changeHome(
      values,
      'upgrade',
      terminal,
      async (store) => ({ upgraded: await upgradeWithProgress(store, terminal), refused: refusedFormats(store)[0] }),
      { upgrades: false },
    )
    const failed = upgraded.filter(({ failure }) => failure !== undefined)
    if (values.json) terminal.out(jsonText(upgraded))
    else if (upgraded.length === 0 && refused === undefined)
      terminal.out('Nothing to do: every release is in the format of this version.\n')
    for (const { digest, entities, failure } of values.json ? [] : upgraded)
      if (failure === undefined) terminal.out(`Upgraded ${digest.slice(0, 12)}: ${entities.join(', ')}.\n`)
    if (refused !== undefined) throw refused
    if (failed.length > 0)
      throw new OperationalError(
        `${failed.length} of ${upgraded.length} releases could not be upgraded; see the lines before`,
      )
  },
})
