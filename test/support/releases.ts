// Releases to test against, built with the real importer, in homes that are gone after the test.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../../packages/server/src/catalog/catalog.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { releaseVerifier } from '../../packages/server/src/release/home/verify.ts'
import { type ImportOptions, type ImportReport, importRelease } from '../../packages/server/src/release/import.ts'
import type { EntityFileName, ReleasedEntity } from '../../packages/server/src/release/manifest.ts'
import { Release, readManifest } from '../../packages/server/src/release/release.ts'
import { builtInCatalog } from '../../packages/server/src/source/built-in.ts'
import { bundledSource } from '../../packages/server/src/source/bundled.ts'
import { openPackage } from '../../packages/server/src/source/package/open-package.ts'
import type { Block, GivenRow, Origin, Source } from '../../packages/server/src/source/source.ts'
import { syntheticSource } from '../../packages/server/src/source/synthetic/synthetic.ts'
import { type Ran, ran } from './command.ts'
import { completedRows } from './completed-rows.ts'
import { withFacts } from './known-facts.ts'
import { executableOfRun, scratch, scratchOfRun } from './scratch.ts'

/** The files are gone when this returns: what is mapped into memory outlives its name, and nothing is left behind. */
export async function releaseOf(source: Source): Promise<Release> {
  using home = new TestHome()
  await home.import(source, { acceptChanges: true })
  return home.current()
}

function openCurrent(home: string): Release {
  const release = new ReleaseStore(home).openCurrent()
  if (release === undefined) throw new Error('there is no current release')
  return release
}

/** The records of a release under another digest, or with other definitions. */
export function variantOf(
  release: Release,
  changed: { readonly digest?: string; readonly catalog?: Catalog },
): Release {
  const { digest = release.digest, catalog = release.catalog } = changed
  const entities = new Map([...catalog.entities.keys()].map((name) => [name, release.entity(name)]))
  return new Release({ ...release.manifest, digest }, catalog, entities)
}

export const fullSource = syntheticSource({ seed: 1, scale: 1 })

/** The same catalog with the first thousands of its localities. */
export const sourceWithThousands = (thousands: number): Source => ({
  ...fullSource,
  expected: () => undefined,
  read: (name, report) => {
    const blocks = fullSource.read(name, report) as Iterable<Block>
    return name === 'localidad' ? Iterator.from(blocks).take(thousands) : blocks
  },
})

let full: Promise<Release> | undefined
/** An invented catalog of the size that the contract saw, built once for all test files of a run. */
export function fullRelease(): Promise<Release> {
  full ??= scratchOfRun === undefined ? releaseOf(fullSource) : homeOfRun('full', fullSource).then(openCurrent)
  return full
}

let bundled: Promise<Release> | undefined
/** The catalog that comes with the program, built once for all test files of a run. */
export function bundledRelease(): Promise<Release> {
  bundled ??=
    scratchOfRun === undefined ? releaseOf(bundledSource()) : homeOfRun('bundled', bundledSource()).then(openCurrent)
  return bundled
}

/** A home with the catalog that comes with the program, which a test may change. */
export async function bundledHome(): Promise<TestHome> {
  const home = new TestHome()
  if (scratchOfRun === undefined) await home.import(bundledSource())
  else cpSync(await homeOfRun('bundled', bundledSource()), home.path, { recursive: true })
  return home
}

const GLANCE_MILLISECONDS = 20

/** A home that takes seconds to build: the first process that needs it does, and the others wait for it. */
async function homeOfRun(name: string, source: Source): Promise<string> {
  const path = join(scratch, name)
  const claim = `${path}.claimed`
  while (!existsSync(path)) {
    if (mkdirSync(claim, { recursive: true }) === undefined) {
      await Bun.sleep(GLANCE_MILLISECONDS)
      continue
    }
    using home = new TestHome()
    try {
      await home.import(source, { acceptChanges: true })
    } catch (error) {
      rmdirSync(claim)
      throw error
    }
    renameSync(home.path, path)
  }
  return path
}

