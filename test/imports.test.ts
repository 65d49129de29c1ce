// Reads the imports of the packages and refuses those that point the wrong way, turn in a circle or were never declared.
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import workspace from '../package.json' with { type: 'json' }
import manifest from '../packages/server/package.json' with { type: 'json' }

const ROOT = join(import.meta.dir, '..')

/** The folders that each folder of the server may import besides itself and base. A folder must be named here. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  base: [],
  catalog: [],
  source: ['catalog'],
  release: ['catalog', 'source'],
  query: ['catalog', 'source', 'release'],
  http: ['catalog', 'source', 'release', 'query'],
  explorer: ['catalog', 'source', 'release', 'query', 'http'],
  distribution: ['catalog', 'source', 'release', 'query', 'http'],
  cli: ['catalog', 'source', 'release', 'query', 'http', 'explorer', 'distribution'],
}
const SERVER = 'packages/server/src/'
/** Scripts for browsers, which are no part of the server, though they lie beside the pages. */
const BROWSER = `${SERVER}explorer/browser/`
/** The reader of tables, and what tells what their columns are, which run in browsers too. */
const READER = [`${SERVER}source/package/read/`, `${SERVER}source/package/infer/`, `${SERVER}source/csv.ts`]
const CLIENT = 'packages/client/src/'
/** The entries of a package pass on what it offers; nobody here imports them. */
const ENTRIES = [`${CLIENT}index.ts`]
const OUTSIDE = ['packages/server/package.json']
/** The one part of another package that the server has, under the name that its package.json and tsconfig.json give to it. */
const VERIFY = { name: '#verify', entry: 'packages/verify/src/command.ts', importer: `${SERVER}cli/commands/verify.ts` }

type Import = { readonly from: string; readonly to: string; readonly types: boolean }

