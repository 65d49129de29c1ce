// nginx with every page as a static file.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BASE_URL, PATH } from '../load/loads.ts'
import { workPath } from '../machine/places.ts'
import { type Contender, versionLine } from './contender.ts'
import { linkLines, nginxConfig } from './nginx-config.ts'

/** Debian puts it where only root looks. */
const search = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }
const program = (): string | null => Bun.which('nginx', search)

export const nginx: Contender = {
  name: 'nginx',
  description: 'nginx, every page a static file, its open files kept',
  missing: () => (program() === null ? ['nginx'] : []),
  version: () => versionLine([program() ?? 'nginx', '-v']),
  prepare: async (pages) => {
    const directory = workPath('nginx', 'run')
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'links.map'), linkLines(pages.totalPages, `${BASE_URL}${PATH}`))
    return ({ port, workers }) => {
      const config = join(directory, 'nginx.conf')
      writeFileSync(config, nginxConfig({ port, workers, directory }, pages, process.getuid?.() === 0))
      return { command: [program() ?? 'nginx', '-c', config, '-e', join(directory, 'error.log')] }
    }
  },
}
