// Rows as people write them, made from the names of a home itself: seeded, of every kind, each with the record that it means.

import { type Entity, embeddedAt } from '../../packages/server/src/catalog/entity.ts'
import { spanish } from '../../packages/server/src/catalog/languages/spanish.ts'
import { ancestorsOf } from '../../packages/server/src/catalog/lineage.ts'
import { wordsOf } from '../../packages/server/src/catalog/words.ts'
import type { RowToResolve } from '../../packages/server/src/query/resolve/resolve.ts'
import { NO_SEAT, seatsAmong } from '../../packages/server/src/query/search/seats.ts'
import type { Release } from '../../packages/server/src/release/release.ts'
import { pick, type Random, randomFrom } from '../../packages/server/src/source/synthetic/random.ts'
import { abbreviated, byEar, glued, withTypo } from '../misspelling.ts'

/** A record with its ancestors, the record first. */
type Lineage = readonly {
  readonly entity: string
  readonly position: number
  readonly name: string
  /** The codes that it has of its own. */
  readonly codes: readonly string[]
}[]

/** Writes the name of each level, the record first; undefined if a name cannot be written in this form. */
type Make = (lineage: Lineage, random: Random) => readonly string[] | undefined

const plain = (text: string): string => wordsOf(text).join(' ')
const namesOf = (lineage: Lineage): string[] => lineage.map(({ name }) => name)

/** The record's own name in another form, its ancestors as they are. */
const own =
  (write: (name: string, random: Random) => string | undefined): Make =>
  (lineage, random) => {
    const [name = '', ...above] = namesOf(lineage)
    const written = write(plain(name), random)
    return written === undefined ? undefined : [written, ...above]
  }

/** The beginning of a name as a narrow column leaves it: six letters of ten. */
function cut(text: string): string | undefined {
  return text.length < 8 ? undefined : text.slice(0, Math.ceil(text.length * 0.6)).trim()
}

/** Words that say what a record is, by the entity of its level. */
const NOISE: Readonly<Record<string, readonly string[]>> = {
  localidad: ['localidad', 'loc.', 'localidad de'],
  municipio: ['municipio de', 'mpio.', 'mpio. de'],
  estado: ['estado de', 'edo.', 'edo. de'],
  subdisciplina: ['subdisciplina'],
  disciplina: ['disciplina'],
}

export const KINDS: Readonly<Record<string, Make>> = {
  exact: (lineage) => namesOf(lineage),
  accentless: (lineage) => namesOf(lineage).map(plain),
  'upper case': (lineage) => namesOf(lineage).map((name) => name.toUpperCase()),
  'one typo': own(withTypo),
  'two typos': (lineage, random) => {
    const names = namesOf(lineage).map(plain)
    const [name = '', ...above] = names
    const once = withTypo(name, random)
    if (once === undefined) return undefined
    // The second is in the same name, or in that of its parent.
    const [parent] = above
    const isOwn = parent === undefined || random(2) === 0
    const twice = withTypo(isOwn ? once : parent, random)
    if (twice === undefined) return undefined
    return isOwn ? [twice, ...above] : [once, twice, ...above.slice(1)]
  },
  abbreviations: own((name, random) => abbreviated(name, () => pick(random, ['.', '']))),
  'codes of ancestors': (lineage) => {
    const [name = '', ...above] = namesOf(lineage)
    if (above.length === 0) return undefined
    return [name, ...lineage.slice(1).map(({ name, codes }) => codes[0]?.toLowerCase() ?? name)]
  },
  'noise words': (lineage, random) =>
    lineage.map(({ entity, name }) => {
      const noise = NOISE[entity]
      return noise === undefined ? name : `${pick(random, noise)} ${name}`
    }),
  glued: own(glued),
  'by ear': own(byEar),
  prefix: own(cut),
  'parent misspelt': (lineage, random) => {
    const [name = '', parent, ...above] = namesOf(lineage).map(plain)
    const typed = parent === undefined ? undefined : withTypo(parent, random)
    return typed === undefined ? undefined : [name, typed, ...above]
  },
}

export type DirtyRow = {
  readonly kind: string
  readonly row: RowToResolve
  readonly entity: string
  readonly position: number
  readonly written: string
}

/** The entities that rows mean, with the share of each. */
const ENTITIES = [
  'localidad',
  'localidad',
  'localidad',
  'localidad',
  'localidad',
  'localidad',
  'municipio',
  'subdisciplina',
]
/** The entities of which rows name records, with their ancestors. */
export const sampledNames = ({ entity }: Release): string[] => [
  ...new Set(
    ENTITIES.flatMap((name) => [name, ...ancestorsOf(entity(name).definition).map((step) => step.entity.name)]),
  ),
]

/** The forms of rows, in turn. */
const FORMS = ['parts', 'parts', 'parts', 'text', 'text', 'reversed text'] as const

/**
 * Makes `count` rows, evenly of all kinds. It leaves out names that several records of the same parent have, and names that would be
 * written like that of another record there: nobody could say what such a row means.
 */
