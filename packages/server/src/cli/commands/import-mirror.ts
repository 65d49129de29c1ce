// nomenclator import mirror URL
import { OperationalError } from '../../base/operational-error.ts'
import { parseHttpShelf } from '../../distribution/shelf/http-address.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import { command } from '../command.ts'
import { UsageError } from '../flags/flags.ts'
import { homeOf } from '../flags/home-flag.ts'
import { wait } from '../flags/import-flags.ts'
import { jsonFlag, jsonText } from '../flags/json-flag.ts'
import { trustFlags, trustOf } from '../flags/key-flags.ts'
import { homeFlags } from '../flags/shelf-flags.ts'
import { lockFor } from '../home/open-home.ts'
import { bytesText } from '../terminal/progress.ts'

export const importMirror = command({
  name: 'import mirror',
  summary: 'Copy all releases from another Nomenclator',
  description:
    'URL is its address, or that of files that export shelf has written. Its current release becomes current here. To follow it from then on, use serve --shelf URL.',
  operands: { usage: 'URL', min: 1, max: 1 },
  flags: {
    ...trustFlags,
    wait,
    home: homeFlags.home,
    ...jsonFlag('the report'),
  },
  examples: [
    'import mirror https://catalogs.example.org --require-signature publisher.pub',
    'import mirror https://a.example.org,https://b.example.org',
  ],
  run: async ({ values, operands, terminal }) => {
    const { openHttpShelf } = await import('../../distribution/shelf/http-shelf.ts')
    const { fetchShelf } = await import('../../distribution/shelf/fetch.ts')
    const address = parseHttpShelf(operands[0] as string)
    if ('allowed' in address) throw new UsageError([`${operands[0]} is not allowed; allowed are ${address.allowed}`])
    const store = new ReleaseStore(homeOf(values.home), trustOf(values))
    using _lock = await lockFor(store, 'import mirror', values.wait, terminal)
    await using origin = await openHttpShelf(address.urls)('', () => {})
    let bytes = 0
    const { listing, missing } = await fetchShelf(store, origin, {
      anyState: true,
      onRelease: (digest) => terminal.err(`Fetching release ${digest.slice(0, 12)}.\n`),
      onChunk: (size) => {
        bytes += size
      },
    })
    const digest = store.currentDigest()
    if (digest === undefined) throw new OperationalError(`${operands[0]} has no release yet; nothing was changed`)
    for (const reason of missing) terminal.err(`NOT TAKEN OVER: ${reason}\n`)
    const report = { digest, releases: listing.releases.size - missing.length, bytes, origin: operands[0], missing }
    terminal.out(
      values.json
        ? jsonText(report)
        : `Release ${digest.slice(0, 12)} is now current; ${report.releases} releases are as they are there, ${bytesText(bytes)} were downloaded.\n`,
    )
    return missing.length === 0 ? 0 : 1
  },
})
