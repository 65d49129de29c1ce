// Completes a package before npm packs it (prepack.ts NAME), and takes out again what was put in (prepack.ts NAME --undo).
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildClient } from './build-client.ts'
import { buildPicker } from './build-picker.ts'

const ROOT = join(import.meta.dir, '..')

/** What stands elsewhere in the project and goes into a package under the same path, and what is made for it. */
const packages: Readonly<Record<string, { copied: readonly string[]; build?: (directory: string) => Promise<void> }>> =
  {
    // Its pages are bundled by tools/with-bun, which runs this.
    server: {
      copied: ['data/*.csv', 'data/PROVENANCE.md', 'data/LICENSES/*', 'deploy/**', 'docs/**', 'NOTICE', 'README.md'],
    },
    client: { copied: [], build: buildClient },
    picker: { copied: [], build: buildPicker },
  }

const [name = '', undo] = process.argv.slice(2)
const content = packages[name]
if (content === undefined) throw new Error(`prepack.ts ${Object.keys(packages).join('|')} [--undo]`)
const directory = join(ROOT, 'packages', name)
const copied = [...content.copied, 'LICENSE'].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)])
const tops = [...new Set(copied.map((path) => path.split('/')[0] as string)), 'dist']
for (const top of tops) rmSync(join(directory, top), { recursive: true, force: true })
if (undo === undefined) {
  for (const path of copied) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    cpSync(join(ROOT, path), join(directory, path))
  }
  await content.build?.(join(directory, 'dist'))
}
