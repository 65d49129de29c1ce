// Compiles the client for its package: minified modules with source maps, and declarations.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const PACKAGES = join(ROOT, 'packages')
const SOURCES = join(PACKAGES, 'client', 'src')

/** The modules of the package, each in one file: what it imports is inside, save what is loaded later. */
const MODULES = ['index', 'offline-copy', 'file-store', 'sqlite-store']
const LOADED_LATER = './offline-copy.ts'

/** Compiles into a directory, which is replaced as a whole. */
export async function buildClient(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const name of MODULES) await compile(name, target)
  declare(target)
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

/** The declarations of the client, and of the definitions that its types follow from. */
function declare(outDir: string): void {
  const project = join(outDir, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: PACKAGES,
    outDir,
  }
  const files = MODULES.filter((name) => name !== 'offline-copy').map((name) => join(SOURCES, `${name}.ts`))
  writeFileSync(project, JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, files, include: [] }))
  const { exitCode, stdout } = Bun.spawnSync([join(ROOT, 'node_modules', '.bin', 'tsc'), '--project', project])
  if (exitCode !== 0) throw new Error(`the declarations were not made:\n${stdout}`)
  rmSync(project)
  // Declarations name each other by the files that are run.
  for (const file of new Bun.Glob('**/*.d.ts').scanSync({ cwd: outDir, absolute: true }))
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g, '$1.js'))
}
