// Compiles the client for its package: minified modules with source maps, and declarations.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDeclarations } from './declarations.ts'

const PACKAGES = join(import.meta.dir, '..', 'packages')
const SOURCES = join(PACKAGES, 'client', 'src')

/** The modules of the package, each in one file: what it imports is inside, save what is loaded later. */
const MODULES = ['index', 'offline-copy', 'file-store', 'sqlite-store']
const LOADED_LATER = './offline-copy.ts'

/** Compiles into a directory, which is replaced as a whole. */
export async function buildClient(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const name of MODULES) await compile(name, target)
  const entries = MODULES.filter((name) => name !== 'offline-copy').map((name) => join(SOURCES, `${name}.ts`))
  // The types follow from the definitions of the catalog, whose declarations are made too.
  await writeDeclarations(entries, PACKAGES, target)
}

async function compile(name: string, outdir: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: [join(SOURCES, `${name}.ts`)],
    outdir,
    // The file store is for servers; the rest runs anywhere.
    target: name === 'file-store' ? 'node' : 'browser',
    format: 'esm',
    minify: true,
    sourcemap: 'linked',
    plugins: [
      {
        name: 'loaded later',
        setup: (build) =>
          void build.onResolve({ filter: /^\.\/offline-copy\.ts$/ }, ({ path }) => ({
            path: path.replace(/\.ts$/, '.js'),
            external: path === LOADED_LATER,
          })),
      },
    ],
  })
  if (!success) throw new AggregateError(logs, `${name} was not compiled`)
  // The id is for services that collect errors, which find the source map by its name too.
  const module = join(outdir, `${name}.js`)
  writeFileSync(module, readFileSync(module, 'utf8').replace(/\n\/\/# debugId=.*/, ''))
}
