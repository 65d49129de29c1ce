// Reads the imports of src/ and refuses those that point the wrong way, turn in a circle or were never declared.
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import manifest from '../package.json' with { type: 'json' }

const ROOT = join(import.meta.dir, '..')

/** Which folders of src/ each folder may import besides itself. What is not named here has no place yet. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  catalog: [],
  source: ['catalog'],
  release: ['catalog', 'source'],
  page: ['catalog', 'source', 'release'],
  find: ['catalog', 'source', 'release'],
  http: ['catalog', 'source', 'release', 'page', 'find'],
  verify: ['catalog', 'source'],
  cli: ['catalog', 'source', 'release', 'page', 'find', 'http', 'verify'],
  client: ['catalog'],
  explorer: [],
}
/** The client goes to other machines without the server, so of the catalog it takes the types alone. */
const typesOnly = new Set(['client'])
/** What runs in a browser or on its own does not take the base files of the server along. */
const standsAlone = new Set(['client', 'explorer'])
/** The entries of the package pass on what it offers; nobody in src/ imports them. */
const ENTRIES = ['src/client/index.ts']
const OUTSIDE = ['package.json']

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
const allFiles = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(ROOT)].sort()
const isTest = (file: string) => /\.test\.tsx?$/.test(file)
const files = allFiles.filter((file) => !isTest(file))
const imports = files.flatMap((file) => importsOf(file, read(file)))

const isLocal = ({ to }: Import) => to.startsWith('.')
const targetOf = ({ from, to }: Import) => relative(ROOT, join(ROOT, dirname(from), to))
/** The folder of src/ that a file is in, or nothing for the files directly under src/. */
const folderOf = (file: string) => (file.split('/').length > 2 ? file.split('/')[1] : undefined)

/** What is wrong with one import between files of the project, if anything is. */
function wrongWay(statement: Import): string | undefined {
  const { from, types } = statement
  const target = targetOf(statement)
  const [here, there] = [folderOf(from), folderOf(target)]
  if (!target.startsWith('src/')) return OUTSIDE.includes(target) ? undefined : `${target} is outside src/`
  if (from === 'src/main.ts') return undefined
  if (target === 'src/main.ts') return 'nothing imports the program'
  if (here === undefined) return there === undefined ? undefined : 'a file directly under src/ imports no folder'
  if (here === there) return undefined
  const allowed = mayImport[here]
  if (allowed === undefined) return `src/${here}/ has no place in the order yet; give it one in test/imports.test.ts`
  if (there === undefined) return standsAlone.has(here) ? `${here} takes nothing of the server along` : undefined
  if (!allowed.includes(there)) return `${here} may import ${allowed.join(', ') || 'nothing but itself'}`
  return typesOnly.has(here) && !types ? `${here} may take only types from ${there}: write import type` : undefined
}

const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')

function undeclared(statements: readonly Import[], declared: readonly string[]): string[] {
  return statements
    .filter(({ to }) => !to.startsWith('.') && !/^(?:node|bun):/.test(to))
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

describe('the imports of src/', () => {
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

  test('point one way: catalog ◄ source ◄ release ◄ page, find ◄ http ◄ cli ◄ main', () => {
    const wrong = imports.filter(isLocal).flatMap((statement) => {
      const reason = wrongWay(statement)
      return reason === undefined ? [] : [`${statement.from} imports ${statement.to}: ${reason}`]
    })
    expect(wrong).toEqual([])
  })

  test('never lead to the client, which is for others', () => {
    const into = imports.filter(
      (i) => isLocal(i) && folderOf(targetOf(i)) === 'client' && folderOf(i.from) !== 'client',
    )
    expect(into.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
    expect(files.filter((file) => folderOf(file) === 'client').length).toBeGreaterThan(5)
  })

  test('make no circle', () => {
    const edges = new Map(
      files.map((file) => [file, imports.filter((i) => i.from === file && isLocal(i)).map(targetOf)]),
    )
    expect(circle(edges)?.join(' → ')).toBeUndefined()
  })

  test('take only packages that are declared', () => {
    expect(undeclared(imports, Object.keys(manifest.dependencies))).toEqual([])
    const tests = allFiles.filter(isTest).flatMap((file) => importsOf(file, read(file)))
    expect(undeclared(tests, Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))).toEqual([])
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
  const cases: [string, Import, boolean][] = [
    ['to the left', { from: 'src/http/a.ts', to: '../page/b.ts', types: false }, true],
    ['within a folder', { from: 'src/page/a.ts', to: './b.ts', types: false }, true],
    ['a base file', { from: 'src/catalog/a.ts', to: '../failure.ts', types: false }, true],
    ['anything, from main', { from: 'src/main.ts', to: './cli/run.ts', types: false }, true],
    ['types of the catalog, from the client', { from: 'src/client/a.ts', to: '../catalog/b.ts', types: true }, true],
    ['to the right', { from: 'src/page/a.ts', to: '../http/b.ts', types: false }, false],
    ['the server, from what verifies others', { from: 'src/verify/a.ts', to: '../http/b.ts', types: false }, false],
    ['to the right, types alone', { from: 'src/catalog/a.ts', to: '../source/b.ts', types: true }, false],
    ['a folder, from a base file', { from: 'src/failure.ts', to: './cli/run.ts', types: false }, false],
    ['main', { from: 'src/cli/run.ts', to: '../main.ts', types: false }, false],
    ['code of the catalog, from the client', { from: 'src/client/a.ts', to: '../catalog/b.ts', types: false }, false],
    ['the catalog, from the explorer', { from: 'src/explorer/a.ts', to: '../catalog/b.ts', types: true }, false],
    ['the client, from the explorer', { from: 'src/explorer/a.ts', to: '../client/b.ts', types: true }, false],
    ['the client, from a command', { from: 'src/cli/a.ts', to: '../client/b.ts', types: true }, false],
    ['a base file, from the client', { from: 'src/client/a.ts', to: '../failure.ts', types: false }, false],
    ['the server, from the client', { from: 'src/client/a.ts', to: '../http/b.ts', types: true }, false],
    ['a folder without a place', { from: 'src/stray/a.ts', to: '../catalog/b.ts', types: false }, false],
    ['outside src', { from: 'src/cli/a.ts', to: '../../test/b.ts', types: false }, false],
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
    const seen = importsOf('src/x.ts', forms.join('\n')).map(({ to }) => to)
    expect(seen.sort()).toEqual(
      ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts', 'g.ts', 'h.json'].map((name) => `./${name}`),
    )
    expect(importsOf('src/x.ts', "import type { b } from './b.ts'")[0]?.types).toBe(true)
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
  const importers = ['src', 'test', 'bench', 'tools', 'data/prepare']
    .flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.ts`).scanSync(ROOT)])
    .filter((file) => !file.includes('node_modules'))
  /** The text of every file that imports another, by the file that is imported. */
  const importing = new Map<string, string[]>()
  for (const file of importers) {
    const source = read(file)
    for (const { to } of importsOf(file, source)) {
      if (!to.startsWith('.')) continue
      const target = relative(ROOT, join(ROOT, dirname(file), to))
      importing.set(target, [...(importing.get(target) ?? []), source])
    }
  }

  test('are all imported by another file', () => {
    const unused = files.flatMap((file) =>
      [...read(file).matchAll(EXPORT)]
        .map(([, name]) => name as string)
        .filter((name) => !importing.get(file)?.some((source) => new RegExp(`\\b${name}\\b`).test(source)))
        .map((name) => `${file} exports ${name}`),
    )
    expect(unused).toEqual([])
  })
})
