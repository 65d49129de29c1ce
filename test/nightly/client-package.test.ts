// The client as users get it: packed in a clone, installed into an empty project, type-checked, and run in Node, in Bun and in Chromium.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser } from '../support/browser.ts'
import { bundledWithLocalities } from '../support/fewer-localities.ts'
import { installFromClone, output, StrangeProject } from '../support/packed.ts'
import { nomenclator, TestHome } from '../support/releases.ts'
import { serverOf, type TestServer } from '../support/server.ts'

const ROOT = join(import.meta.dir, '..', '..')
const MAX_CORE_BYTES = 6 << 10
/** All files as they are installed, with source maps and declarations. */
const MAX_PACKAGE_BYTES = 275_000
const EXAMPLE_URL = 'https://catalogs.example.org'

const project = new StrangeProject()
let home: TestHome
let server: TestServer
const installed = project.file('node_modules', 'nomenclator-client')
const inProject = (...names: string[]) => project.file(...names)
const run = (directory: string, ...command: string[]) => output(command, directory)

beforeAll(async () => {
  home = new TestHome()
  // The examples copy all records.
  await home.import(bundledWithLocalities(({ idEstado, poblacion }) => idEstado === 14 || Number(poblacion) > 100_000))
  const release = home.current()
  server = serverOf(() => release, {}, home.store)
  await installFromClone('nomenclator-client', project)
})
afterAll(async () => {
  await server.close()
  for (const directory of [home, project]) directory[Symbol.dispose]()
})

type Entry = { default: string; types: string; require: { default: string; types: string } }
type Manifest = { exports: Record<string, string | Entry>; main: string; types: string }
const manifest = () => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest
const entries = () => Object.values(manifest().exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry]))
const moduleOf = (entry: Entry) => readFileSync(join(installed, entry.default), 'utf8')

describe('the package', () => {
  test(`brings nothing but itself, in fewer than ${MAX_PACKAGE_BYTES} bytes`, () => {
    const declared = Object.keys(manifest()).filter((member) => /dependencies/i.test(member))
    expect(declared).toEqual([])
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
    const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const sizes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_PACKAGE_BYTES)
  })

  test('has compiled JavaScript and declarations for every entry, and nothing compiled is committed', async () => {
    expect(entries()).toHaveLength(2)
    const { main, types } = manifest()
    const named = entries().flatMap((entry) => [entry, entry.require].flatMap((one) => [one.types, one.default]))
    for (const file of [...named, main, types]) expect(existsSync(join(installed, file)), file).toBe(true)
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain('/packages/*/dist/')
    if (existsSync(join(ROOT, '.git')) && Bun.which('git') !== null)
      expect(await run(ROOT, 'git', 'ls-files', 'packages/client/dist')).toBe('')
  })

  test(`has a core of fewer than ${MAX_CORE_BYTES} bytes compressed`, () => {
    const [core] = entries()
    expect(Bun.gzipSync(moduleOf(core as Entry)).length).toBeLessThan(MAX_CORE_BYTES)
  })

  test('imports nothing, save what a store in a file needs', () => {
    const transpiler = new Bun.Transpiler({ loader: 'js' })
    const imported = readdirSync(join(installed, 'dist'))
      .filter((file) => /\.c?js$/.test(file))
      .map((file) => {
        const source = readFileSync(join(installed, 'dist', file), 'utf8')
        expect(source).not.toMatch(
          file.endsWith('.cjs') ? /\b(?:Bun|process|Buffer)\b/ : /\b(?:Bun|process|Buffer|require)\b/,
        )
        return [
          file,
          transpiler
            .scanImports(source)
            .map(({ path, kind }) => `${kind} ${path}`)
            .sort(),
        ]
      })
    expect(Object.fromEntries(imported)).toEqual({
      'file-store.cjs': ['require-call node:fs/promises'],
      'file-store.js': ['import-statement node:fs/promises'],
      'index.cjs': [],
      'index.js': ['dynamic-import ./offline-copy.js', 'dynamic-import ./sync.js'],
      'offline-copy.js': [],
      'sync.js': [],
    })
  })
})

const DOCUMENT = 'docs/client.md'
const README = 'packages/client/README.md'

