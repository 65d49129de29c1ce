// Compiles the form element for its package: a minified module that defines it, and declarations for those who use it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withModuleNames, writeDeclarations } from './declarations.ts'

const PICKER = join(import.meta.dir, '..', 'packages', 'picker')
const SOURCES = join(PICKER, 'src')
const TYPES = join(PICKER, 'types')

/** Compiles into a directory. */
export async function buildPicker(target: string): Promise<void> {
  mkdirSync(target, { recursive: true })
  const entry = join(SOURCES, 'nomenclator-picker.ts')
  const { success, logs } = await Bun.build({ entrypoints: [entry], outdir: target, minify: true, target: 'browser' })
  if (!success) throw new AggregateError(logs, 'the picker was not compiled')
  // A page that is rendered on a server is given its element by the browser.
  writeFileSync(join(target, 'without-dom.js'), 'export {}\n')
  await writeDeclarations([entry], SOURCES, target, { lib: ['esnext', 'dom', 'dom.iterable'], types: [] })
  for (const name of new Bun.Glob('*.d.ts').scanSync(TYPES)) {
    const declarations = readFileSync(join(TYPES, name), 'utf8').replaceAll('../src/', './')
    writeFileSync(join(target, name), withModuleNames(declarations))
  }
}
