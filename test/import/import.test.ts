// An import from its source to the current release: what it replaces, what it leaves alone, and what it reports.

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportReport } from '../../packages/server/src/release/import.ts'
import { ENTITY_FILES, findingsByKind } from '../../packages/server/src/release/manifest.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import type { Source } from '../../packages/server/src/source/source.ts'
import { runHere } from '../support/command.ts'
import {
  contentOf,
  homeWith,
  type Rows,
  refusal,
  sourceOf,
  TestDirectory,
  TestHome,
  tiny,
  tinyNames,
  writeTables,
} from '../support/releases.ts'

setDefaultTimeout(180_000)

const [student] = tiny.audiencia
const others = { audiencia: [{ ...student, descCorta: 'Alumnos' }] }
type Digests = Readonly<Record<string, string>>
const digestsOf = (home: TestHome): Digests =>
  Object.fromEntries(Object.entries(home.current().manifest.entities).map(([name, { digest }]) => [name, digest]))

const changedBetween = (before: Digests, after: Digests) => tinyNames.filter((name) => before[name] !== after[name])

describe('an import replaces what its source provides, and no more:', () => {
  test.each([
    ['audiences', others, ['audiencia']],
    [
      'countries, which others embed',
      { pais: tiny.pais.map((row) => ({ ...row, descPais: 'X' })) },
      ['pais', 'estado', 'municipio', 'localidad'],
    ],
    ['nothing', {}, []],
  ] satisfies [string, Rows, (typeof tinyNames)[number][]][])('%s', async (_, rows: Rows, changed) => {
    using home = await homeWith()
    const before = digestsOf(home)
    const report = await home.import(sourceOf(rows))
    expect(changedBetween(before, digestsOf(home))).toEqual(changed)
    const touched = tinyNames.filter((name) => (report.changes?.[name]?.changed ?? 0) > 0)
    expect(touched).toEqual(changed)
  })

  test('what is carried over comes back as it was', async () => {
    using home = await homeWith()
    const { digest } = home.current().manifest
    await home.import(sourceOf(others))
    const back = await home.import(sourceOf({ audiencia: tiny.audiencia }))
    expect(back).toMatchObject({ digest, outcome: 'activated' })
    expect(home.store.history()).toHaveLength(3)
  })

  test('into an empty home, the rest comes from what stands in for it', async () => {
    using home = new TestHome()
    const report = await home.import(sourceOf(others), { fallback: sourceOf(tiny) })
    expect(report).toMatchObject({ outcome: 'activated', previous: undefined, changes: undefined, breakingChanges: [] })
    expect(report.counts).toEqual(Object.fromEntries(tinyNames.map((name) => [name, tiny[name].length])))
    const collections = tinyNames.map((name) => [name, builtInCatalog.entities.get(name)?.plural])
    expect(report.collections).toEqual(Object.fromEntries(collections))
    expect(new TextDecoder().decode(home.current().entity('audiencia').records.page(0))).toContain(
      '"descCorta":"Alumnos"',
    )
  })
})

describe('the same import again', () => {
  test('finds nothing to do and touches nothing', async () => {
    using home = await homeWith()
    const { digest } = home.current().manifest
    const before = contentOf(home.path)
    const report = await home.import(sourceOf(tiny, { title: 'another title' }))
    expect(report).toMatchObject({ outcome: 'nothing to do', digest, previous: digest })
    expect(contentOf(home.path)).toEqual(before)
  })

  test.each([
    ['cut short', (path: string) => truncateSync(path, 3)],
    ['altered in one byte', (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace('MEX', 'MEY'))],
  ])('mends a release that was %s', async (_, spoil) => {
    using home = await homeWith()
    const { digest } = home.current().manifest
    spoil(home.fileOf(digest, 'pais', 'records'))
    expect(await home.verify(digest)).toHaveLength(1)
    expect(await home.import(sourceOf(tiny))).toMatchObject({ outcome: 'activated', digest, breakingChanges: [] })
    expect(await home.verify(digest)).toEqual([])
    expect(home.store.history()).toEqual([digest])
  })

  test.each(ENTITY_FILES)('mends the %s of an entity, whatever else it provides', async (file) => {
    using home = await homeWith()
    const { digest } = home.current().manifest
    const path = home.fileOf(digest, 'audiencia', file)
    const whole = readFileSync(path)
    writeFileSync(path, Buffer.alloc(whole.length))
    expect(await home.import(sourceOf({ audiencia: tiny.audiencia }))).toMatchObject({ outcome: 'activated', digest })
    expect(readFileSync(path).equals(whole)).toBe(true)
  })

  test('mends a manifest, and makes the release current that it belongs to', async () => {
    using home = await homeWith()
    const { digest: earlier } = home.current().manifest
    const { digest } = await home.import(sourceOf({ ...tiny, ...others }))
    writeFileSync(join(home.store.releaseDirectory(digest), 'manifest.json'), '{')
    // The records are those of the release before, which is readable but not current.
    expect(await home.import(sourceOf(tiny))).toMatchObject({ outcome: 'activated', digest: earlier })
    expect(home.store.history()).toEqual([earlier, digest, earlier])
    expect(await home.import(sourceOf({ ...tiny, ...others }))).toMatchObject({ outcome: 'activated', digest })
    expect(await home.verify(digest)).toEqual([])
  })
})

