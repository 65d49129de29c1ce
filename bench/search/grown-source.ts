// The bundled data with many more localities: invented ones in real municipalities, named with the words of real names.
import { type EntityName, entityNames } from '../../src/catalog/entities.ts'
import { Faults } from '../../src/source/faults.ts'
import { Findings } from '../../src/source/findings.ts'
import type { Block, GivenRow, Source } from '../../src/source/source.ts'
import { type Random as Dice, randomFor as diceFor, numbered, split } from '../../src/source/synthetic/random.ts'
import { nameKey, nameMaker } from './grown-names.ts'

const SEED = 20_261
const BLOCK = 1_000
const NAME_FIELDS = [
  'descPais',
  'descEstado',
  'descMunicipio',
  'descLocalidad',
  'descripcion',
  'descCorta',
  'shortDesc',
]

export type Growth = {
  /** How many localities there are to be, the bundled ones among them. */
  readonly localities: number
  /** Which bundled data it grew from, so that a release can be told to be fresh. */
  readonly from: string
}

/** Reads all of the bundled data first: an invented name must not be that of a real record. */
export async function grownSource(bundled: Source, { localities, from }: Growth): Promise<Source> {
  const rows = new Map<EntityName, GivenRow[]>()
  for (const name of entityNames) rows.set(name, await allRows(bundled, name))
  return {
    origin: {
      kind: 'grown',
      title: 'the data that ships with Nomenclator and invented localities, for benchmarks',
      synthetic: true,
      credits: bundled.origin.credits,
      options: { localities, from, seed: SEED },
    },
    provides: entityNames,
    expected: (name) => (name === 'localidad' ? localities : rows.get(name)?.length),
    read: (name) => blocks(name === 'localidad' ? grown(rows, localities) : (rows.get(name) ?? [])),
  }
}

async function allRows(source: Source, name: EntityName): Promise<GivenRow[]> {
  const report = { faults: new Faults(), findings: new Findings() }
  const all: GivenRow[] = []
  for await (const { rows } of source.read(name, report)) all.push(...rows)
  report.faults.throwIfAny()
  return all
}

function* blocks(rows: Iterable<GivenRow>): Generator<Block> {
  let some: GivenRow[] = []
  let before = 0
  const block = () => ({ file: 'grown', lines: some.map((_, at) => before + at + 1), rows: some })
  for (const row of rows) {
    some.push(row)
    if (some.length < BLOCK) continue
    yield block()
    before += some.length
    some = []
  }
  if (some.length > 0) yield block()
}

/** Municipality after municipality: first its real localities, then the invented ones. */
function* grown(rows: ReadonlyMap<EntityName, readonly GivenRow[]>, localities: number): Generator<GivenRow> {
  const real = rows.get('localidad') ?? []
  const municipalities = rows.get('municipio') ?? []
  const own = Map.groupBy(real, ({ idMunicipio }) => Number(idMunicipio))
  const dice = diceFor(SEED, 'localities')
  const sizes = split(localities - real.length, weightsOf(dice, municipalities.length))
  const nameOf = nameMaker(
    diceFor(SEED, 'names'),
    real.map(({ descLocalidad }) => String(descLocalidad)),
    takenNames(rows),
    localities,
  )
  for (const [at, { idMunicipio, idEstado }] of municipalities.entries()) {
    const known = own.get(Number(idMunicipio)) ?? []
    yield* known
    const last = Math.max(0, ...known.map(({ idLocalidad }) => Number(idLocalidad)))
    for (let ordinal = 1; ordinal <= (sizes[at] as number); ordinal++) {
      yield {
        // Four digits, as INEGI has them; the real ones here have the seven of GeoNames.
        cveLocalidad: numbered(ordinal, 4),
        descLocalidad: nameOf(),
        idLocalidad: last + ordinal,
        idEstado: idEstado as number,
        idMunicipio: idMunicipio as number,
      }
    }
  }
}

/** Some municipalities have many times the localities of others. */
const weightsOf = (dice: Dice, count: number) => Array.from({ length: count }, () => 10 + dice(30) * dice(30))

/** Every real name, as its words in alphabetical order: its words in another order are taken too. */
function takenNames(rows: ReadonlyMap<EntityName, readonly GivenRow[]>): ReadonlySet<string> {
  const taken = new Set<string>()
  for (const each of rows.values()) {
    for (const row of each) {
      for (const field of NAME_FIELDS) if (row[field] !== undefined) taken.add(nameKey(String(row[field])))
    }
  }
  return taken
}