/** Rows by the name of their entity. */
export type Rows = Readonly<Record<string, readonly GivenRow[]>>

/** Some records of the entities of the contract; one locality lies in another state than its municipality. */
export const tiny = {
  pais: [
    { cvePais: 'MEX', descPais: 'México', idPais: 484 },
    { cvePais: 'FRA', descPais: 'Francia', idPais: 250 },
  ],
  estado: [
    { cveEstado: 'BC', cveRenapo: 'BC', descEstado: 'Baja California', idEstado: 2, idPais: 484 },
    { cveEstado: 'AGS', cveRenapo: 'AS', descEstado: 'Aguascalientes', idEstado: 1, idPais: 484 },
  ],
  municipio: [
    { cveMunicipio: '002', descMunicipio: 'Asientos', idEstado: 1, idMunicipio: 2 },
    { cveMunicipio: '001', descMunicipio: 'Aguascalientes', idEstado: 1, idMunicipio: 1 },
    { cveMunicipio: '001', descMunicipio: 'Ensenada', idEstado: 2, idMunicipio: 3 },
  ],
  localidad: [
    { cveLocalidad: '0001', descLocalidad: 'Ensenada', idLocalidad: 1, idEstado: 2, idMunicipio: 3 },
    { cveLocalidad: '0002', descLocalidad: 'El "Sauzal" [Ejido]', idLocalidad: 2, idEstado: 1, idMunicipio: 3 },
    { cveLocalidad: '0001', descLocalidad: 'Aguascalientes', idLocalidad: 1, idEstado: 1, idMunicipio: 1 },
  ],
  area: [{ cveArea: '1', descripcion: 'Ciencias', idArea: 1 }],
  campo: [{ cveCampo: '11', descripcion: 'Lógica', idCampo: 11, idArea: 1 }],
  disciplina: [{ cveDisciplina: '1101', descripcion: 'Aplicaciones', idDisciplina: 1101, campoCono: 11 }],
  subdisciplina: [
    { cveSubdisciplina: '110101', descripcion: 'Analogía', idSubdisciplina: 110101, disciplinaCono: 1101 },
  ],
  audiencia: [{ clave: 'students', descCorta: 'Estudiantes', shortDesc: 'Students', idAudiencia: 1 }],
} as const satisfies Rows
export const tinyNames = Object.keys(tiny) as readonly (keyof typeof tiny)[]

/** A source that provides the entities that there are rows of, even if they are none, and no other. */
export function sourceOf(rows: Rows, origin: Partial<Origin> = {}, catalog: Catalog = builtInCatalog): Source {
  const rowsOf = (name: string) => rows[name] ?? []
  return {
    origin: { kind: 'test', title: 'rows of a test', synthetic: false, credits: [], options: {}, ...origin },
    catalog,
    provides: [...catalog.entities.keys()].filter((name) => rows[name] !== undefined),
    expected: (name) => rowsOf(name).length,
    read: (name) => [{ file: `${name}.csv`, lines: rowsOf(name).map((_, at) => at + 2), rows: rowsOf(name) }],
  }
}

const PREFIX = 'nomenclator-test-'

/** A directory for the length of one test, or of one test file. */
export class TestDirectory implements Disposable {
  readonly path: string

  constructor(within = scratch) {
    this.path = mkdtempSync(join(within, PREFIX))
  }

