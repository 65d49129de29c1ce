// The server as users get it: packed, and started from an empty project that has the packages it declares and no others.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../packages/server/src/base/version.ts'
import { type Ran, ran } from '../support/command.ts'
import { pack, StrangeProject } from '../support/packed.ts'
import { TestDirectory } from '../support/releases.ts'
import { Service } from '../support/service.ts'

/** The launcher needs programs of the system, and no Bun that happens to be there. */
const env = { PATH: '/usr/bin:/bin' }

const packed = new TestDirectory()
let tarball = ''
beforeAll(async () => {
  tarball = await pack('server', packed.path)
})
afterAll(() => packed[Symbol.dispose]())

/** A project in which the package is installed, with the packages that it declares, save Bun. */
class ServerProject extends StrangeProject {
  readonly installed = this.file('node_modules', 'nomenclator')
  readonly launcher = this.file('node_modules', '.bin', 'nomenclator')

  static async create(addBun: (project: StrangeProject) => void): Promise<ServerProject> {
    const project = new ServerProject()
    await project.install('nomenclator', tarball)
    const { bin, dependencies } = JSON.parse(readFileSync(join(project.installed, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies)) if (name !== 'bun') project.link(name)
    addBun(project)
    mkdirSync(project.file('node_modules', '.bin'))
    symlinkSync(join('..', 'nomenclator', bin.nomenclator), project.launcher)
    return project
  }

  run(...argv: readonly string[]): Promise<Ran> {
    return ran([this.launcher, ...argv], { cwd: this.path, env })
  }
}

function writeProgram(project: StrangeProject, path: string, text: string): void {
  const file = project.file('node_modules', path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

/** The package bun without its program, which its install script would have put in place. */
const withoutScript = (project: StrangeProject) =>
  writeProgram(project, 'bun/bin/bun.exe', 'echo "Error: the postinstall script was not run." >&2\nexit 1\n')
function addForThisMachine(project: StrangeProject): void {
  mkdirSync(project.file('node_modules', '@oven', 'bun-linux-any', 'bin'), { recursive: true })
  symlinkSync(process.execPath, project.file('node_modules', '@oven', 'bun-linux-any', 'bin', 'bun'))
}

describe('the package', () => {
  test('has the program, its pages, data, documents and licences, and no tests', async () => {
    using project = await ServerProject.create(() => {})
    expect(readdirSync(project.installed).sort()).toEqual([
      'LICENSE',
      'NOTICE',
      'README.md',
      'data',
      'deploy',
      'dist',
      'docs',
      'nomenclator',
      'package.json',
      'src',
    ])
    const files = readdirSync(project.installed, { recursive: true }).map(String)
    expect(files).toContain('src/explorer/built/assets.json')
    expect(files.filter((file) => file.endsWith('.csv'))).not.toEqual([])
    expect(files.filter((file) => /\.test\.ts|tsconfig|data\/prepare/.test(file))).toEqual([])
  })

  test('starts and serves with what it declares: lists, pages and the picker', async () => {
    using project = await ServerProject.create((it) => it.link('bun'))
    expect(await project.run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' })
    const { launcher: executable } = project
    const flags = ['--home', project.file('home'), '--port', '0']
    await using service = await Service.serving({ executable, env: { ...env, LOG_FORMAT: 'text' }, flags })
    const statuses = [
      '/api/v1/paises',
      '/api/v2/search?q=guadaljara',
      '/explore/municipios',
      '/picker/nomenclator-picker.js',
    ].map(async (path) => (await fetch(service.url + path)).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200])
    const verified = await project.run('verify', service.url, '--only', 'audiencias')
    expect([verified.code, verified.err]).toEqual([0, ''])
    expect(verified.out).toEndWith(`${service.url} speaks the contract of API v1.\n`)
    service.signal('SIGTERM')
    expect(await service.exited()).toBe(0)
    expect(readdirSync(join(project.installed, 'node_modules', '.compiled'))).toHaveLength(1)
  })

  const bunCases: [string, (project: StrangeProject) => void][] = [
    [
      'where install scripts are not allowed',
      (project) => {
        withoutScript(project)
        addForThisMachine(project)
      },
    ],
    [
      'beside a package for another kind of machine',
      (project) => {
        withoutScript(project)
        writeProgram(project, '@oven/bun-else/bin/bun', 'exit 126\n')
        addForThisMachine(project)
      },
    ],
    [
      'below the package',
      (project) =>
        project.link('nomenclator/node_modules/bun', join(import.meta.dir, '..', '..', 'node_modules', 'bun')),
    ],
  ]
  test.each(bunCases)('finds Bun %s', async (_where, addBun) => {
    using project = await ServerProject.create(addBun)
    expect(await project.run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' })
  })

  test.each([
    ['nowhere', () => {}],
    ['left out', withoutScript],
  ])('says what is missing where Bun is %s', async (_where, addBun) => {
    using project = await ServerProject.create(addBun)
    const { code, out, err } = await project.run('--version')
    expect([code, out]).toEqual([1, ''])
    expect(err).toStartWith('nomenclator: Bun, which runs this program, was not found in any node_modules above ')
    expect(err).toContain('install again')
  })
})
