// nomenclator import inegi [FILE…]
import type { DownloadOptions } from '../../source/download.ts'
import type { PublishedFile } from '../../source/inegi/published.ts'
import type { Command, Terminal } from '../command.ts'
import { yes } from '../flags/flags.ts'
import { importCommand } from '../home/import-command.ts'
import { keptDownloads } from '../home/kept-downloads.ts'
import { bytesText, progressLine } from '../terminal/progress.ts'

type Published = {
  /** The address of the file to import if none is given. */
  readonly address: string
  readonly limits: Pick<DownloadOptions, 'timeout' | 'maxBytes' | 'retries' | 'backoff'>
}

/** A command that imports the file of an address, unless it is given files or other addresses. */
export const importInegiFrom = (defaults: () => Promise<Published>): Command =>
  importCommand({
    source: 'inegi',
    summary: "Import Mexico's states, municipalities and localities",
    description:
      "They are those of INEGI's Catálogo Único de Claves. FILE is a zip or CSV file of INEGI, or the address of such a zip. Without FILE, the catalog of localities is downloaded from INEGI.",
    operands: { usage: '[FILE...]', min: 0, max: 1_000 },
    flags: { 'include-retired': { description: 'keep localities whose status is Baja', parse: yes } },
    examples: ['import inegi', 'import inegi catun_localidad.zip', 'import inegi AGEEML_2025_utf.csv --dry-run'],
    open: async ({ values, operands, terminal }, home, resources) => {
      const { Downloads } = await import('../../source/downloads.ts')
      const { inegiSource } = await import('../../source/inegi/inegi.ts')
      const { isAddress, refusedDownload } = await import('../../source/inegi/published.ts')
      const { address, limits } = await defaults()
      const downloads = resources.use(new Downloads(keptDownloads(home, 'import inegi', resources)))
      const files: (string | PublishedFile)[] = []
      for (const given of operands.length === 0 ? [address] : operands)
        files.push(isAddress(given) ? await downloadWithProgress(given, downloads.directory, limits, terminal) : given)
      const published = files.filter((file) => typeof file !== 'string')
      const onRefused = (error: unknown) => refusedDownload(error, published)
      const source = await inegiSource(files, { includeRetired: values['include-retired'] }).catch((error: unknown) => {
        throw onRefused(error)
      })
      return { source, onRefused }
    },
  })

export const importInegi = importInegiFrom(async () => {
  const { LOCALITIES_URL } = await import('../../source/inegi/published.ts')
  const { DOWNLOAD_LIMITS } = await import('../../source/download.ts')
  return { address: LOCALITIES_URL, limits: DOWNLOAD_LIMITS }
})

async function downloadWithProgress(
  address: string,
  directory: string,
  limits: Published['limits'],
  terminal: Terminal,
): Promise<PublishedFile> {
  const { downloadPublished } = await import('../../source/inegi/published.ts')
  using progress = progressLine(terminal, bytesText)
  const print = (line: string) => {
    progress.clear()
    terminal.err(`${line}\n`)
  }
  const file = await downloadPublished(address, {
    ...limits,
    directory,
    onStart: (from) =>
      print(from === 0 ? `Downloading ${address}` : `Continuing the download of ${address} after ${bytesText(from)}`),
    onProgress: (done, size) => progress.show('downloaded', done, size),
    onRetry: (reason, milliseconds) => {
      if (terminal.interactive) print(`Trying again in ${Math.ceil(milliseconds / 1_000)} s: ${reason}`)
    },
  })
  if (file.isUnchanged) print(`${address} has not changed since it was downloaded`)
  return file
}