/** The examples of a document as one program; of blocks that are not for all runtimes, only those for these. */
function program(document: string, ...runtimes: readonly string[]) {
  const text = readFileSync(join(ROOT, document), 'utf8')
  const blocks = [...text.matchAll(/^```ts(?: (\w+))?\n([\s\S]*?)^```$/gm)]
    .filter(([, runtime]) => runtime === undefined || runtimes.includes(runtime))
    .map(([, , code = '']) => code)
  const source = blocks.join('\n').replaceAll(EXAMPLE_URL, server.url)
  const expected = source.split('\n').flatMap((line) => /^(?:.*console\.log\(.*\) )?\/\/ (.*)$/.exec(line)?.[1] ?? [])
  return { source, script: new Bun.Transpiler({ loader: 'ts' }).transformSync(source), expected }
}

/** The part of Node's types that the examples need: all of them would take longer to check than everything else. */
const NODE_TYPES = `declare module 'node:fs/promises' {
  export function readFile(path: string, encoding: 'utf8'): Promise<string>
}`

describe('the types', () => {
  test('accept what is right and refuse what is wrong, in strict TypeScript, with those that nomenclator types prints', async () => {
    cpSync(join(ROOT, 'test', 'client-programs', 'types.ts'), inProject('types.ts'))
    const { out, code } = await nomenclator('types', '--home', home.path)
    expect(code).toBe(0)
    expect(out).toStartWith(`// Types of release ${home.current().digest}, printed by nomenclator types.\n`)
    writeFileSync(inProject('catalogs.ts'), out)
    writeFileSync(inProject('example.ts'), program(DOCUMENT, 'node').source)
    writeFileSync(inProject('node.d.ts'), NODE_TYPES)
    writeFileSync(inProject('readme.ts'), program(README, 'node').source)
    expect(await project.typeErrors(['types.ts', 'example.ts', 'readme.ts', 'node.d.ts'])).toBe('')
  })

  test('can be named in the declarations of others', async () => {
    cpSync(join(ROOT, 'test', 'client-programs', 'inferred.ts'), inProject('inferred.ts'))
    const emitted = { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: 'declared' }
    expect(await project.typeErrors(['inferred.ts'], emitted)).toBe('')
    const declarations = readFileSync(inProject('declared', 'inferred.d.ts'), 'utf8')
    expect(declarations).toContain('export declare const country: import("nomenclator-client").Pais & {')
    expect(declarations).not.toContain('nomenclator-client/dist')
  })
})

describe('a CommonJS project', () => {
  const compiled = async (module: string) => {
    mkdirSync(inProject(module))
    writeFileSync(inProject(module, 'package.json'), '{"type":"commonjs"}')
    cpSync(join(ROOT, 'test', 'client-programs', 'commonjs.ts'), inProject(module, 'program.ts'))
    return await project.typeErrors([`${module}/program.ts`], { module, noEmit: false, declaration: true })
  }

  test('compiles with module node16', async () => {
    expect(await compiled('node16')).toBe('')
  })

  test('compiles with module nodenext, requires the package and runs', async () => {
    expect(await compiled('nodenext')).toBe('')
    expect(readFileSync(inProject('nodenext', 'program.js'), 'utf8')).toContain('require("nomenclator-client")')
    const printed = await run(inProject('nodenext'), 'node', 'program.js', server.url)
    expect(printed.split('\n')).toEqual([
      'México México true function',
      'NotFound NotFound true',
      // Later versions of Node can require ES modules too: then the classes would be the same.
      'false true false',
      'true',
      '',
    ])
  })
})