const STATEMENTS = [
  /^import\s+(?<type>type\s)?[^'"]*?from\s+['"](?<to>[^'"]+)['"]/gm,
  /^import\s+['"](?<to>[^'"]+)['"]/gm,
  /^export\s+(?<type>type\s)?(?:\*|\{)[^'"]*?from\s+['"](?<to>[^'"]+)['"]/gm,
  /\bimport\(\s*['"](?<to>[^'"]+)['"]/g,
]

function importsOf(file: string, source: string): Import[] {
  return STATEMENTS.flatMap((statement) =>
    [...source.matchAll(statement)].map(({ groups }) => ({
      from: file,
      to: groups?.to as string,
      types: groups?.type !== undefined,
    })),
  )
}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const allFiles = [...new Bun.Glob('packages/*/src/**/*.{ts,tsx}').scanSync(ROOT)].sort()
const isTest = (file: string) => /\.test\.tsx?$/.test(file)
const files = allFiles.filter((file) => !isTest(file))
const imports = files.flatMap((file) => importsOf(file, read(file)))

const isLocal = ({ to }: Import) => to.startsWith('.') || to === VERIFY.name
const targetOf = ({ from, to }: Import) =>
  to === VERIFY.name ? VERIFY.entry : relative(ROOT, join(ROOT, dirname(from), to))
/** The part that a file belongs to: a folder of the server, or a part that stands by itself. */
function partOf(file: string): string {
  if (file.startsWith(BROWSER)) return 'browser'
  if (!file.startsWith(SERVER)) return file.split('/').slice(0, 2).join('/')
  const [folder = '', ...rest] = file.slice(SERVER.length).split('/')
  return rest.length === 0 ? `${SERVER}${folder}` : folder
}

/** The fault of an import between files of the project; undefined if it is allowed. */
function wrongWay(statement: Import): string | undefined {
  const { from } = statement
  const target = targetOf(statement)
  if (OUTSIDE.includes(target) || target === `${partOf(from)}/package.json`) return undefined
  if (from === VERIFY.importer && statement.to === VERIFY.name) return undefined
  if (!/^packages\/[^/]+\/src\//.test(target)) return `${target} is no source of a package`
  const [here, there] = [partOf(from), partOf(target)]
  if (here === there) return undefined
  if (here === 'browser' && READER.some((place) => target.startsWith(place))) return undefined
  if (!from.startsWith(SERVER) || here === 'browser') return `${here} stands by itself`
  if (from === `${SERVER}main.ts`) return undefined
  const allowed = mayImport[here]
  if (allowed === undefined) return `${here} has no place in the order; give it one in test/imports.test.ts`
  if (there === 'base' || allowed.includes(there)) return undefined
  return `${here} may import ${['base', ...allowed].join(', ')}`
}

const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')

function undeclared(statements: readonly Import[], declared: readonly string[]): string[] {
  return statements
    .filter((statement) => !isLocal(statement) && !/^(?:node|bun):/.test(statement.to))
    .filter(({ to }) => !declared.includes(packageOf(to)))
    .map(({ from, to }) => `${from} imports ${to}, which package.json does not declare`)
}

/** The first circle found, as the files on it. */
function circle(edges: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const next of edges.get(file) ?? []) {
      const found = visit(next, [...path, file])
      if (found !== undefined) return found
    }
    done.add(file)
    return undefined
  }
  for (const file of edges.keys()) {
    const found = visit(file, [])
    if (found !== undefined) return found
  }
  return undefined
}

describe('the imports of the packages', () => {
  test('are all seen by this test', () => {
    const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) }
    const missed = files.flatMap((file) => {
      const seen = new Set(importsOf(file, read(file)).map(({ to }) => to))
      const transpiler = file.endsWith('x') ? transpilers.tsx : transpilers.ts
      return transpiler.scanImports(read(file)).flatMap(({ path }) => (seen.has(path) ? [] : [`${file}: ${path}`]))
    })
    expect(missed).toEqual([])
    expect(imports.length).toBeGreaterThan(files.length)
  })

  test('lead to files that are there', () => {
    const lost = imports.filter((statement) => isLocal(statement) && !existsSync(join(ROOT, targetOf(statement))))
    expect(lost.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test('point one way: catalog ◄ source ◄ release ◄ query ◄ http ◄ explorer, distribution ◄ cli ◄ main', () => {
    const wrong = imports.filter(isLocal).flatMap((statement) => {
      const reason = wrongWay(statement)
      return reason === undefined ? [] : [`${statement.from} imports ${statement.to}: ${reason}`]
    })
    expect(wrong).toEqual([])
  })

  test('bring no part of Node or Bun to a browser', () => {
    const loaded = new Set(files.filter((file) => file.startsWith(BROWSER)))
    for (const file of loaded)
      for (const statement of imports)
        if (statement.from === file && !statement.types && isLocal(statement)) loaded.add(targetOf(statement))
    const used = [...loaded].flatMap((file) => {
      const ofRuntime = /\b(?:Bun\.|Buffer\.|process\.)|from '(?:node|bun):/.exec(
        read(file).replace(/^ *(\/\/|\*|\/\*\*).*$/gm, ''),
      )
      return ofRuntime === null ? [] : [`${file}: ${ofRuntime[0]}`]
    })
    expect(used).toEqual([])
  })

  test('make no circle', () => {
    const edges = new Map(
      files.map((file) => [file, imports.filter((i) => i.from === file && isLocal(i)).map(targetOf)]),
    )
    expect(circle(edges)?.join(' → ')).toBeUndefined()
  })

  test('take only packages that are declared', () => {
    for (const [name, declared] of [
      ['server', Object.keys(manifest.dependencies)],
      ['client', []],
      ['picker', []],
      ['verify', []],
    ] as const)
      expect(
        undeclared(
          imports.filter(({ from }) => from.startsWith(`packages/${name}/`)),
          declared,
        ),
      ).toEqual([])
    const tests = allFiles.filter(isTest).flatMap((file) => importsOf(file, read(file)))
    expect(undeclared(tests, Object.keys({ ...manifest.dependencies, ...workspace.devDependencies }))).toEqual([])
  })

  test('are of names: no default export, no file that passes the exports of others on', () => {
    const defaults = files.filter((file) => /^export\s+default\b|^export\s*\{[^}]*\bas\s+default\b/m.test(read(file)))
    const passedOn = files
      .filter((file) => /^export\s+(?:type\s+)?(?:\*|\{[^}]*\}\s*from\b)/m.test(read(file)))
      .filter((file) => !ENTRIES.includes(file))
    expect({ defaults, passedOn }).toEqual({ defaults: [], passedOn: [] })
  })
})

