// The executable of npm run build, copied into an empty directory: it needs nothing else, and two builds are the same bytes.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import lock from '../../package-lock.json' with { type: 'json' }
import { version } from '../../packages/server/src/base/version.ts'
import { type Architecture, buildExecutable, executableName } from '../../tools/build.ts'
import { type Ran, ran, runHere } from '../support/command.ts'
import { executableFor } from '../support/executable.ts'
import { bundledRelease, nomenclator, TestDirectory } from '../support/releases.ts'
import { eventually, Service, workersOf } from '../support/service.ts'

const ROOT = join(import.meta.dir, '..', '..')
const architecture = process.arch as Architecture
type Installed = { readonly dev?: boolean; readonly optional?: boolean }

describe.skipIf(process.platform !== 'linux')('the executable', () => {
  const builds = new TestDirectory()
  const place = new TestDirectory()
  const executable = join(place.path, 'nomenclator')
  const userHome = join(place.path, 'user')
  /** No PATH, no TMPDIR: whatever it needs is inside. */
  const env = { HOME: userHome }
  const home = join(userHome, '.local', 'share', 'nomenclator')

  beforeAll(async () => {
    mkdirSync(userHome)
    copyFileSync(await executableFor(builds.path), executable)
  })
  afterAll(() => {
    builds[Symbol.dispose]()
    place[Symbol.dispose]()
  })

  async function run(...argv: readonly string[]): Promise<Ran> {
    const child = Bun.spawn([executable, ...argv], { cwd: place.path, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, out, err }
  }

  test('prints its version and the same help as the launcher', async () => {
    expect(await run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' })
    for (const words of [[], ['serve'], ['import', 'inegi']])
      expect(await run(...words, '--help')).toEqual(await runHere(...words, '--help'))
  })

  test('serves the bundled data with two workers; replaced while it runs, it runs the new one after SIGHUP', async () => {
    await using service = await Service.serving({ executable, env, flags: ['--port', '0', '--workers', '2'] })
    const first = workersOf(service.pid)
    expect(first).toHaveLength(2)
    const page = await fetch(`${service.url}/api/v1/paises`)
    expect([page.status, page.headers.get('X-Total')]).toEqual([200, '249'])
    const found = await (await fetch(`${service.url}/api/v2/search?q=guadaljara&limit=1`)).json()
    expect(found).toMatchObject([{ name: 'Guadalajara' }])
    expect((await fetch(`${service.url}/api/openapi.json`)).status).toBe(200)
    expect((await fetch(service.url)).status).toBe(200)
    expect((await run('verify', service.url, '--only', 'audiencias')).code).toBe(0)

    const next = join(place.path, 'next')
    copyFileSync(executable, next)
    renameSync(next, executable)
    service.signal('SIGHUP')
    await eventually('both workers were replaced', () => {
      const there = workersOf(service.pid)
      return there.length === 2 && !there.some((pid) => first.includes(pid))
    })
    expect((await fetch(`${service.url}/api/v1/paises`)).status).toBe(200)
    service.signal('SIGTERM')
    expect(await service.exited()).toBe(0)
  })

  test('keeps its releases below the home of the user, and builds the release that the sources build', async () => {
    const [digest = ''] = readFileSync(join(home, 'current'), 'utf8').split('\n')
    expect(digest).toBe((await bundledRelease()).digest)
    const { code, out } = await run('releases', '--json')
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      [{ digest, current: true, manifest: { source: { kind: 'bundled' } } }],
    ])
  })

  test('exports a package, and upgrades', async () => {
    const table = join(place.path, 'table')
    for (const command of [['export', 'package', table], ['upgrade']])
      expect(await run(...command)).toMatchObject({ code: 0 })
    expect(readdirSync(table)).toContain('audiencia.csv')
  })

  test('is not changed by what lies where it is started', async () => {
    writeFileSync(join(place.path, '.env'), 'NOMENCLATOR_HOME=/nowhere\n')
    writeFileSync(join(place.path, 'bunfig.toml'), 'preload = ["./nothing.ts"]\n')
    expect(JSON.parse((await run('releases', '--json')).out)).not.toEqual([])
  })

  test('says what is wrong, with the exit code of the launcher', async () => {
    expect(await run('sevre')).toEqual(await nomenclator('sevre'))
    expect((await run('releases', 'show', 'ffff')).code).toBe(1)
  })

  test('checks the machine as a user who has no rights here, and no home', async () => {
    chmodSync(place.path, 0o755)
    const home = '/nonexistent/nomenclator'
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    const child = Bun.spawn([executable, 'doctor', '--json', '--port', '0', '--home', home], { env: {}, ...nobody })
    const { ok, checks } = await child.stdout.json()
    expect([await child.exited, ok]).toEqual([1, false])
    const failed = checks.filter(({ status }: { status: string }) => status === 'fail')
    expect(failed.map(({ check }: { check: string }) => check)).toEqual(['permissions'])
  })

  test('is built for the other architecture too', async () => {
    const other = architecture === 'x64' ? 'arm64' : 'x64'
    const built = readFileSync(await buildExecutable(other, builds.path))
    // The machine that the header of the file names.
    expect(built.readUInt16LE(18)).toBe({ x64: 0x3e, arm64: 0xb7 }[other])
  })

  test('is the same bytes when it is built again, elsewhere, from the files that the image is built from', async () => {
    // On a disk, as the project is: Bun takes the files of a directory in the order in which the file system lists them.
    using elsewhere = new TestDirectory(tmpdir())
    const project = join(elsewhere.path, 'a', 'project')
    const dockerfile = readFileSync(join(ROOT, 'deploy', 'Dockerfile'), 'utf8')
    expect(dockerfile).toContain('bun tools/build.ts')
    const ignored = readFileSync(join(ROOT, 'deploy', 'Dockerfile.dockerignore'), 'utf8').split('\n')
    for (const path of [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, files = '']) =>
      files.split(' '),
    )) {
      expect(ignored).toContain(`!${path}`)
      cpSync(join(ROOT, path), join(project, path), {
        recursive: true,
        filter: (from) => !from.includes('/data/prepare'),
      })
    }
    // Packages that are built into it are copied; Bun itself is not.
    for (const [path, { dev, optional }] of Object.entries(lock.packages as Record<string, Installed>))
      if (path !== '' && !dev && !optional && path !== 'node_modules/bun')
        cpSync(join(ROOT, path), join(project, path), { recursive: true })
    for (const name of ['@oven', 'bun'])
      symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name))
    expect((await ran([process.execPath, 'tools/build.ts', architecture], { cwd: project })).code).toBe(0)
    const built = join(project, 'dist', executableName(architecture))
    const sha256 = (path: string) => Bun.SHA256.hash(readFileSync(path), 'hex')
    expect(sha256(built)).toBe(sha256(executable))
    expect(readFileSync(join(project, 'dist', 'SHA256SUMS'), 'utf8')).toBe(
      `${sha256(built)}  ${executableName(architecture)}\n`,
    )
    expect(readdirSync(join(project, 'dist')).sort()).toEqual(['SHA256SUMS', executableName(architecture)].sort())
  })
})
