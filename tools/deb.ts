// npm run deb: a Debian package for each architecture in dist/, with the executable, its service and completions.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import manifest from '../package.json' with { type: 'json' }
import { COMPLETION_SCRIPTS } from '../packages/server/src/cli/commands/completion.ts'
import { type Architecture, buildExecutable, DIST, executableName, run, writeSums } from './build.ts'

const ROOT = join(import.meta.dir, '..')

/** The names that Debian has for the architectures. */
const DEBIAN = { x64: 'amd64', arm64: 'arm64' } as const satisfies Record<Architecture, string>

/** No file in it is newer than this, so that the same sources give the same bytes. */
const EPOCH = process.env.SOURCE_DATE_EPOCH ?? String(Date.parse('2026-01-01T00:00:00Z') / 1_000)

const DATE = new Date(Number(EPOCH) * 1_000).toUTCString().replace('GMT', '+0000')

/** The names are those of Debian's own tools; the address belongs to the person who builds the package. */
const { DEBFULLNAME = 'The Nomenclator authors', DEBEMAIL } = process.env
const MAINTAINER = DEBEMAIL === undefined ? DEBFULLNAME : `${DEBFULLNAME} <${DEBEMAIL}>`

const EXECUTABLE = 0o755
const KIBIBYTE = 1_024

type PackageOptions = {
  readonly executable: string
  readonly directory?: string
  readonly version?: string
  /** A name that dpkg-deb has; `none` is for tests, which would wait long for xz. */
  readonly compression?: 'xz' | 'none'
}

/** Packs an executable, and returns the path of the package. */
export async function packDeb(
  architecture: Architecture,
  { executable, directory = DIST, version = manifest.version, compression = 'xz' }: PackageOptions,
): Promise<string> {
  mkdirSync(directory, { recursive: true })
  const stage = mkdtempSync(join(directory, '.deb-'))
  try {
    const tree = join(stage, 'nomenclator')
    const size = writeTree(tree, executable, version)
    const conffiles = ['/etc/default/nomenclator', '/etc/logrotate.d/nomenclator']
    put(tree, 'DEBIAN/conffiles', conffiles.map((path) => `${path}\n`).join(''))
    const described = { VERSION: version, ARCHITECTURE: DEBIAN[architecture], MAINTAINER }
    put(tree, 'DEBIAN/control', filled('control', { ...described, KIBIBYTES: Math.ceil(size / KIBIBYTE) }))
    for (const script of ['postinst', 'prerm', 'postrm'])
      put(tree, `DEBIAN/${script}`, readFileSync(join(ROOT, 'deploy', 'debian', script)), EXECUTABLE)
    put(tree, 'DEBIAN/md5sums', await run(tree, ['sh', '-c', 'find usr -type f | LC_ALL=C sort | xargs md5sum']))
    await run(tree, ['find', '.', '-exec', 'touch', '--no-dereference', `--date=@${EPOCH}`, '{}', '+'])
    const name = `nomenclator_${version}_${DEBIAN[architecture]}.deb`
    const pack = ['dpkg-deb', '--root-owner-group', `-Z${compression}`, '-z1', '--build', 'nomenclator', name]
    await run(stage, ['env', `SOURCE_DATE_EPOCH=${EPOCH}`, 'XZ_DEFAULTS=--threads=1', ...pack])
    renameSync(join(stage, name), join(directory, name))
    return join(directory, name)
  } finally {
    rmSync(stage, { recursive: true })
  }
}

/** Writes the files to install, and returns their size. */
function writeTree(tree: string, executable: string, version: string): number {
  const deployed = (name: string) => readFileSync(join(ROOT, 'deploy', name))
  const project = (name: string) => readFileSync(join(ROOT, name))
  const gzipped = (text: string | Buffer) => gzipSync(text, { level: 9 })
  mkdirSync(join(tree, 'usr', 'bin'), { recursive: true })
  cpSync(executable, join(tree, 'usr', 'bin', 'nomenclator'))
  chmodSync(join(tree, 'usr', 'bin', 'nomenclator'), EXECUTABLE)
  const files: Record<string, string | Buffer> = {
    'etc/default/nomenclator': deployed('nomenclator.default'),
    'etc/logrotate.d/nomenclator': deployed('nomenclator.logrotate'),
    'usr/lib/systemd/system/nomenclator.service': deployed('nomenclator.service'),
    'usr/share/bash-completion/completions/nomenclator': COMPLETION_SCRIPTS.bash,
    'usr/share/zsh/vendor-completions/_nomenclator': COMPLETION_SCRIPTS.zsh,
    'usr/share/fish/vendor_completions.d/nomenclator.fish': COMPLETION_SCRIPTS.fish,
    'usr/share/doc/nomenclator/copyright': Buffer.concat([project('LICENSE'), Buffer.from('\n'), project('NOTICE')]),
    'usr/share/doc/nomenclator/changelog.gz': gzipped(filled('changelog', { VERSION: version, MAINTAINER, DATE })),
    'usr/share/doc/nomenclator/CHANGELOG.md.gz': gzipped(project('CHANGELOG.md')),
    'usr/share/lintian/overrides/nomenclator': deployed('debian/lintian-overrides'),
    'usr/share/doc/nomenclator/PROVENANCE.md': project('data/PROVENANCE.md'),
  }
  // The unit names one of them.
  for (const page of readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md')))
    files[`usr/share/doc/nomenclator/${page}`] = project(join('docs', page))
  for (const [path, content] of Object.entries(files)) put(tree, path, content)
  return statSync(executable).size + Object.values(files).reduce((sum, { length }) => sum + length, 0)
}

function put(tree: string, path: string, content: string | Buffer, mode = 0o644): void {
  const target = join(tree, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, content)
  chmodSync(target, mode)
}

/** A file of deploy/debian with values in place of the names between @. */
const filled = (name: string, values: Readonly<Record<string, string | number>>): string =>
  readFileSync(join(ROOT, 'deploy', 'debian', name), 'utf8').replace(/@([A-Z]+)@/g, (_, value) => String(values[value]))

async function main(): Promise<void> {
  for (const architecture of Object.keys(DEBIAN) as Architecture[]) {
    console.log(`building dist/${executableName(architecture)} …`)
    const executable = await buildExecutable(architecture)
    console.log(`packing it for ${DEBIAN[architecture]}, which takes a minute or two …`)
    console.log(`dist/${(await packDeb(architecture, { executable })).slice(DIST.length + 1)}`)
  }
  writeSums()
}

if (import.meta.main) {
  if (Bun.which('dpkg-deb') === null) {
    console.error('npm run deb: dpkg-deb was not found; it is in the Debian package dpkg')
    process.exit(1)
  }
  await main()
}
