// The parts of every file that is parsed, as docs/formats.md lists them: they follow from the schemas that parse them.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Schema } from '../../packages/server/src/base/schema.ts'
import { definition } from '../../packages/server/src/catalog/definition-schema.ts'
import { entity, listing } from '../../packages/server/src/distribution/shelf/layout.ts'
import { followed, listedPointer } from '../../packages/server/src/distribution/shelf/pointer.ts'
import { savedIds } from '../../packages/server/src/release/home/id-registry.ts'
import { entityManifest, manifestSchema } from '../../packages/server/src/release/manifest-schema.ts'
import { rotations } from '../../packages/server/src/release/signing/key-rotation.ts'
import { savedVersion } from '../../packages/server/src/source/stored-download.ts'
import { expectGolden } from '../support/golden.ts'

const PAGE = join(import.meta.dir, '..', '..', 'docs', 'formats.md')
const BEGIN = '## The parts of each file\n'

/** Files, and the schema of each. */
const ARTEFACTS: Readonly<Record<string, Schema<unknown>>> = {
  '`releases/<digest>/manifest.json`': manifestSchema,
  '`entities/<digest>/entity.json`': entityManifest,
  'A definition, in `entity.json` and in `nomenclator:definition` of a descriptor': definition,
  '`id-registry.json`': savedIds,
  '`keys.json`': rotations,
  '`shelf.json`': followed,
  '`current` of a shelf': listedPointer,
  '`releases/<digest>.json` of a shelf': listing,
  '`entities/<digest>/chunks` of a shelf': entity,
  'The version of a file in `downloads/`': savedVersion,
}

type Row = readonly [path: string, expected: string]

/** The parts of a schema with their paths. A definition has a table of its own; of an object, its members say enough. */
function* rowsOf(schema: Schema<unknown>, path = ''): Generator<Row> {
  for (const [step, part] of Object.entries(schema.parts ?? {})) {
    const at = step === '[]' || path === '' ? `${path}${step}` : `${path}.${step}`
    const isOptional = 'isOptional' in part
    const isOwn = part === definition
    if (part.expected !== 'an object' || isOptional || isOwn)
      yield [at, `${isOwn ? 'a definition' : part.expected}${isOptional ? '; may be absent' : ''}`]
    if (!isOwn) yield* rowsOf(part, at)
  }
}

const escaped = (text: string) => text.replaceAll('|', '\\|')

function tables(): string {
  const all = Object.entries(ARTEFACTS).map(([title, schema]) => {
    const rows = [...rowsOf(schema)].map(([path, expected]) => `| \`${path}\` | ${escaped(expected)} |\n`)
    const whole = schema.expected === 'an object' ? '' : `It is ${schema.expected}.\n\n`
    return `### ${title}\n\n${whole}| part | expected |\n|---|---|\n${rows.join('')}`
  })
  const words =
    'Whatever is read is held to these, wherever it comes from; other members are left out. `[]` stands for the elements of a list, `*` for\n' +
    'names that are not given beforehand, and `(kind)` for members of that kind alone. `npm run record` writes this part of the page.\n'
  return `${BEGIN}\n${words}\n${all.join('\n')}`
}

test('docs/formats.md lists the parts of every file as their schemas have them', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const start = page.indexOf(BEGIN)
  const end = page.indexOf('\n## ', start + 1)
  const text = tables()
  expect(text.split('\n').length).toBeGreaterThan(100)
  const before = start < 0 ? `${page}\n` : page.slice(0, start)
  await expectGolden(PAGE, `${before}${text}${start < 0 || end < 0 ? '' : page.slice(end)}`)
})
