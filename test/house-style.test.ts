// Rules that the formatter does not check: first lines, words that do not belong here, pinned versions.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const glob = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })].sort()
const isOurs = (file: string) =>
  !/(?:^|\/)(?:node_modules|\.git)(?:\/|$)|^(?:var|dist)\/|^packages\/(?:[^/]+\/dist|server\/(?:data|deploy|docs|src\/explorer\/built))\//.test(
    file,
  )

const sources = glob('packages/*/src/**/*.{ts,tsx}')
const texts = glob('**/*').filter((file) => isOurs(file) && !/\.(?:png|ico|woff2|zip|gz)$/.test(file))
const manifests = texts.filter((file) => /(?:^|\/)package\.json$/.test(file))
const locks = texts.filter((file) => /(?:^|\/)package-lock\.json$/.test(file))

// The words stand in pieces, so that this file passes its own test.
const UNFINISHED = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`)
const FOREIGN = [`..${'/'}shared`, `/${'work'}/`]
const VAGUE_NAMES = /^(?:utils?|helpers?|common|types|misc|manager)\.tsx?$/

describe('the sources of a package', () => {
  test('has files that begin with a sentence that says what they own', () => {
    expect(sources.filter((file) => !/^(?:#!.*\n)?\/\/ .{10,}/.test(read(file)))).toEqual([])
  })

  test('has files named after what is in them', () => {
    expect(sources.filter((file) => VAGUE_NAMES.test(file.split('/').at(-1) ?? ''))).toEqual([])
  })
})

/** A problem of RFC 9457, of the server and as its client has it. */
const SAME_IN_TWO_PACKAGES = ['Problem']

test('no two exported types have one name', () => {
  const exported = sources
    .filter((file) => !/\.test\.ts$/.test(file))
    .flatMap((file) => [...read(file).matchAll(/^export (?:abstract )?(?:type|class|interface) (\w+)\b(?!,)/gm)])
    .map(([, name]) => name as string)
  expect(exported.length).toBeGreaterThan(300)
  const twice = exported.filter((name, at) => exported.indexOf(name) !== at)
  expect(twice).toEqual(SAME_IN_TWO_PACKAGES)
})

describe('JSON', () => {
  test('is parsed in one file of the server, as a value of unknown shape', () => {
    const server = 'packages/server/src/'
    const parsing = sources
      .filter((file) => file.startsWith(server) && !/\.test\.ts$|\/explorer\/browser\//.test(file))
      .filter((file) => /\bJSON\s*\.\s*parse\b|\{[^}]*\bparse\b[^}]*\} = JSON\b/.test(read(file)))
      .map((file) => file.slice(server.length))
    expect(parsing).toEqual(['base/json.ts'])
    expect(read(`${server}base/json.ts`)).toContain('parseJson = (text: string): unknown =>')
  })
})

describe('a table with names for keys', () => {
  const looked = sources.filter((file) => !/\.test\.ts$|\/explorer\/(?:browser|built)\//.test(file))
  const TABLE =
    /^(?:export )?const (\w+)(?:: (?:Readonly<|Partial<)*Record<string,| = Object\.fromEntries\((?![^;]*\) as ))/gm
  /** The words of pages are tables, too: of lists, fields and values of anyone. */
  const WORDS = '\\bwords\\.(?!problems|values|release\\.kinds)[\\w.]+'

  test('is a Map, or asked with own(): a name from outside may be one that every object has', () => {
    const tablesIn = (file: string) => [...read(file).matchAll(TABLE)].map(([, name]) => `(?<![.\\w])${name}`)
    expect(looked.flatMap(tablesIn).length).toBeGreaterThan(10)
    const found = looked.flatMap((file) => {
      const tables = [...tablesIn(file), ...(file.includes('/explorer/') ? [WORDS] : [])]
      const lookup = new RegExp(`(?:${tables.join('|') || '(?!)'})(?:\\?\\.)?\\[(?!['"])[^\\]]+\\]`, 'g')
      return (read(file).match(lookup) ?? []).map((one) => `${file}: ${one}`)
    })
    expect(found).toEqual([])
  })
})

describe('the whole project', () => {
  test('is looked at', () => {
    const known = [
      'README.md',
      'packages/server/src/main.ts',
      'tools/with-bun',
      '.gitignore',
      'data/pais.csv',
      'package-lock.json',
    ]
    expect(known.filter((file) => !texts.includes(file))).toEqual([])
  })

  test('has nothing marked as unfinished', () => {
    const code = texts.filter(
      (file) => /\.(?:tsx?|md|json)$|^tools\/|^nomenclator$/.test(file) && !locks.includes(file),
    )
    expect(code.filter((file) => UNFINISHED.test(read(file)))).toEqual([])
  })

  test.each(FOREIGN)('does not know %s', (word) => {
    expect(texts.filter((file) => read(file).includes(word))).toEqual([])
  })
})

describe('tests', () => {
  test('wait for processes without blocking: see test/support/command.ts', () => {
    const inTests = texts.filter((file) => /\.test\.ts$|^test\/(?:support|torture)\/.*\.ts$/.test(file))
    expect(inTests.length).toBeGreaterThan(200)
    expect(inTests.filter((file) => read(file).includes(`spawn${'Sync('}`))).toEqual([])
  })
})

describe('packages', () => {
  test.each(manifests)('of %s are pinned to one version each', (file) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(file))
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/.test(String(version)),
    )
    expect(loose).toEqual([])
  })

  test.each(locks)('of %s can come from any registry', (file) => {
    // Packages of this workspace are named by their folder.
    expect(read(file)).not.toMatch(/"resolved": "(?!packages\/)/)
  })

  test('are locked at the versions that package.json names', () => {
    for (const file of manifests) {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(read(file))
      const lockFile = file.replace('package.json', 'package-lock.json')
      const lock = JSON.parse(read(locks.includes(lockFile) ? lockFile : 'package-lock.json'))
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
        expect(`${name} ${lock.packages[`node_modules/${name}`]?.version}`).toBe(`${name} ${version}`)
    }
  })

  test('of the workspace have one version, and each can be published', () => {
    const { workspaces, version } = JSON.parse(read('package.json')) as { workspaces: string[]; version: string }
    const published = workspaces.map((folder) => JSON.parse(read(`${folder}/package.json`)))
    expect(published.map((manifest) => manifest.version)).toEqual(published.map(() => version))
    expect(published.filter((manifest) => manifest.private)).toEqual([])
    const names = ['nomenclator', ...['client', 'picker', 'verify'].map((part) => `nomenclator-${part}`)]
    expect(published.map(({ name }) => name)).toEqual(names)
  })
})
