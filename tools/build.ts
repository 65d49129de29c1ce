// npm run build: one executable for each architecture in dist/, with Bun and the bundled data inside.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import lock from '../package-lock.json' with { type: 'json' }
import { messageOf } from '../packages/server/src/base/operational-error.ts'
import { version } from '../packages/server/src/base/version.ts'

const ROOT = join(import.meta.dir, '..')
export const DIST = join(ROOT, 'dist')

/** The package of each architecture that has Bun for it. */
const BUN_PACKAGES = { x64: '@oven/bun-linux-x64', arm64: '@oven/bun-linux-aarch64' } as const
export type Architecture = keyof typeof BUN_PACKAGES
const architectures = Object.keys(BUN_PACKAGES) as Architecture[]

/** The files that go wherever the program goes, under the same path, for `shippedFile` to find. */
export const SHIPPED = [
  'data/*.csv',
  'data/*.csv.gz',
  'data/datapackage.json',
  'data/nomenclator.schema.json',
  'data/PROVENANCE.md',
  'data/LICENSES/*',
  'LICENSE',
  'NOTICE',
]

export const executableName = (architecture: Architecture): string => `nomenclator-${version}-linux-${architecture}`

/** Builds the executable for an architecture in a directory, and returns its path. */
export async function buildExecutable(architecture: Architecture, directory = DIST): Promise<string> {
  const bun = await bunFor(architecture)
  for (const path of [DIST, directory]) mkdirSync(path, { recursive: true })
  const stage = mkdtempSync(join(DIST, '.build-'))
  try {
    const shipped = SHIPPED.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)]).sort()
    for (const path of shipped) cpSync(join(ROOT, path), join(stage, path))
    const assets = [...new Set(shipped.map((path) => path.split('/')[0]))].map((name) => `--asset=${name}`)
    // Bun puts the name of the output file and the way from here to the sources into it: both are always the same.
    await run(stage, [
      process.execPath,
      'build',
      '--compile',
      `--target=bun-linux-${architecture}`,
      `--compile-executable-path=${bun}`,
      // Files in the directory where it is started must not change what it does.
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      // With a source map, the trace of an error names our files and lines.
      '--sourcemap=inline',
      // A command reads only the chunks that it needs.
      '--format=esm',
      '--splitting',
      // Bytecode is made for this architecture only: nobody has tried it on another.
      ...(architecture === process.arch ? ['--bytecode'] : []),
      ...assets,
      join(ROOT, 'packages', 'server', 'src', 'main.ts'),
      '--outfile=nomenclator',
    ])
    const target = join(directory, executableName(architecture))
    chmodSync(join(stage, 'nomenclator'), 0o755)
    // Copied beside and renamed, since the directory may be on another file system and the target may be running.
    cpSync(join(stage, 'nomenclator'), `${target}.new`)
    renameSync(`${target}.new`, target)
    return target
  } finally {
    rmSync(stage, { recursive: true })
  }
}

/** The Bun of an architecture: installed for this machine, else downloaded once and checked against the lock file. */
async function bunFor(architecture: Architecture): Promise<string> {
  const name = BUN_PACKAGES[architecture]
  const packaged = join(ROOT, 'node_modules', name)
  // When it is installed, the package bun takes the program out of the package that has it for this machine.
  const candidates = [join(packaged, 'bin', 'bun'), join(ROOT, 'node_modules', 'bun', 'bin', 'bun.exe')]
  const installedBun = existsSync(packaged) ? candidates.find((path) => existsSync(path)) : undefined
  if (installedBun !== undefined) return installedBun
  const { version, integrity } = lock.packages[`node_modules/${name}`]
  const cachedBun = join(ROOT, 'node_modules', '.bun-for', `${architecture}-${version}`)
  if (existsSync(cachedBun)) return cachedBun
  mkdirSync(join(cachedBun, '..'), { recursive: true })
  const download = mkdtempSync(join(cachedBun, '..', 'download-'))
  try {
    await run(download, ['npm', 'pack', '--silent', `${name}@${version}`])
    const [archive = ''] = new Bun.Glob('*.tgz').scanSync(download)
    const digest = Bun.SHA512.hash(readFileSync(join(download, archive)), 'base64')
    if (`sha512-${digest}` !== integrity) throw new Error(`${name}@${version} is not what package-lock.json names`)
    await run(download, ['tar', '-xzf', archive, 'package/bin/bun'])
    renameSync(join(download, 'package', 'bin', 'bun'), cachedBun)
    return cachedBun
  } finally {
    rmSync(download, { recursive: true })
  }
}

/** Runs a command; what it wrote is shown only if it fails. Not by `Bun.spawnSync`, since tests build too. */
export async function run(cwd: string, command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${out}${err}`)
  return out
}

/** Writes the digests of all that is in dist/. */
export function writeSums(): void {
  const files = [...new Bun.Glob('nomenclator*').scanSync(DIST)].sort()
  const sha256 = (name: string) => Bun.SHA256.hash(readFileSync(join(DIST, name)), 'hex')
  writeFileSync(join(DIST, 'SHA256SUMS'), files.map((name) => `${sha256(name)}  ${name}\n`).join(''))
}

async function main(names: readonly string[]): Promise<number> {
  const unknownNames = names.filter((name) => !Object.hasOwn(BUN_PACKAGES, name))
  if (unknownNames.length > 0) {
    console.error(`npm run build: ${unknownNames.join(', ')} is not known; there are: ${architectures.join(', ')}`)
    return 2
  }
  let failures = 0
  for (const architecture of names.length === 0 ? architectures : (names as readonly Architecture[])) {
    try {
      await buildExecutable(architecture)
      console.log(`dist/${executableName(architecture)}`)
    } catch (error) {
      failures++
      console.error(`NOT BUILT for ${architecture}: ${messageOf(error)}`)
    }
  }
  writeSums()
  return failures === 0 ? 0 : 1
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)))