describe('the errors', () => {
  test('have the names of their classes, and instanceof knows them by these in every copy of the package', async () => {
    const script = `import * as client from 'nomenclator-client'
import { createRequire } from 'node:module'
const required = createRequire(import.meta.url)('nomenclator-client')
const classes = Object.entries(client).filter(([name]) => /^[A-Z]/.test(name))
const request = { method: 'GET', url: 'http://x' }
for (const [name, Class] of classes) {
  const error = name === 'DigestMismatch' || !(Class.prototype instanceof client.ResponseError) ? new Class('x') : new Class(request, { status: 1 })
  const kinds = (all) => classes.flatMap(([one]) => (error instanceof all[one] ? one : [])).join()
  console.log([name, Class.name, error.name, error.constructor.name, kinds(client) === kinds(required), kinds(client)].join(' '))
}
class Mine extends client.NotFound {}
const [mine, other] = [new Mine(request, { status: 404 }), new client.NotFound(request, { status: 404 })]
console.log(mine.name, mine instanceof Mine, mine instanceof required.NotFound, other instanceof Mine)
console.log([null, undefined, 'x', new Error('x'), Object.create(null)].some((one) => one instanceof client.NomenclatorError))
`
    writeFileSync(inProject('errors.mjs'), script)
    const lines = (await run(project.path, 'node', 'errors.mjs')).trimEnd().split('\n')
    const kindsOf = (...names: readonly string[]) => names.toSorted().join()
    const line = (name: string, ...others: readonly string[]) =>
      `${[name, name, name, name].join(' ')} true ${kindsOf(name, 'NomenclatorError', ...others)}`
    expect(lines).toEqual([
      line('BadRequest', 'ResponseError'),
      line('ConnectionFailed'),
      line('DigestMismatch'),
      'NomenclatorError NomenclatorError NomenclatorError NomenclatorError true NomenclatorError',
      line('NotFound', 'ResponseError'),
      line('ReleaseGone', 'ResponseError'),
      'ResponseError ResponseError ResponseError ResponseError true NomenclatorError,ResponseError',
      line('TimedOut', 'ConnectionFailed'),
      line('TooManyRequests', 'ResponseError'),
      line('Unavailable', 'ResponseError'),
      'Mine true true false',
      'false',
    ])
  })
})

describe('the examples print what they say', () => {
  test('of the README, in Node', async () => {
    const { script, expected } = program(README, 'node')
    writeFileSync(inProject('readme.mjs'), script)
    const printed = await run(project.path, 'node', 'readme.mjs')
    expect(printed.trimEnd().split('\n')).toEqual(expected)
    expect(expected).toHaveLength(3)
  })

  test('in Node', async () => {
    const { script, expected } = program(DOCUMENT, 'node')
    writeFileSync(inProject('example.mjs'), script)
    const printed = await run(project.path, 'node', 'example.mjs')
    expect(printed.trimEnd().split('\n')).toEqual(expected)
    expect(expected.length).toBeGreaterThan(20)
  })

  test('in Bun', async () => {
    const { source, expected } = program(DOCUMENT, 'node', 'bun')
    writeFileSync(inProject('example-bun.ts'), source)
    const printed = await run(project.path, process.execPath, 'example-bun.ts')
    expect(printed.trimEnd().split('\n')).toEqual(expected)
  })

  test('in Deno, where there is one', async () => {
    const deno = Bun.which('deno')
    if (deno === null) return
    const { script, expected } = program(DOCUMENT, 'node')
    writeFileSync(inProject('example-deno.mjs'), script)
    const permissions = ['--allow-net', '--allow-read', '--allow-write', '--node-modules-dir=manual']
    const printed = await run(project.path, deno, 'run', ...permissions, 'example-deno.mjs')
    expect(printed.trimEnd().split('\n')).toEqual(expected)
  })

  test('in Chromium, on a page of another origin', async () => {
    const browser = await launchBrowser()
    if (browser === undefined) return
    const { script, expected } = program(DOCUMENT)
    const imports = { 'nomenclator-client': '/index.js' }
    const html = `<!doctype html><script>window.printed = []; console.log = (...words) => printed.push(words.join(' '))</script>
<script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="/example.js"></script>`
    const site = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) => {
        const { pathname } = new URL(url)
        if (pathname === '/') return new Response(html, { headers: { 'Content-Type': 'text/html' } })
        if (pathname === '/example.js')
          return new Response(`${script}\nwindow.isDone = true`, { headers: { 'Content-Type': 'text/javascript' } })
        const file = Bun.file(join(installed, 'dist', pathname))
        return existsSync(file.name ?? '') ? new Response(file) : new Response(null, { status: 404 })
      },
    })
    try {
      const page = await browser.newPage()
      const errors: string[] = []
      page.on('pageerror', ({ message }) => errors.push(message))
      await page.goto(`http://127.0.0.1:${site.port}/`)
      await Promise.race([
        page.waitForFunction('window.isDone === true'),
        new Promise((resolve) => page.on('pageerror', resolve)),
      ])
      expect(errors).toEqual([])
      expect(await page.evaluate<string[]>('window.printed')).toEqual(expected)
    } finally {
      await browser.close()
      await site.stop(true)
    }
  })
})