export function* dirtyRows(release: Release, count: number, seed: number): Generator<DirtyRow> {
  const random = randomFrom(seed)
  const kinds = Object.entries(KINDS)
  const lineages = new Lineages(release)
  for (let made = 0; made < count; ) {
    const [kind, make] = kinds[made % kinds.length] as (typeof kinds)[number]
    const entity = pick(random, ENTITIES)
    const { count: records } = release.entity(entity)
    if (records === 0) continue
    const position = random(records)
    const lineage = lineages.of(entity, position)
    if (lineages.namesakes(lineage, lineage[0]?.name ?? '') !== 1) continue
    const written = make(lineage, random)
    if (written === undefined || !isName(written[0] as string)) continue
    const isLike = lineages.namesakes(lineage, written[0] as string)
    if (kind !== 'exact' && plain(written[0] as string) !== plain(lineage[0]?.name ?? '') && isLike > 0) continue
    made++
    const form = pick(random, FORMS)
    const texts = form === 'reversed text' ? written.toReversed() : written
    yield {
      kind,
      entity,
      position,
      written: texts.join(', '),
      row:
        form === 'parts'
          ? { parts: new Map(written.map((text, at) => [lineage[at]?.entity ?? '', text])) }
          : { text: texts.map((text) => text.replaceAll(',', ' ')).join(', ') },
    }
  }
}

/** True for a name, false for a number. */
const isName = (text: string): boolean => /\p{L}{3}/u.test(text)

/** Reads records with their ancestors, but for the most distant, which goes without saying. */
class Lineages {
  readonly #release: Release
  /** The count of each name below each parent. */
  readonly #names = new Map<string, Map<string, number>>()

  constructor(release: Release) {
    this.#release = release
  }

  of(name: string, position: number): Lineage {
    const { definition, index } = this.#release.entity(name)
    const [step, ...more] = ancestorsOf(definition)
    const codes = Object.entries(definition.fields).flatMap(([field, { kind }]) => {
      const column = kind === 'code' ? index.column(field) : undefined
      return column?.kind === 'text' ? column.texts.text(column.values[position] as number) : []
    })
    const record = { entity: name, position, name: this.#nameOf(definition, position), codes }
    if (step === undefined || more.length === 0) return [record]
    const parent = index.column(step.field).values[position] as number
    return [record, ...this.of(embeddedAt(definition, step.field).name, parent)]
  }

  /** The number of records with the same parent and this name. */
  namesakes([record, parent]: Lineage, name: string): number {
    if (record === undefined) return 0
    let counts = this.#names.get(record.entity)
    if (counts === undefined) {
      counts = this.#count(record.entity)
      this.#names.set(record.entity, counts)
    }
    return counts.get(`${parent?.position ?? ''} ${plain(name)}`) ?? 0
  }

  #count(name: string): Map<string, number> {
    const { definition, index, count } = this.#release.entity(name)
    const [step, ...more] = ancestorsOf(definition)
    const parents = step === undefined || more.length === 0 ? undefined : index.column(step.field).values
    const counts = new Map<string, number>()
    for (let position = 0; position < count; position++) {
      const key = `${parents?.[position] ?? ''} ${plain(this.#nameOf(definition, position))}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return counts
  }

  #nameOf(entity: Entity, position: number): string {
    const field = Object.keys(entity.fields).find((one) => entity.fields[one]?.kind === 'name') as string
    const column = this.#release.entity(entity.name).index.column(field)
    return column.kind === 'text' ? column.texts.text(column.values[position] as number) : ''
  }
}

/** Rows with all parts that name one of several records with the same name and parent. */
export function* homonymRows(release: Release, count: number, seed: number): Generator<DirtyRow> {
  const random = randomFrom(seed)
  const lineages = new Lineages(release)
  const entity = 'localidad'
  const { count: records } = release.entity(entity)
  for (let made = 0, drawn = 0; made < count && drawn < MAX_DRAWN; drawn++) {
    const position = random(records)
    const lineage = lineages.of(entity, position)
    if (lineages.namesakes(lineage, lineage[0]?.name ?? '') < 2) continue
    // Some records have a name that people write for an empty value.
    if (spanish.isAbsent(wordsOf(lineage[0]?.name ?? ''))) continue
    // The seat is meant where it is one of them.
    const seat = seatsAmong(release, entity)?.seatOf[lineage[1]?.position ?? 0] ?? NO_SEAT
    if (seat !== NO_SEAT && plain(lineages.of(entity, seat)[0]?.name ?? '') === plain(lineage[0]?.name ?? '')) continue
    made++
    yield {
      kind: 'homonym',
      entity,
      position,
      written: namesOf(lineage).join(', '),
      row: { parts: new Map(lineage.map(({ entity, name }) => [entity, name])) },
    }
  }
}

/** Few names are shared in some catalogs. */
const MAX_DRAWN = 100_000
