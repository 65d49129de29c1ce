// Keeps the documents true: they name all parts of the program, and no part that does not exist.

import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { USAGE } from '../bench/bench.ts'
import { USAGE as EXPLORER_USAGE } from '../bench/explorer.ts'
import { INFER_USAGE } from '../bench/infer/usage.ts'
import { USAGE as RESOLVE_USAGE } from '../bench/resolve/resolve.ts'
import { USAGE as SEARCH_USAGE } from '../bench/search/search.ts'
import manifest from '../package.json' with { type: 'json' }
import server from '../packages/server/package.json' with { type: 'json' }
import { type Field, publishedFields } from '../packages/server/src/catalog/entity.ts'
import type { Command } from '../packages/server/src/cli/command.ts'
import { allCommands } from '../packages/server/src/cli/command-table.ts'
import { SHELF_TROUBLES } from '../packages/server/src/distribution/shelf/follower.ts'
import { ADMIN_PATHS } from '../packages/server/src/http/observation/admin-paths.ts'
import { PROBLEMS } from '../packages/server/src/http/problem.ts'
import { SUPERVISOR_VARIABLE } from '../packages/server/src/http/processes/messages.ts'
import { ROUTE_LABELS } from '../packages/server/src/http/routes.ts'
import { pageHeaders } from '../packages/server/src/http/v1/page-headers.ts'
import { FIRST_PAGE } from '../packages/server/src/http/v1/page-request.ts'
import { HEAD_LIMITS } from '../packages/server/src/http/wire/request-head.ts'
import { TIMEOUTS } from '../packages/server/src/http/wire/server.ts'
import type { PageNumber } from '../packages/server/src/query/page.ts'
import { FOLLOW_PROBLEMS } from '../packages/server/src/release/home/follow.ts'
import { checks } from '../packages/verify/src/checks.ts'
import { DIFFERENCE_KINDS } from '../packages/verify/src/compare.ts'
import { housePicture } from '../tools/house-picture.ts'
import { USAGE as SCREENSHOTS_USAGE } from '../tools/screenshots.ts'
import { CHROMIUM_VARIABLE } from './support/browser.ts'
import { builtIn, collections } from './support/built-in.ts'
import { recordedCatalog } from './support/recorded-lists.ts'
import { RESULTS } from './torture/report.ts'
import { campaigns, USAGE as TORTURE_USAGE } from './torture/torture.ts'

const commands = await allCommands()

const ROOT = join(import.meta.dir, '..')
const README_LINES = 91
const TOUR_LINES = 200
const SPINE_LINES = 7_000
const SPINE_FILES = 45
const FOLDER_README_LINES = 60
/** Files that are made when the project is set up or run, and not in the repository. */
const MADE_LATER = ['built/', 'tsconfig.json']
/** The documents for people who run or use it. */
const IN_SPANISH = [
  'README',
  ...['explorer', 'importing', 'install', 'resolve', 'wscatgeo', 'your-own-catalog'].map((name) => `docs/${name}`),
].map((name) => `${name}.md`)
const MAX_PICTURE_BYTES = 80_000
const CONTRACT = 'docs/http-contract.md'
/** Flags that no command has and the documents may name: those of the benchmarks and of the campaigns. */
const FLAGS_OF_OTHERS =
  `${USAGE}${EXPLORER_USAGE}${RESOLVE_USAGE}${INFER_USAGE}${SEARCH_USAGE}${TORTURE_USAGE}${SCREENSHOTS_USAGE}`.match(
    /--[a-z]+/g,
  ) ?? []
/** The properties by which the looks of the picker are set, which are written like flags. */
const PICKER_PROPERTIES = [
  ...new Set(readFileSync(join(ROOT, 'packages/picker/src/nomenclator-picker.ts'), 'utf8').match(/--picker-[a-z]+/g)),
]
/** Variables that no command has: those that are not for people to set, and that of the tests. */
const OTHER_VARIABLES = [SUPERVISOR_VARIABLE, 'JOURNAL_STREAM', CHROMIUM_VARIABLE]
const FLAGS_OF_ALL = ['--help', '--version']

type Section = {
  readonly title: string
  readonly anchor: string
  /** The cells of all table rows of the section, without the headings of the tables. */
  readonly rows: string[][]
}

type Document = {
  readonly file: string
  readonly text: string
  readonly sections: readonly Section[]
  readonly links: readonly string[]
  /** Code between backticks, and the lines of code blocks that call something. */
  readonly code: readonly string[]
}