describe('the rules themselves', () => {
  const from = (file: string, to: string, types = false): Import => ({ from: file, to, types })
  const cases: [string, Import, boolean][] = [
    ['to the left', from(`${SERVER}http/a.ts`, '../query/b.ts'), true],
    ['within a folder', from(`${SERVER}query/a.ts`, './b.ts'), true],
    ['what all use', from(`${SERVER}catalog/a.ts`, '../base/operational-error.ts'), true],
    ['the version', from(`${SERVER}base/version.ts`, '../../package.json'), true],
    ['anything, from main', from(`${SERVER}main.ts`, './cli/run.ts'), true],
    ['to the right', from(`${SERVER}query/a.ts`, '../http/b.ts'), false],
    ['the pages, from http', from(`${SERVER}http/a.ts`, '../explorer/b.ts'), false],
    ['the distribution, from http', from(`${SERVER}http/a.ts`, '../distribution/b.ts', true), false],
    ['the distribution, from the pages', from(`${SERVER}explorer/a.ts`, '../distribution/b.ts'), false],
    ['what verifies servers, from its command', from(VERIFY.importer, VERIFY.name), true],
    ['what verifies servers, from another command', from(`${SERVER}cli/commands/a.ts`, VERIFY.name), false],
    ['what verifies servers, by its path', from(VERIFY.importer, '../../../../verify/src/command.ts'), false],
    ['the server, from what verifies others', from('packages/verify/src/a.ts', '../../server/src/base/b.ts'), false],
    ['to the right, types alone', from(`${SERVER}catalog/a.ts`, '../source/b.ts', true), false],
    ['a folder, from what all use', from(`${SERVER}base/operational-error.ts`, '../cli/run.ts'), false],
    ['main', from(`${SERVER}cli/run.ts`, '../main.ts'), false],
    ['types of the catalog, from the client', from(`${CLIENT}a.ts`, '../../server/src/catalog/b.ts', true), false],
    ['what all use, from the client', from(`${CLIENT}a.ts`, '../../server/src/base/b.ts', true), false],
    ['the server, from the client', from(`${CLIENT}a.ts`, '../../server/src/http/b.ts', true), false],
    ['the pages, from a browser', from(`${BROWSER}a.ts`, '../links.ts'), false],
    ['a browser, from the pages', from(`${SERVER}explorer/a.ts`, './browser/b.ts'), false],
    ['the client, from a command', from(`${SERVER}cli/a.ts`, '../../../client/src/b.ts', true), false],
    ['the server, from the picker', from('packages/picker/src/a.ts', '../../server/src/base/b.ts'), false],
    ['a folder without a place', from(`${SERVER}stray/a.ts`, '../catalog/b.ts'), false],
    ['outside the packages', from(`${SERVER}cli/a.ts`, '../../../../test/b.ts'), false],
  ]
  test.each(cases)('%s', (_what, statement, allowed) => {
    expect(wrongWay(statement) === undefined).toBe(allowed)
  })

  test('see every form of import', () => {
    const forms = [
      "import { a } from './a.ts'",
      "import type { b } from './b.ts'",
      "import {\n  c,\n  type C,\n} from './c.ts'",
      "import './d.ts'",
      "export { e } from './e.ts'",
      "export * from './f.ts'",
      "const g = await import('./g.ts')",
      'import h from "./h.json" with { type: "json" }',
    ]
    const seen = importsOf('packages/server/src/x.ts', forms.join('\n')).map(({ to }) => to)
    expect(seen.sort()).toEqual(
      ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts', 'g.ts', 'h.json'].map((name) => `./${name}`),
    )
    expect(importsOf('packages/server/src/x.ts', "import type { b } from './b.ts'")[0]?.types).toBe(true)
  })

  test('find a circle and name it', () => {
    const edges = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['b']],
    ])
    expect(circle(edges)).toEqual(['b', 'd', 'b'])
    expect(undeclared([{ from: 'x', to: '@scope/name/part', types: false }], ['@scope/name'])).toEqual([])
    expect(undeclared([{ from: 'x', to: 'left-pad', types: false }], [])).toHaveLength(1)
  })
})

describe('exports', () => {
  const EXPORT = /^export\s+(?:async\s+)?(?:function\*?|const|class|type|let)\s+(\w+)/gm
  const importers = ['packages', 'test', 'bench', 'tools', 'data/prepare']
    .flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.ts`).scanSync(ROOT)])
    .filter((file) => !file.includes('node_modules'))
  /** The text of every file that imports another, by the file that is imported. */
  const importing = new Map<string, string[]>()
  /** Files that an entry of a package passes on as a whole. */
  const passedOn = new Set<string>()
  for (const file of importers) {
    const source = read(file)
    for (const { to } of importsOf(file, source)) {
      const statement = { from: file, to, types: false }
      if (!isLocal(statement)) continue
      const target = targetOf(statement)
      importing.set(target, [...(importing.get(target) ?? []), source])
      if (new RegExp(`^export (?:type )?\\* from '${to}'`, 'm').test(source)) passedOn.add(target)
    }
  }

  test('are all imported by another file', () => {
    const unused = files
      .filter((file) => !passedOn.has(file))
      .flatMap((file) =>
        [...read(file).matchAll(EXPORT)]
          .map(([, name]) => name as string)
          .filter((name) => !importing.get(file)?.some((source) => new RegExp(`\\b${name}\\b`).test(source)))
          .map((name) => `${file} exports ${name}`),
      )
    expect(unused).toEqual([])
  })
})
