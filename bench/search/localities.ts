// Invented localities in the real municipalities of the bundled data, named with the words of real names.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { pick, type Random, randomFrom, times } from '../../packages/server/src/source/synthetic/random.ts'
import { ROOT } from '../machine.ts'

const SEED = 20_261
/** One name in so many has a word that no real name has, as any large catalog brings words of its own. */
const RARE = 12
/** The number of such words in a catalog of 300,000 localities; it grows with the square root of the size. */
const NEW_WORDS = 20_000
const PARTICLES = new Set(['de', 'del', 'la', 'las', 'los', 'el', 'y', 'san', 'santa', 'santo'])

type Row = Readonly<Record<string, string>>

export function rowsOf(file: string): Row[] {
  const bytes = readFileSync(join(ROOT, 'data', file))
  return parse(file.endsWith('.gz') ? Buffer.from(Bun.gunzipSync(bytes)) : bytes, { columns: true })
}

/** The text without accents and in small letters. */
export const folded = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** The words of a name in alphabetical order, so that those in another order are the same. */
export const nameKey = (name: string): string =>
  folded(name)
    .split(/[^\p{L}\p{N}]+/u)
    .sort()
    .join(' ')

/** A word that carries meaning, without brackets or points. */
const isPlain = (word: string): boolean => /^\p{L}{3,}$/u.test(word) && !PARTICLES.has(word.toLowerCase())

/** Makes names that are none of those taken: real ones with some of their words exchanged for those of others. */
export function nameMaker(
  random: Random,
  real: readonly string[],
  taken: ReadonlySet<string>,
  count: number,
): () => string {
  const patterns = real.map((name) => name.split(' ')).filter(({ length }) => length > 1)
  const words = patterns.flat().filter(isPlain)
  // The first half of one word and the second of another.
  const newWords = times(Math.round(NEW_WORDS * Math.sqrt(count / 300_000)), () => {
    const [one, other] = [pick(random, words), pick(random, words)]
    return one.slice(0, Math.ceil(one.length / 2)) + other.slice(other.length >> 1).toLowerCase()
  })
  return () => {
    for (;;) {
      const name = pick(random, patterns).map((word) => (isPlain(word) && random(3) > 0 ? pick(random, words) : word))
      if (random(RARE) === 0) name[name.length - 1] = pick(random, newWords)
      const made = name.join(' ')
      if (!taken.has(nameKey(made))) return made
    }
  }
}

const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`

/** Writes a file of `count` localities, municipality after municipality: first its real ones, then invented ones. */
export async function writeLocalities(file: string, count: number): Promise<void> {
  const [real, municipalities] = [rowsOf('localidad.csv.gz'), rowsOf('municipio.csv')]
  const taken = new Set<string>()
  for (const name of new Bun.Glob('*.csv{,.gz}').scanSync(join(ROOT, 'data'))) {
    for (const row of rowsOf(name))
      for (const [field, value] of Object.entries(row)) if (/desc/i.test(field)) taken.add(nameKey(value))
  }
  const random = randomFrom(SEED)
  const nextName = nameMaker(
    random,
    real.map(({ descLocalidad = '' }) => descLocalidad),
    taken,
    count,
  )
  // Some municipalities have many times the localities of others.
  const weights = municipalities.map(() => 10 + random(30) * random(30))
  const sum = weights.reduce((a, b) => a + b, 0)
  const realOf = Map.groupBy(real, ({ idMunicipio }) => idMunicipio)
  const writer = Bun.file(file).writer()
  writer.write('cveLocalidad,descLocalidad,idLocalidad,idEstado,idMunicipio,poblacion\n')
  let [weight, given] = [0, 0]
  for (const [at, { idMunicipio = '', idEstado = '' }] of municipalities.entries()) {
    const own = realOf.get(idMunicipio) ?? []
    for (const { cveLocalidad, descLocalidad = '', idLocalidad, idEstado: state, poblacion } of own)
      writer.write(`${cveLocalidad},${quoted(descLocalidad)},${idLocalidad},${state},${idMunicipio},${poblacion}\n`)
    const last = Math.max(0, ...own.map(({ idLocalidad }) => Number(idLocalidad)))
    weight += weights[at] as number
    const upTo = Math.floor(((count - real.length) * weight) / sum)
    for (let ordinal = 1; given < upTo; ordinal++, given++) {
      const code = String(last + ordinal).padStart(4, '0')
      writer.write(`${code},${quoted(nextName())},${last + ordinal},${idEstado},${idMunicipio},\n`)
    }
    await writer.flush()
  }
  await writer.end()
}
