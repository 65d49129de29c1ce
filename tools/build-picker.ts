// Compiles the form element for its package: a minified module that defines it, and its declarations.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const SOURCE = join(import.meta.dir, '..', 'packages', 'picker', 'src', 'nomenclator-picker.ts')

/** Compiles into a directory. */
export async function buildPicker(target: string): Promise<void> {
  mkdirSync(target, { recursive: true })
  const { success, logs } = await Bun.build({ entrypoints: [SOURCE], outdir: target, minify: true, target: 'browser' })
  if (!success) throw new AggregateError(logs, 'the picker was not compiled')
  writeFileSync(join(target, 'nomenclator-picker.d.ts'), 'export {}\n')
}