/** Reads as much of Markdown as is looked at here. */
function documentOf(file: string, text: string): Document {
  const sections: Section[] = []
  const links: string[] = []
  const code: string[] = []
  let inCode = false
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) {
      inCode = !inCode
      continue
    }
    if (inCode) {
      if (/^(?:\$ )?(?:\.\/|npm )/.test(line)) code.push(line.replace(/^\$ /, ''))
      continue
    }
    const title = line.match(/^#+ (.+)$/)?.[1]
    if (title !== undefined) sections.push({ title, anchor: anchorOf(title), rows: [] })
    else if (/^\|(?:\s*:?-+:?\s*\|)+$/.test(line)) sections.at(-1)?.rows.pop()
    else if (line.startsWith('|')) sections.at(-1)?.rows.push(cellsOf(line))
    links.push(...[...line.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string))
    code.push(...spans(line))
  }
  return { file, text, sections, links, code }
}

const spans = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, inside]) => inside as string)
/** A bar that is part of a cell is escaped. */
const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
/** The anchor that GitHub makes of a heading. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .replace(/\s/g, '-')

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const SERVER = 'packages/server/src'
const allOf = (pattern: string) => [...new Bun.Glob(pattern).scanSync(ROOT)].sort()
const folders = [...new Set(allOf(`${SERVER}/*/**/*.ts`).map((file) => file.split('/')[3] as string))]
/** The documents of people, and the pages that benchmarks and campaigns write. */
const files = [
  ...['README.md', 'README.es.md', 'CONTRIBUTING.md'],
  ...allOf('docs/*.md'),
  ...allOf(`${SERVER}/*/README.md`),
  ...allOf('bench/results/**/*.md'),
]
const documents = files.map((file) => documentOf(file, read(file)))
const each = documents.map((document) => [document.file, document] as const)
const reference = sectionsOf('docs/commands.md')
const contract = sectionsOf(CONTRACT)

function sectionsOf(file: string): (title: string) => Section {
  const document = documents.find((one) => one.file === file)
  return (title) => {
    const section = document?.sections.find((one) => one.title === title)
    if (section === undefined) throw new Error(`${file} has no section called ${title}`)
    return section
  }
}

/** The entries that only one of two lists has, so that a failure says what to add and what to remove. */
function compare(documented: readonly string[], real: readonly string[]) {
  return {
    missing: real.filter((one) => !documented.includes(one)),
    notThere: documented.filter((one) => !real.includes(one)),
  }
}
const SAME = { missing: [], notThere: [] }

const flagsOf = ({ flags }: Command) =>
  Object.entries(flags).map(([name, { value }]) => (value === undefined ? `--${name}` : `--${name} ${value}`))
/** True if there is a command of that name; another plain word can only follow one that takes words. */
function isCall(call: string): boolean {
  const command = commands
    .filter(({ name }) => `${call} `.startsWith(`${name} `))
    .sort((a, b) => b.name.length - a.name.length)[0]
  return command !== undefined && (command.operands !== undefined || !/^ [a-z]/.test(call.slice(command.name.length)))
}
const callOf = ({ name, operands }: Command) => (operands === undefined ? name : `${name} ${operands.usage}`)

describe.each(['README.md', 'README.es.md'])('%s', (file) => {
  test(`has fewer than ${README_LINES} lines`, () => {
    expect(read(file).trimEnd().split('\n').length).toBeLessThan(README_LINES)
  })

  test('has small pictures', () => {
    const pictures = [...read(file).matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path as string)
    expect(pictures).toHaveLength(3)
    expect(pictures.filter((path) => statSync(join(ROOT, path)).size >= MAX_PICTURE_BYTES)).toEqual([])
  })
})

const TRANSLATED = ['README.md', ...allOf('docs/*.es.md').map((file) => file.replace(/es\.md$/, 'md'))].map(
  (original) => [original.replace(/md$/, 'es.md'), original] as const,
)

