// The workflows, as far as they can be checked where none can be run: what they may do, and what they take from others.
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..', '..')
const GITHUB = join(ROOT, '.github')
const names = readdirSync(join(GITHUB, 'workflows'))
const read = (...path: readonly string[]) => readFileSync(join(GITHUB, ...path), 'utf8')
type Job = { readonly permissions?: Readonly<Record<string, string>> }
type Workflow = {
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}
const workflow = (name: string) => Bun.YAML.parse(read('workflows', name)) as Workflow

describe.each(names)('%s', (name) => {
  test('takes actions by their commit only', () => {
    const actions = [...read('workflows', name).matchAll(/uses: (\S+)/g)].map(([, action = '']) => action)
    const loose = actions.filter((action) => !action.startsWith('./') && !/@[0-9a-f]{40}$/.test(action))
    expect([loose, actions.length > 0]).toEqual([[], true])
  })

  test('may write only what a job needs', () => {
    const { permissions = { all: 'write' }, jobs } = workflow(name)
    expect(Object.values(permissions).filter((access) => access !== 'read')).toEqual([])
    const writing = Object.entries(jobs).flatMap(([job, { permissions: granted = {} }]) =>
      Object.entries(granted).flatMap(([scope, access]) => (access === 'write' ? [`${job}: ${scope}`] : [])),
    )
    expect(writing).toEqual(
      name === 'release.yml'
        ? [
            'build: id-token',
            'build: attestations',
            'npm: id-token',
            'image: packages',
            'images: packages',
            'images: id-token',
            'images: attestations',
            'page: contents',
          ]
        : [],
    )
  })
})

test('the tests of packages run every night, and not with each change', () => {
  expect(read('workflows', 'nightly.yml')).toContain('npm run test:all')
  expect(readFileSync(join(ROOT, '.ci', 'run'), 'utf8')).not.toContain('test:all')
})

test('updates are looked for wherever dependencies are declared', () => {
  type Update = {
    readonly 'package-ecosystem': string
    readonly directories?: readonly string[]
    readonly directory?: string
  }
  const { updates } = Bun.YAML.parse(read('dependabot.yml')) as { updates: readonly Update[] }
  const [npm] = updates.filter((update) => update['package-ecosystem'] === 'npm')
  const locks = [...new Bun.Glob('**/package-lock.json').scanSync(ROOT)].filter(
    (file) => !file.includes('node_modules'),
  )
  expect([...(npm?.directories ?? [])].sort()).toEqual(
    locks.map((file) => `/${file}`.replace(/\/package-lock\.json$/, '') || '/').sort(),
  )
  expect(updates.map((update) => update['package-ecosystem'])).toEqual(['npm', 'github-actions', 'docker'])
  expect(existsSync(join(ROOT, 'deploy', 'Dockerfile'))).toBe(true)
})