describe('a dry run leaves everything as it was', () => {
  test.each([
    ['when there would be changes', others],
    ['when there would be breaking ones', { audiencia: [] }],
    ['when there would be none', tiny],
  ])('%s', async (_, rows: Rows) => {
    using home = await homeWith()
    const before = contentOf(home.path)
    const report = await home.import(sourceOf(rows), { dryRun: true })
    expect(report.outcome).toBe(rows === tiny ? 'nothing to do' : 'dry run')
    expect(report.breakingChanges).toEqual(
      rows.audiencia?.length === 0 ? ['audiencia: all 1 records would be gone'] : [],
    )
    expect(contentOf(home.path)).toEqual(before)
  })

  test('in an empty home', async () => {
    using home = new TestHome()
    await home.import(sourceOf(tiny), { dryRun: true })
    expect(contentOf(home.path)).toEqual({ entities: '', releases: '' })
  })

  test('and reports the digest that the import has afterwards', async () => {
    using home = await homeWith()
    const { digest } = await home.import(sourceOf(others), { dryRun: true })
    expect((await home.import(sourceOf(others))).digest).toBe(digest)
  })
})

test('a source that breaks down midway leaves everything as it was', async () => {
  using home = await homeWith()
  const before = contentOf(home.path)
  const source: Source = {
    ...sourceOf(tiny),
    *read(name, report) {
      yield* sourceOf(tiny).read(name, report) as Iterable<never>
      if (name === 'localidad') throw new Error('the line went dead')
    },
  }
  expect((await refusal(home.import(source))).message).toBe('the line went dead')
  expect(contentOf(home.path)).toEqual(before)
})

describe('findings', () => {
  const wanted = {
    kind: 'locality-state-differs',
    description: 'the state of a locality is not the state of its municipality',
    count: 1,
    examples: ['localidad 3/2: 1, 2'],
  }

  test('are reported and kept in the manifest', async () => {
    using home = new TestHome()
    const report = await home.import(sourceOf(tiny))
    expect(report.findings).toEqual([wanted])
    expect(home.current().manifest.findings).toEqual([{ ...wanted, entity: 'localidad' }])
  })

  test('of what is carried over stay, and those of the source come with them', async () => {
    using home = await homeWith()
    const source: Source = {
      ...sourceOf(others),
      read: (name, report) => {
        report.findings.add('left-out', 'a row was left out', 'line 7')
        return sourceOf(others).read(name, report)
      },
    }
    await home.import(source)
    const left = { kind: 'left-out', description: 'a row was left out', count: 1, examples: ['line 7'] }
    expect(home.current().manifest.findings).toEqual([
      { ...wanted, entity: 'localidad' },
      { ...left, entity: 'audiencia' },
    ])
  })
})

describe('new records without anything below them', () => {
  const added = { ...tiny.municipio[0], cveMunicipio: '003', descMunicipio: 'Calvillo', idMunicipio: 9 }
  const below = (examples: readonly string[]) => ({
    collection: 'municipios',
    without: 'localidades',
    count: examples.length,
    examples,
  })

  test('are reported if the records below them would be carried over', async () => {
    using home = await homeWith()
    const { childless } = await home.import(sourceOf({ municipio: [...tiny.municipio, added] }))
    // Asientos had none before either.
    expect(childless).toEqual([below(['AGS/003 Calvillo'])])
    const back = await home.import(sourceOf({ municipio: tiny.municipio }), { acceptChanges: true })
    expect(back.childless).toEqual([])
  })

  test('are reported if these come from the bundled data', async () => {
    using home = new TestHome()
    const { childless } = await home.import(sourceOf({ municipio: [...tiny.municipio, added] }), {
      fallback: sourceOf(tiny),
    })
    expect(childless).toEqual([below(['AGS/003 Calvillo'])])
  })

  test('are not reported if these are imported with them', async () => {
    using home = await homeWith()
    const rows = { municipio: [...tiny.municipio, added], localidad: tiny.localidad }
    expect((await home.import(sourceOf(rows))).childless).toEqual([])
  })

  test('are reported by the command, with the next step', async () => {
    using home = await homeWith()
    using room = new TestDirectory()
    writeTables(room.path, { municipio: [...tiny.municipio, added] })
    const { out } = await runHere('import', 'package', room.path, '--home', home.path)
    expect(out).toContain(
      'Records without children:\n  1 new municipios have no localidades, such as AGS/003 Calvillo: localidades were ' +
        'not in this import and stay as they were. Import them next.\n',
    )
  })
})

