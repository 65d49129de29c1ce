// Packages as others get them: packed by npm, and put into empty projects.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ran } from './command.ts'
import { contentOf, TestDirectory } from './releases.ts'

const ROOT = join(import.meta.dir, '..', '..')

/** The output of a program that succeeds. */
export async function output(command: readonly string[], cwd: string): Promise<string> {
  const { code, out, err } = await ran(command, { cwd, env: { NO_COLOR: '1', npm_config_offline: 'true' } })
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${out}${err}`)
  return out
}

/** All files that are read when packages are packed. */
const WORKSPACE = [
  ...['packages', 'tools', 'data', 'deploy', 'docs'],
  ...['LICENSE', 'NOTICE', 'README.md', 'package.json', 'package-lock.json', 'tsconfig.json'],
]

/** A copy of the workspace: packing puts files into a folder and takes them out again, while other tests read it. */
function workspaceCopy(): TestDirectory {
  const workspace = new TestDirectory()
  for (const name of WORKSPACE)
    cpSync(join(ROOT, name), join(workspace.path, name), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(ROOT, 'node_modules'), join(workspace.path, 'node_modules'))
  return workspace
}

/** Packs a folder below packages/ into a directory, and returns the path of the tarball. */
export async function pack(folder: string, directory: string): Promise<string> {
  using workspace = workspaceCopy()
  const cwd = join(workspace.path, 'packages', folder)
  const before = contentOf(cwd)
  const printed = await output(['npm', 'pack', '--silent', '--pack-destination', directory], cwd)
  if (!Bun.deepEquals(contentOf(cwd), before)) throw new Error(`packing has changed packages/${folder}`)
  return join(directory, printed.trim().split('\n').at(-1) ?? '')
}

/** The commands that docs/client.md has for the client, which install any package from a clone. */
export async function installFromClone(name: string, project: StrangeProject): Promise<void> {
  using clone = workspaceCopy()
  const folder = join(clone.path, 'packages', name.replace('nomenclator-', ''))
  const before = contentOf(folder)
  const document = readFileSync(join(ROOT, 'docs', 'client.md'), 'utf8')
  const [, commands = ''] = /^```sh\n(cd nomenclator\n.*?)^```$/ms.exec(document) ?? []
  const adapted = commands
    .replaceAll(/\bnomenclator(?=[/\n])/g, basename(clone.path))
    .replaceAll('my-project', basename(project.path))
    .replaceAll('nomenclator-client', name)
  await output(['sh', '-ec', adapted], dirname(project.path))
  if (!Bun.deepEquals(contentOf(folder), before)) throw new Error(`packing has changed ${folder}`)
}

/** An empty project of someone else. */
export class StrangeProject extends TestDirectory {
  constructor() {
    super()
    writeFileSync(this.file('package.json'), '{"type":"module"}')
  }

  file(...names: readonly string[]): string {
    return join(this.path, ...names)
  }

  /** Puts a packed package where npm would install it, without those that it depends on. */
  async install(name: string, tarball: string): Promise<void> {
    const path = this.file('node_modules', name)
    mkdirSync(path, { recursive: true })
    await output(['tar', '-xzf', tarball, '--strip-components=1'], path)
  }

  /** Puts a package of this project where npm would have installed it. */
  link(name: string, target = join(ROOT, 'node_modules', name)): void {
    const path = this.file('node_modules', name)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(target, path)
  }

  /** Type-checks files with strict options and with the declarations of packages; what is wrong, in lines. */
  async typeErrors(files: readonly string[], options: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      module: 'nodenext',
      noEmit: true,
      types: [],
      // The declarations of the compiler take longer to check than all else.
      skipDefaultLibCheck: true,
      ...options,
    }
    writeFileSync(this.file('tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const { out, err } = await ran([join(ROOT, 'node_modules', '.bin', 'tsc'), '--singleThreaded'], { cwd: this.path })
    return out + err
  }
}