  /** The files in it that this process has open, on Linux. */
  opened(): string[] {
    const paths = readdirSync('/proc/self/fd').map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`)
      } catch {
        // The descriptor of the list itself is closed by now.
        return ''
      }
    })
    return paths.filter((path) => path.startsWith(this.path))
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** A home of releases for the length of one test. */
export class TestHome extends TestDirectory {
  readonly store = new ReleaseStore(this.path)

  import(source: Source, options: Partial<ImportOptions> = {}): Promise<ImportReport> {
    return importRelease(this.store, source, { fallback: source, acceptChanges: false, dryRun: false, ...options })
  }

  current(): Release {
    return openCurrent(this.path)
  }

  /** An entity in the manifest of a release. */
  released(release: string, entity: string): ReleasedEntity {
    const found = readManifest(this.store.releaseDirectory(release), release).entities[entity]
    if (found === undefined) throw new Error(`release ${release} has no ${entity}`)
    return found
  }

  /** The path of a file of an entity of a release. */
  fileOf(release: string, entity: string, file: EntityFileName): string {
    return join(this.store.entityDirectory(this.released(release, entity).digest), file)
  }

  /** The faults of a release. */
  verify(release: string): Promise<string[]> {
    return releaseVerifier(this.store)(release)
  }
}

/** Three releases with records of every entity and some facts, which differ in one name; built once for all tests of a file. */
export class ThreeReleases extends TestHome {
  readonly digests: string[] = []

  static readonly names = ['Uno', 'Dos', 'Tres'] as const

  static async create(): Promise<ThreeReleases> {
    const three = new ThreeReleases()
    for (const name of ThreeReleases.names) three.digests.push((await three.import(ThreeReleases.source(name))).digest)
    return three
  }

  static source(descCorta: string): Source {
    return sourceOf(ThreeReleases.rows(descCorta))
  }

  static rows(descCorta: string): Rows {
    return withFacts(completedRows(builtInCatalog, { ...tiny, audiencia: [{ ...tiny.audiencia[0], descCorta }] }))
  }

  /** Puts all three into a home, and activates some in this order. */
  copyTo<H extends TestHome>(home: H, ...activated: readonly string[]): H {
    for (const name of ['releases', 'entities'])
      cpSync(join(this.path, name), join(home.path, name), { recursive: true })
    for (const digest of activated) home.store.activate(digest)
    return home
  }
}

/** Every file under a directory with its bytes, save those of the lock; empty directories count. */
export function contentOf(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => [join(entry.parentPath, entry.name), entry.isDirectory()] as const)
  const content = paths.map(([path, isDirectory]) => [
    path.slice(directory.length + 1),
    isDirectory ? '' : readFileSync(path, 'latin1'),
  ])
  return Object.fromEntries(content.filter(([path]) => path !== 'lock' && path !== 'lock.holder').sort())
}

/** Writes the rows down as a directory that can be imported. */
export function writeTables(directory: string, rowsByName: Rows): string {
  mkdirSync(directory, { recursive: true })
  for (const [name, rows] of Object.entries(rowsByName))
    writeFileSync(join(directory, `${name}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return directory
}

/** The tables of a directory, as a command would import them. */
export async function sourceIn(directory: string): Promise<Source> {
  const source = await openPackage(directory)
  source.close()
  return source
}

const SOURCES = join(import.meta.dir, '..', '..', 'packages', 'server', 'src', 'main.ts')

/** The beginning of a command line that runs the program: the executable of a run of all tests, else the sources. */
export const PROGRAM: readonly string[] =
  executableOfRun === undefined ? [process.execPath, SOURCES] : [executableOfRun]

/** Runs the program in a process of its own, to its end. */
export const nomenclator = (...argv: readonly string[]): Promise<Ran> => ran([...PROGRAM, ...argv])

/** A home with a release of these rows. */
export async function homeWith(rows: Rows = tiny, origin: Partial<Origin> = {}): Promise<TestHome> {
  const home = new TestHome()
  await home.import(sourceOf(rows, origin))
  return home
}

/** The error that refuses an attempt. */
export async function refusal(attempt: Promise<unknown>): Promise<Error> {
  const error = await attempt.catch((thrown: unknown) => thrown)
  if (error instanceof Error) return error
  throw new Error('it was not refused')
}
