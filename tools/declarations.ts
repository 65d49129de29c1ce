// Makes the declarations of a package with the compiler, as other projects read them.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './build.ts'

const ROOT = join(import.meta.dir, '..')

/** Writes the declarations of files, and of what their types follow from, into a directory laid out like `rootDir`. */
export async function writeDeclarations(
  files: readonly string[],
  rootDir: string,
  outDir: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const project = join(outDir, 'tsconfig.json')
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, stripInternal: true }
  const compilerOptions = { ...emit, rootDir, outDir, ...options }
  writeFileSync(project, JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, files, include: [] }))
  await run(ROOT, [join(ROOT, 'node_modules', '.bin', 'tsc'), '--project', project])
  rmSync(project)
  for (const file of new Bun.Glob('**/*.d.ts').scanSync({ cwd: outDir, absolute: true }))
    writeFileSync(file, withModuleNames(readFileSync(file, 'utf8')))
}

/** Declarations name each other by the files that are run. */
export const withModuleNames = (declarations: string): string =>
  declarations.replace(/(['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g, '$1.js')