test('subdisciplines alone are imported over what they belong to', async () => {
  using home = await homeWith()
  const subdisciplina = [{ ...tiny.subdisciplina[0], descripcion: 'Otra' }]
  expect((await home.import(sourceOf({ subdisciplina }))).changes?.subdisciplina).toMatchObject({ changed: 1 })
})

describe('records of another numbering', () => {
  const teachers = { audiencia: [{ ...student, clave: 'teachers', descCorta: 'Maestros' }] }
  const invented = (rows: Rows): Source => ({ ...sourceOf(rows), numbering: { audiencia: 'synthetic' } })

  test('are named as such in the manifest, as long as they are carried over', async () => {
    using home = new TestHome()
    const numberings = () =>
      Object.entries(home.current().manifest.entities).filter(([, { numbering }]) => numbering !== 'official')
    await home.import(invented(tiny))
    expect(numberings().map(([name, { numbering }]) => [name, numbering])).toEqual([['audiencia', 'synthetic']])
    await home.import(sourceOf({ pais: tiny.pais.toReversed() }))
    expect(numberings()).toHaveLength(1)
    await home.import(sourceOf(others))
    expect(numberings()).toEqual([])
  })

  test('are reported by import and by diff, and are no changes of those that have their identifiers now', async () => {
    using home = new TestHome()
    using room = new TestDirectory()
    const { digest } = await home.import(invented(tiny))
    writeTables(room.path, teachers)
    const { out } = await runHere('import', 'package', room.path, '--home', home.path, '--accept-changes')
    const words = 'numbered otherwise than before: nothing of it can be compared'
    expect(out).toContain(`  1 added, 0 changed, 1 removed (${words})\n`)
    const diff = async (...flags: string[]) =>
      (await runHere('diff', digest, home.current().digest, '--home', home.path, ...flags)).out
    expect(await diff()).toContain(`1 added, 0 changed, 1 removed; ${words}\n`)
    expect(await diff('--collection', 'audiencias')).toBe(`audiencias: ${words}\n- 1 Estudiantes\n+ 1 Maestros\n`)
    const lines = (await diff('--json')).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).change)).toEqual(['removed', 'added'])
    const shown = await runHere('releases', 'show', digest, '--home', home.path)
    expect(shown.out).toMatch(/^audiencias +1 {2}synthetic numbering$/m)
  })
})

describe('the report of the command', () => {
  test('is one JSON document with --json', async () => {
    using home = await homeWith()
    using room = new TestDirectory()
    const { digest: previous } = home.current().manifest
    writeTables(room.path, others)
    const { code, out, err } = await runHere('import', 'package', room.path, '--home', home.path, '--json')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const report: ImportReport = JSON.parse(out)
    expect(out).toBe(`${JSON.stringify(report, null, 2)}\n`)
    const { digest } = home.current().manifest
    const findings = findingsByKind(home.current().manifest)
    expect(report).toMatchObject({
      digest,
      previous,
      outcome: 'activated',
      breakingChanges: [],
      findings,
    })
    expect(report.counts.municipio).toBe(3)
    expect(report.changes?.audiencia).toMatchObject({ added: 0, changed: 1, removed: 0, fields: { descCorta: 1 } })
  })

  test('is for people otherwise: what was done, counts, changes, findings', async () => {
    using home = await homeWith()
    using room = new TestDirectory()
    writeTables(room.path, others)
    const { out } = await runHere('import', 'package', room.path, '--home', home.path)
    const { digest } = home.current().manifest
    expect(out).toStartWith(
      `${room.path} has no datapackage.json; its files are named like lists that ship with Nomenclator, and are read as those.\n` +
        `Release ${digest.slice(0, 12)} is now current.\n`,
    )
    expect(out).toMatch(/^ {2}audiencias +1 {2}0 added, 1 changed, 0 removed$/m)
    expect(out).toMatch(/^ {2}municipios +3 {2}unchanged$/m)
    expect(out).toContain(
      '  1 × the state of a locality is not the state of its municipality (such as localidad 3/2: 1, 2)\n',
    )
    const again = await runHere('import', 'package', room.path, '--home', home.path)
    expect(again.out).toContain(
      `\nNothing to do: release ${digest.slice(0, 12)} has just these records and is current.\n`,
    )
  })
})
