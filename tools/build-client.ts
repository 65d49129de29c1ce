// Compiles the client for its package: minified modules with source maps, and declarations, for `import` and for `require`.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDeclarations } from './declarations.ts'

const SOURCES = join(import.meta.dir, '..', 'packages', 'client', 'src')

/** The entries of the package, each in one file with all that it imports. */
const ENTRIES = ['index', 'file-store']
/** Modules that an ES module loads when they are first needed. */
const LOADED_LATER = ['sync', 'offline-copy']

/** Compiles into a directory, which is replaced as a whole. */
export async function buildClient(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const name of [...ENTRIES, ...LOADED_LATER]) await compile(name, target, 'esm', 'js')
  for (const name of ENTRIES) await compile(name, target, 'cjs', 'cjs')
  await declare(target)
}

const loadedLater: Bun.BunPlugin = {
  name: 'loaded later',
  setup: (build) =>
    void build.onResolve({ filter: new RegExp(`^\\./(?:${LOADED_LATER.join('|')})\\.ts$`) }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: path.replace(/\.ts$/, '.js'), external: true } : undefined,
    ),
}

async function compile(name: string, outdir: string, format: 'esm' | 'cjs', ending: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: [join(SOURCES, `${name}.ts`)],
    outdir,
    naming: `${name}.${ending}`,
    // The file store is for servers; the rest runs anywhere.
    target: name === 'file-store' ? 'node' : 'browser',
    format,
    minify: true,
    sourcemap: format === 'esm' ? 'linked' : 'none',
    plugins: format === 'esm' ? [loadedLater] : [],
  })
  if (!success) throw new AggregateError(logs, `${name} was not compiled`)
  // The id is for services that collect errors, which find the source map by its name too.
  const module = join(outdir, `${name}.${ending}`)
  writeFileSync(module, readFileSync(module, 'utf8').replace(/\n\/\/# debugId=.*/, ''))
}

async function declare(target: string): Promise<void> {
  const files = ENTRIES.map((name) => join(SOURCES, `${name}.ts`))
  await writeDeclarations(files, SOURCES, target)
  // Modules for `require` have declarations of their own, which name each other.
  for (const file of new Bun.Glob('*.d.ts').scanSync({ cwd: target, absolute: true })) {
    const declarations = readFileSync(file, 'utf8').replace(/(['"]\.\/[^'"]+)\.js(?=['"])/g, '$1.cjs')
    writeFileSync(file.replace(/\.d\.ts$/, '.d.cts'), declarations)
  }
}