/** The parts of a section that are the same in every language. */
function comparable(file: string, text: string) {
  const blocks = text.split(/^```.*$/m)
  const prose = blocks.filter((_, at) => at % 2 === 0).join('')
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => withSectionNumber(file, link as string))
  return {
    // Comments in a code block are in the language of the document.
    blocks: blocks.filter((_, at) => at % 2 === 1).map((block) => block.replace(/ +(?:#|\/\/) .*$/gm, '')),
    figures: (prose.match(/\d[\d,.]*(?<=\d)/g) ?? []).toSorted(),
    spans: spans(prose).toSorted(),
    links: links.filter((link) => link !== englishOf(file)).toSorted(),
  }
}

const englishOf = (file: string) => file.replace(/\.es\.md$/, '.md')

/** A link as it is from the root, into the English document; a heading by its number, since it is called otherwise there. */
function withSectionNumber(file: string, link: string): string {
  if (/^[a-z]+:/.test(link)) return link
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? file : join(dirname(file), path)
  const { sections = [] } = documents.find((document) => document.file === target) ?? {}
  const number = sections.findIndex((section) => section.anchor === anchor)
  return anchor === undefined ? englishOf(target) : `${englishOf(target)}#${number}`
}

/** The texts of the sections of a document, each with its heading. A line of a code block may look like one. */
function sectionTexts(file: string): { readonly title: string; readonly text: string }[] {
  const texts: { title: string; text: string }[] = []
  let isCode = false
  for (const line of read(file).split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const title = isCode ? undefined : line.match(/^#+ (.+)$/)?.[1]
    if (title !== undefined) texts.push({ title, text: '' })
    const last = texts.at(-1)
    if (last !== undefined && title === undefined) last.text += `${line}\n`
  }
  return texts
}

describe.each(TRANSLATED)('%s says the same as %s', (translation, original) => {
  const [english, spanish] = [sectionTexts(original), sectionTexts(translation)]

  test('in as many sections', () => {
    expect(spanish.map(({ title }) => title)).toHaveLength(english.length)
  })

  test.each(english.map(({ title }, at) => [title, at] as const))('in the section %s', (_, at) => {
    expect(comparable(translation, spanish[at]?.text ?? '')).toEqual(comparable(original, english[at]?.text ?? ''))
  })

  test('and each leads to the other', () => {
    expect(read(original)).toContain(`](${basename(translation)})`)
    expect(read(translation)).toContain(`](${basename(original)})`)
  })
})

test('what people run and use it by is there in Spanish', () => {
  expect(TRANSLATED.map(([, original]) => original)).toEqual(expect.arrayContaining(IN_SPANISH))
})

describe('docs/commands.md', () => {
  test('has a row for every command, and no other', () => {
    const calls = reference('Commands').rows.map(([first = '']) => spans(first)[0] ?? first)
    expect(
      compare(
        calls.filter((call) => !call.endsWith('…')),
        commands.map(callOf),
      ),
    ).toEqual(SAME)
  })

  const others = commands.filter(({ name }) => name !== 'serve').map((command) => [command.name, command] as const)
  test.each(others)(
    'has the flags of %s in its row, or in the row of all that begin with the same word',
    (name, command) => {
      // It takes releases over as they are, and none of the flags of what builds one.
      const shared = name === 'import mirror' ? [] : [`${name.split(' ')[0]} …`]
      const rows = reference('Commands').rows.filter(([first = '']) =>
        [callOf(command), ...shared].includes(spans(first)[0] ?? ''),
      )
      expect(
        compare(
          rows.flatMap(([, flags = '']) => spans(flags)),
          flagsOf(command),
        ),
      ).toEqual(SAME)
    },
  )

  test('has the flags of serve under Configuration, with their variables and defaults', () => {
    const documented = reference('Configuration').rows.map(
      ([flag, variable, defaultValue]) => `| ${flag} | ${variable} | ${defaultValue} |`,
    )
    const code = (text: string | undefined) => (text === undefined ? '' : `\`${text}\``)
    const real = commands
      .filter(({ name }) => name === 'serve')
      .flatMap((command) => {
        const shown = flagsOf(command)
        return Object.values(command.flags).map(
          ({ env, defaultValue }, at) => `| ${code(shown[at])} | ${code(env)} | ${code(defaultValue)} |`,
        )
      })
    expect(compare(documented, real)).toEqual(SAME)
  })
})

describe('all documents together', () => {
  const everything = documents.map(({ text }) => text).join('\n')

  test('name every environment variable, and no other', () => {
    const variables = commands.flatMap(({ flags }) => Object.values(flags).flatMap(({ env }) => env ?? []))
    const named = documents.flatMap(({ code }) => code.filter((span) => /^[A-Z]+(?:_[A-Z]+)+$/.test(span)))
    expect({
      missing: [...new Set(variables)].filter((name) => !everything.includes(`\`${name}\``)),
      notThere: named.filter((name) => !OTHER_VARIABLES.includes(name) && !variables.includes(name)),
    }).toEqual(SAME)
  })

  test.each(each)('%s names only flags that there are', (_file, { text }) => {
    const allFlags = [
      ...commands.flatMap(({ flags }) => Object.keys(flags).map((name) => `--${name}`)),
      ...FLAGS_OF_ALL,
      ...FLAGS_OF_OTHERS,
      ...PICKER_PROPERTIES,
    ]
    const named = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag)
    expect([...new Set(named)].filter((flag) => !allFlags.includes(flag))).toEqual([])
  })

  test('every property of the picker is documented', () => {
    const { text = '' } = documents.find(({ file }) => file === 'docs/explorer.md') ?? {}
    expect(PICKER_PROPERTIES.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
  })

  test.each(each)('%s names only commands that there are', (_file, document) => {
    const calls = document.code.flatMap((code) =>
      [...code.matchAll(/^(?:\.\/)?nomenclator ([a-z].*)/g)].map(([, rest]) => rest as string),
    )
    const unknown = calls.filter((call) => !isCall(call))
    const scripts = document.code.flatMap((code) =>
      [...code.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name as string),
    )
    const scriptNames = [
      ...Object.keys(manifest.scripts),
      ...Object.keys(JSON.parse(read('data/prepare/package.json')).scripts),
    ]
    expect({ unknown, scripts: scripts.filter((name) => !scriptNames.includes(name)) }).toEqual({
      unknown: [],
      scripts: [],
    })
  })

  test.each([...each, ['CHANGELOG.md', documentOf('CHANGELOG.md', read('CHANGELOG.md'))] as const])(
    '%s links only to what is there',
    (file, { links }) => {
      const dead = links.filter((link) => {
        if (/^[a-z]+:/.test(link)) return false
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? file : join(dirname(file), path)
        if (!existsSync(join(ROOT, target))) return true
        return (
          anchor !== undefined &&
          !documentOf(target, read(target)).sections.some((section) => section.anchor === anchor)
        )
      })
      expect(dead).toEqual([])
    },
  )

  test.each(each)('%s names only files that are there', (_file, { text }) => {
    const named = [
      ...text.matchAll(/(?<![\w/.:<-])(?:packages|docs|test|data|tools|bench|deploy)\/[\w./*-]*[\w/*]/g),
    ].map(([path]) => path)
    const isInstalled = (path: string) => path.includes('/node_modules/')
    const isThere = (path: string) =>
      path.includes('*') ? [...new Bun.Glob(path).scanSync(ROOT)].length > 0 : existsSync(join(ROOT, path))
    expect([...new Set(named)].filter((path) => !isInstalled(path) && !isThere(path))).toEqual([])
  })

  test('give a reason for every package', () => {
    const packages = Object.keys({ ...server.dependencies, ...manifest.devDependencies })
    const reasons = sectionsOf('docs/decisions.md')('Dependencies').rows
    expect(
      compare(
        reasons.filter(([, reason = '']) => reason !== '').flatMap(([names = '']) => spans(names)),
        packages,
      ),
    ).toEqual(SAME)
  })
})

/** Spans of a page that are paths of the server's sources, relative to one of some folders, and are not there. */
function missingSources(file: string, bases: readonly string[]): string[] {
  const { code = [] } = documents.find((one) => one.file === file) ?? {}
  const paths = code.filter((span) => /^(?:[\w-]+\/)+$|^[\w./-]+\.(?:ts|json)$/.test(span))
  return paths.filter((path) => !bases.some((base) => existsSync(join(ROOT, base, path))) && !MADE_LATER.includes(path))
}

describe('docs/architecture.md', () => {
  const file = 'docs/architecture.md'
  const tour = sectionsOf(file)
  const spine = tour('The spine').rows.map(([path = '']) => spans(path)[0] ?? '')

  test(`is a tour of at most ${TOUR_LINES} lines, which opens with five to eight principles`, () => {
    expect(read(file).trimEnd().split('\n').length).toBeLessThanOrEqual(TOUR_LINES)
    const [, first = ''] = read(file).split(/^## /m)
    expect(first.split('\n')[0]).toBe('Principles')
    const principles = first.match(/^- /gm)?.length ?? 0
    expect(principles).toBeGreaterThanOrEqual(5)
    expect(principles).toBeLessThanOrEqual(8)
  })

  test('names only sources that are there', () => expect(missingSources(file, [SERVER, '.'])).toEqual([]))

  test(`has a spine of at most ${SPINE_LINES} lines, from main through every room`, () => {
    expect(spine[0]).toBe('main.ts')
    expect(spine.filter((path, at) => spine.indexOf(path) !== at)).toEqual([])
    const lines = spine.map((path) => read(join(SERVER, path)).trimEnd().split('\n').length)
    expect(lines.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(SPINE_LINES)
    expect(spine.length).toBeLessThanOrEqual(SPINE_FILES)
    const rooms = [
      ...folders,
      'source/package',
      'query/search',
      'query/resolve',
      'http/processes',
      'http/v1',
      'http/v2',
    ]
    expect(rooms.filter((room) => !spine.some((path) => path.startsWith(`${room}/`)))).toEqual([])
  })

  test('shows the house as the imports are; npm run picture draws it', async () => {
    expect(read('docs/images/house.svg')).toBe(await housePicture())
    expect(read(file)).toContain('](images/house.svg)')
  })

  test('says of each file what it owns, and of each folder what it is', () => {
    expect(tour('The spine').rows.filter(([, words = '']) => words.length < 3)).toEqual([])
    const documented = tour('The folders').rows.map(([folder = '']) => spans(folder)[0] ?? '')
    expect(
      compare(
        documented,
        folders.map((folder) => `${folder}/`),
      ),
    ).toEqual(SAME)
  })
})

describe.each(folders)('the README of %s', (folder) => {
  const file = `${SERVER}/${folder}/README.md`

  test('is at most a page, and says what the folder owns, offers, must not know, and where to begin', () => {
    expect(read(file).trimEnd().split('\n').length).toBeLessThan(FOLDER_README_LINES)
    expect(read(file)).toStartWith(`# ${folder}\n`)
    for (const word of ['**Offers', '**Must not know', '**Begin with']) expect(read(file)).toContain(word)
  })

  test('names only files that are there', () =>
    expect(missingSources(file, [`${SERVER}/${folder}`, SERVER, '.'])).toEqual([]))
})

test('CONTRIBUTING.md names every script', () => {
  const named = [...read('CONTRIBUTING.md').matchAll(/npm (?:run )?([\w:-]+)/g)].map(([, name]) => name)
  expect(Object.keys(manifest.scripts).filter((name) => !named.includes(name))).toEqual([])
})

describe('docs/decisions.md', () => {
  test('names only sources that are there', () =>
    expect(missingSources('docs/decisions.md', [SERVER, '.'])).toEqual([]))
})

describe('bench/results/', () => {
  test('has a page for every campaign, and docs/reliability.md says what each found', () => {
    const names = [...campaigns.map(({ name }) => name), 'fleet', 'fleet-faults']
    const documented = sectionsOf('docs/reliability.md')('What was found').rows.map(
      ([campaign = '']) => spans(campaign)[0] ?? '',
    )
    expect(compare(documented, names)).toEqual(SAME)
    expect(
      compare(
        allOf(`${RESULTS}/*.md`).map((file) => basename(file, '.md')),
        names,
      ),
    ).toEqual(SAME)
  })
})

describe('docs/observe.md', () => {
  const operations = sectionsOf('docs/observe.md')

  test('has every route that requests are counted by', () => {
    const text = read('docs/observe.md').replaceAll('\n', ' ')
    expect(ROUTE_LABELS.filter((route) => !text.includes(`\`${route}\``))).toEqual([])
  })

  test('has every event of the log, with its level', () => {
    const documented = operations('Log').rows.flatMap(([events = '', level]) =>
      spans(events).map((event) => `${event} ${level}`),
    )
    const sources = [...new Bun.Glob('packages/server/src/**/*.ts').scanSync(ROOT)].filter(
      (file) => !file.endsWith('.test.ts'),
    )
    const logged = sources.flatMap((file) =>
      [...read(file).matchAll(/level: '(\w+)',\s+event: '([a-z-]+)'/g)].map(([, level, event]) => `${event} ${level}`),
    )
    expect(logged.length).toBeGreaterThan(10)
    for (const [event, { over }] of Object.entries(FOLLOW_PROBLEMS)) logged.push(`${event} error`, `${over} info`)
    for (const { event, over } of Object.values(SHELF_TROUBLES)) logged.push(`${event} error`, `${over} info`)
    expect(compare(documented, logged)).toEqual(SAME)
  })

  test('has every path of the listener for operators', () => {
    const documented = operations('The listener for operators').rows.map(([path = '']) => spans(path)[0] ?? '')
    expect(compare(documented, [...Object.keys(ADMIN_PATHS), '/'])).toEqual(SAME)
  })
})

describe('docs/verify.md', () => {
  const verifying = sectionsOf('docs/verify.md')

  test.each([
    ['Rules', 'rule'],
    ['Advice', 'advice'],
  ] as const)('has every check under %s, in order and in the words of the code', (title, severity) => {
    const documented = verifying(title).rows.map(
      ([id = '', rule = '']) => `${spans(id)[0]}: ${rule.replaceAll('`', '')}`,
    )
    expect(documented).toEqual(
      checks.filter((one) => one.severity === severity).map(({ id, rule }) => `${id}: ${rule}`),
    )
  })

  test('has every kind of difference', () => {
    const documented = verifying('Two servers').rows.map(
      ([kind = '', description = '']) => `${spans(kind)[0]}: ${description}`,
    )
    expect(documented).toEqual(
      Object.entries(DIFFERENCE_KINDS).map(([kind, [, description]]) => `${kind}: ${description}`),
    )
  })
})

describe(CONTRACT, () => {
  test('has every path, with the records behind it', () => {
    const documented = contract('Paths').rows.map(([path, , records]) => `${path} ${records}`)
    expect(
      compare(
        documented,
        collections.map(({ path, entity }) => `\`${path}\` \`${entity}\``),
      ),
    ).toEqual(SAME)
  })

  test('has every header of a page', () => {
    const documented = contract('Headers of a page').rows.map(([header = '']) => spans(header)[0] ?? '')
    const [collection] = collections
    if (collection === undefined) throw new Error('there is no collection')
    const page = { collection, total: 30, totalPages: 3, etag: '""', lastModified: '', body: new Uint8Array() }
    const sent = pageHeaders({ ...page, number: (FIRST_PAGE + 1) as PageNumber }, '')
    expect(compare(documented, Object.keys(sent))).toEqual(SAME)
  })

  test('has every problem, with its status and title', () => {
    const documented = contract('Problems').rows.map(([kind, status, title]) => `${kind} ${status} ${title}`)
    const real = Object.entries(PROBLEMS).map(([kind, [status, title]]) => `\`${kind}\` ${status} ${title}`)
    expect(compare(documented, real)).toEqual(SAME)
  })

  test('is the only page with a table of problems, or of limits', () => {
    const tables = documents.flatMap(({ file, sections }) => sections.map(({ rows, title }) => ({ file, rows, title })))
    const isOfProblems = (rows: string[][]) => rows.filter(([kind = '']) => (spans(kind)[0] ?? '') in PROBLEMS).length
    expect(tables.filter(({ rows }) => isOfProblems(rows) > 2).map(({ file }) => file)).toEqual([CONTRACT])
    const limits = tables.filter(
      ({ title, rows }) => title === 'Limits' && rows.some(([, max = '']) => /^\d/.test(max)),
    )
    expect(limits.map(({ file }) => file)).toEqual([CONTRACT])
  })

  test.each(each)('%s names only problems that there are', (_file, { text }) => {
    const named = [...text.matchAll(/\b[45]\d\d `([a-z-]+)`|urn:nomenclator:problem:([a-z-]+)/g)]
    const kinds = named.map(([, beside, inType]) => beside ?? inType ?? '')
    expect(kinds.filter((kind) => !(kind in PROBLEMS))).toEqual([])
  })

  test.each([...recordedCatalog.entities.keys()])(
    'has the fields of %s, in order, with their types',
    (name: string) => {
      const section = documents
        .find(({ file }) => file === CONTRACT)
        ?.sections.find(({ title }) => title.endsWith(`(\`${name}\`)`))
      const fields = publishedFields(builtIn(name))
      expect(section?.rows.map(([field, type]) => `${field} ${type}`)).toEqual(
        fields.map(([field, definition]) => `\`${field}\` ${typeOf(definition)}`),
      )
    },
  )

  test('has the limits, as the code has them', () => {
    const documented = new Map(contract('Limits').rows.map(([what = '', max = '']) => [what, max]))
    const number = (value: number) => value.toLocaleString('en')
    const expected: Record<string, string> = {
      'URL, as it stands in the request line': `${number(HEAD_LIMITS.target)} characters`,
      'header fields': number(HEAD_LIMITS.fields),
      'request line and headers together': `${number(HEAD_LIMITS.bytes)} bytes`,
      'time for a request to arrive whole, from its first byte': `${TIMEOUTS.requestMilliseconds / 1_000} seconds`,
      'time in which a client reads nothing of its responses': `${TIMEOUTS.requestMilliseconds / 1_000} seconds`,
      'time until the next request on a connection': `${TIMEOUTS.idleMilliseconds / 1_000} seconds`,
      '`page`': `${String(constantOf('MAX_PAGE', 'http/v2')).length} digits`,
      'records on a page': number(constantOf('MAX_PER_PAGE', 'http/v2')),
      'paths in `sort`': number(constantOf('MAX_SORT_FIELDS', 'http/v2')),
      'paths in `fields`': number(constantOf('MAX_FIELDS', 'http/v2')),
      'words in `q`': number(constantOf('MAX_WORDS', 'http/v2')),
      'characters in `q`': number(constantOf('MAX_SEARCH_CHARACTERS', 'http/v2')),
      'values of all filters together': number(constantOf('MAX_FILTER_VALUES', 'http/v2')),
      suggestions: number(constantOf('MAX_SUGGESTIONS', 'http/v2')),
      'rows to resolve in a query': number(constantOf('MAX_QUERY_ROWS', 'http/v2')),
      'rows to resolve in a body': number(constantOf('MAX_ROWS', 'http')),
      'body of rows': `${number(constantOf('MAX_ROWS_BYTES', 'http'))} bytes`,
      'lines in a body, blank ones too': number(constantOf('MAX_LINES', 'http')),
      'a row in a body': `${number(constantOf('MAX_ROW_BYTES', 'http'))} bytes`,
      'values of a row in a body': number(constantOf('MAX_ROW_VALUES', 'http')),
      'characters in each text or part of a row': number(constantOf('MAX_ROW_CHARACTERS', 'query')),
      'body of a form': `${number(constantOf('MAX_FORM_BYTES', 'http'))} bytes`,
      'fields of a form': number(constantOf('MAX_FORM_FIELDS', 'http')),
      'levels of JSON in such a field, or in a row of an array': number(constantOf('MAX_JSON_LEVELS', 'http')),
      'queries in a batch, `batchSize` in the manifest': number(constantOf('MAX_QUERIES', 'http/reconcile')),
      'candidates of a query': number(constantOf('MAX_CANDIDATES', 'http/reconcile')),
      'identifiers in an extension': number(constantOf('MAX_IDS', 'http/reconcile')),
      'properties in a query or an extension': number(constantOf('MAX_PROPERTIES', 'http/reconcile')),
    }
    expect(Object.fromEntries([...documented].filter(([what]) => what in expected))).toEqual(expected)
    // All other rows are headings, flags of the operator, and the bodies that are not read.
    const others = [...documented].filter(([what]) => !(what in expected)).map(([, max]) => max)
    expect(others.filter((max) => /^\d/.test(max))).toEqual([])
    const flags = commands.find(({ name }) => name === 'serve')?.flags ?? {}
    const limiting = Object.keys(flags).filter(
      (name) => name.startsWith('max-') || ['rate-limit', 'compute-seconds'].includes(name),
    )
    expect(
      compare(
        others.flatMap(spans),
        limiting.map((name) => `--${name}`),
      ),
    ).toEqual(SAME)
  })
})

/** The number that a constant of the server has, wherever below a folder its file is; one that is not unique there is a mistake. */
function constantOf(name: string, folder: string): number {
  const sources = allOf(`${join(SERVER, folder)}/**/*.ts`).filter((file) => !file.endsWith('.test.ts'))
  const pattern = new RegExp(`^(?:export )?const ${name} = (\\d[\\d_]*)$`, 'gm')
  const values = sources.flatMap((file) => [...read(file).matchAll(pattern)].map(([, digits]) => digits as string))
  if (values.length !== 1) throw new Error(`${values.length} constants below ${folder}/ are called ${name}`)
  return Number(values[0]?.replaceAll('_', ''))
}

function typeOf(field: Field): string {
  if (field.kind === 'embed') return `\`${field.entity.name}\` object`
  return field.kind === 'id' ? 'integer' : 'string'
}
