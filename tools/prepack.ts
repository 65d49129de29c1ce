// Completes a package before npm packs it (prepack.ts NAME), and takes out again what was put in (prepack.ts NAME --undo).
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SHIPPED } from './build.ts'
import { buildClient } from './build-client.ts'
import { buildPicker } from './build-picker.ts'
import { buildVerify, buildVerifyCommand } from './build-verify.ts'

const ROOT = join(import.meta.dir, '..')

type Content = { readonly copied: readonly string[]; readonly build?: (directory: string) => Promise<void> }

/** The files from elsewhere in the project that go into a package under the same path, and what is made for it. */
const packages: Readonly<Record<string, Content>> = {
  // Its pages are bundled by tools/with-bun, which runs this.
  server: { copied: [...SHIPPED, 'deploy/**', 'docs/**', 'README.md'], build: buildVerifyCommand },
  client: { copied: ['LICENSE'], build: buildClient },
  picker: { copied: ['LICENSE'], build: buildPicker },
  verify: { copied: ['LICENSE'], build: buildVerify },
}

const [name = '', undo] = process.argv.slice(2)
const content = packages[name]
if (content === undefined) throw new Error(`prepack.ts ${Object.keys(packages).join('|')} [--undo]`)
const directory = join(ROOT, 'packages', name)
const files = content.copied.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)])
const tops = [...new Set(files.map((path) => path.split('/')[0] as string)), 'dist']
for (const top of tops) rmSync(join(directory, top), { recursive: true, force: true })
if (undo === undefined) {
  for (const path of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    cpSync(join(ROOT, path), join(directory, path))
  }
  await content.build?.(join(directory, 'dist'))
}
