// Breaks one line of the sources at a time and runs the tests: what no test notices is not tested.
//   npm run mutate -- http/wire --breaks 20 --seed 1
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const ROOT = join(import.meta.dir, '..')
const RESULTS = join(ROOT, 'bench', 'results', 'mutants.md')
const MAX_SECONDS = 300

/** Kinds of breaks, each a pattern in a line and what stands there instead ($& is what was found). */
const BREAKS: readonly (readonly [name: string, pattern: RegExp, replacement: string])[] = [
  ['a bound moved', /(?<=[\w)\]] )<=(?= )/g, '<'],
  ['a bound moved', /(?<=[\w)\]] )<(?= [\w(])/g, '<='],
  ['a bound moved', /(?<=[\w)\]] )>=(?= )/g, '>'],
  ['a bound moved', /(?<=[\w)\]] )>(?= [\w(])/g, '>='],
  ['a comparison turned', /===/g, '!=='],
  ['a comparison turned', /!==/g, '==='],
  ['and for or', /&&/g, '||'],
  ['or for and', /\|\|/g, '&&'],
  ['a condition dropped', /\bif \(.*\)(?= \S)/g, 'if (false)'],
  ['a negation dropped', /(?<=[(&|=?:] )!(?=[\w(])/g, ''],
  ['a number changed', /(?<=[-+*/%] )\d+\b(?!n|_)/g, '($& + 1)'],
  ['a constant changed', /(?<=^(?:export )?const [A-Z_\d]+ = )[\d_.]+$/g, '$& * 2'],
  ['a default dropped', / \?\? [\w.'"[\]]+/g, ''],
  ['true for false', /\bfalse\b/g, 'true'],
  ['false for true', /\btrue\b/g, 'false'],
  ['a step less', /\.(?:toSorted|toReversed|trim|toLowerCase|normalize)\(\)/g, ''],
  ['a row gone', /^ {2,}\[['"/].*\],$/g, ''],
  ['a call dropped', /^ +(?:this\.)?#?[a-z]\w*(?:\.\w+)*\(.*\)$/g, ''],
]

type Mutant = { readonly file: string; readonly line: number; readonly kind: string; readonly text: string }
type Outcome = Mutant & { readonly before: string; readonly noticedBy: string | undefined }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { breaks: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
})

/** A generator of numbers from 0 to 1 (mulberry32): the same seed gives the same breaks. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const tracked = Bun.spawnSync(['git', 'ls-files'], { cwd: ROOT }).stdout.toString().trim().split('\n')
const isTest = (file: string) => file.endsWith('.test.ts')
const linesOf = (file: string) => readFileSync(join(ROOT, file), 'utf8').split('\n')
const isCode = (text: string) => !/^\s*(?:\/\/|\/?\*|import |export \{|type |export type |\|)/.test(text)

function mutantsOf(file: string): Mutant[] {
  return linesOf(file).flatMap((text, at) =>
    !isCode(text)
      ? []
      : BREAKS.flatMap(([kind, pattern, replacement]) =>
          [...text.matchAll(pattern)].map(({ index, 0: found }) => {
            const broken = replacement.replace('$&', found)
            return { file, line: at + 1, kind, text: text.slice(0, index) + broken + text.slice(index + found.length) }
          }),
        ).filter((mutant) => mutant.text !== text),
  )
}

const transpiler = new Bun.Transpiler({ loader: 'ts' })

function isValid(lines: readonly string[]): boolean {
  try {
    transpiler.transformSync(lines.join('\n'))
    return true
  } catch {
    return false
  }
}

const withLine = ({ file, line, text }: Mutant) => linesOf(file).with(line - 1, text)

/** So many breaks of a room, at most one in a line. */
function chosen(room: string, count: number, random: () => number): Mutant[] {
  const files = tracked.filter((file) => file.startsWith(room) && /\.tsx?$/.test(file) && !isTest(file))
  const all = files.flatMap(mutantsOf).map((mutant) => ({ mutant, order: random() }))
  const seen = new Set<string>()
  return all
    .sort((a, b) => a.order - b.order)
    .map(({ mutant }) => mutant)
    .filter((mutant) => {
      const place = `${mutant.file}:${mutant.line}`
      if (seen.has(place) || !isValid(withLine(mutant))) return false
      seen.add(place)
      return true
    })
    .slice(0, count)
}

/** The tests by their distance: those of the file, those of its folder, those of its room under test/, all. */
function testsNear(file: string): string[][] {
  const own = file.replace(/\.ts$/, '.test.ts')
  const folder = tracked.filter((one) => isTest(one) && dirname(one) === dirname(file) && one !== own)
  const room = tracked.filter((one) => isTest(one) && one.startsWith(`test/${basename(dirname(file))}/`))
  return [tracked.filter((one) => one === own), folder, room].filter((files) => files.length > 0)
}

async function fails(copy: string, files: readonly string[]): Promise<boolean> {
  const ignored = files.length === 0 ? ['--path-ignore-patterns=test/nightly/**'] : []
  const child = Bun.spawn([process.execPath, 'test', '--bail', '--timeout', '60000', ...ignored, ...files], {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: MAX_SECONDS * 1_000,
    killSignal: 'SIGKILL',
  })
  return (await child.exited) !== 0
}

async function outcomeOf(mutant: Mutant, copy: string): Promise<Outcome> {
  const path = join(copy, mutant.file)
  const lines = linesOf(mutant.file)
  const before = lines[mutant.line - 1] as string
  const put = (content: readonly string[]) => {
    // The copy shares its files with the project until one is replaced.
    unlinkSync(path)
    writeFileSync(path, content.join('\n'))
  }
  put(withLine(mutant))
  try {
    for (const files of testsNear(mutant.file))
      if (await fails(copy, files)) return { ...mutant, before, noticedBy: files[0] as string }
    return { ...mutant, before, noticedBy: (await fails(copy, [])) ? 'the whole suite' : undefined }
  } finally {
    put(lines)
  }
}

function copyOfProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'nomenclator-mutants-'))
  for (const file of tracked) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(ROOT, file), join(copy, file), { verbatimSymlinks: true })
  }
  Bun.spawnSync(['cp', '-al', join(ROOT, 'node_modules'), join(copy, 'node_modules')])
  cpSync(join(ROOT, 'packages/server/src/explorer/built'), join(copy, 'packages/server/src/explorer/built'), {
    recursive: true,
  })
  return copy
}

const code = (text: string) => `\`${text.trim().replaceAll('|', '\\|').replaceAll('`', "'")}\``

function page(room: string, outcomes: readonly Outcome[]): string {
  const unnoticed = outcomes.filter(({ noticedBy }) => noticedBy === undefined)
  const rows = unnoticed.map(
    ({ file, line, kind, before, text }) => `| ${file}:${line} | ${kind} | ${code(before)} | ${code(text)} |\n`,
  )
  return `## ${room}

${outcomes.length - unnoticed.length} of ${outcomes.length} breaks were noticed (seed ${values.seed}).
${rows.length === 0 ? '' : `\n| where | what | line | broken |\n|---|---|---|---|\n${rows.join('')}`}`
}

const [room = ''] = positionals
const folder = room.startsWith('packages/') ? room : `packages/server/src/${room}`
const mutants = chosen(folder, Number(values.breaks), randomFrom(Number(values.seed)))
if (room === '' || mutants.length === 0) {
  console.error('mutate: name a room with code in it, such as http/wire or packages/client/src')
  process.exit(2)
}
const copy = copyOfProject()
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
process.on('SIGINT', () => process.exit(130))
const outcomes: Outcome[] = []
for (const mutant of mutants) {
  const outcome = await outcomeOf(mutant, copy)
  outcomes.push(outcome)
  console.log(
    `${outcome.noticedBy === undefined ? 'NOT NOTICED' : 'noticed'}  ${mutant.file}:${mutant.line}  ${mutant.kind}`,
  )
}
const HEAD = '# Breaks that the tests notice\n\nMade by `npm run mutate`: one line of the sources broken at a time.\n\n'
const others = ((await Bun.file(RESULTS).exists()) ? await Bun.file(RESULTS).text() : HEAD)
  .split(/(?=^## )/m)
  .filter((part) => !part.startsWith(`## ${room}\n`))
await Bun.write(RESULTS, `${[...others, page(room, outcomes)].map((part) => part.trimEnd()).join('\n\n')}\n`)
