// nomenclator export site DIR
import { OperationalError } from '../../base/operational-error.ts'
import { command } from '../command.ts'
import { text, yes } from '../flags/flags.ts'
import { baseUrl } from '../flags/serve-values.ts'
import { homeFlags } from '../flags/shelf-flags.ts'
import { openHome } from '../home/open-home.ts'
import { progressLine } from '../terminal/progress.ts'

const number = new Intl.NumberFormat('en')

export const exportSiteCommand = command({
  name: 'export site',
  description:
    'Write the pages of API v1 as files, with configurations by which nginx and Caddy serve them as the contract says.',
  operands: { usage: 'DIR', min: 1, max: 1 },
  flags: {
    release: {
      value: 'DIGEST',
      description: 'this release, or the beginning of its digest; else the current one',
      parse: text,
    },
    'base-url': {
      value: 'URL',
      env: 'BASE_URL',
      description: 'address to use in links; else that of the request',
      parse: baseUrl,
    },
    'served-from': {
      value: 'DIR',
      description: 'where the directory will be on the machine that serves it; else DIR',
      parse: text,
    },
    ...homeFlags,
    json: { description: 'print the report as one JSON document', parse: yes },
  },
  examples: [
    'export site ./site --base-url https://catalogs.example.org',
    'export site ./site --served-from /srv/catalogs',
  ],
  run: async ({ values, operands, terminal }) => {
    const store = await openHome(values, terminal)
    const digest = values.release === undefined ? store.currentDigest() : store.find(values.release)
    if (digest === undefined)
      throw new OperationalError('there is no release to export; nomenclator import bundled makes one')
    const { exportSite } = await import('../../distribution/site/export-site.ts')
    const progress = progressLine(terminal)
    const started = performance.now()
    const report = exportSite(store.read(digest), operands[0] as string, {
      baseUrl: values['base-url'],
      servedFrom: values['served-from'],
      signature: store.signatureOf(digest),
      onProgress: progress.show,
    })
    progress.clear()
    const seconds = (performance.now() - started) / 1_000
    if (values.json) terminal.out(`${JSON.stringify({ ...report, seconds }, null, 2)}\n`)
    else
      terminal.out(
        `${number.format(report.pages)} pages of release ${digest.slice(0, 12)}, ${(report.bytes / 1e6).toFixed(1)} MB, ` +
          `${report.isUnchanged ? 'were there already' : `written in ${seconds.toFixed(1)} s`}.\n` +
          `Serve them with ${report.directory}/nginx.conf or ${report.directory}/Caddyfile.\n`,
      )
    return 0
  },
})
