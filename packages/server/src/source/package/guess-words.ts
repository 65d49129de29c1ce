// The words by which people name columns, in the languages in which tables are mostly written: what a name says of its column.
import { wordsOf } from '../../catalog/words.ts'

const setOf = (words: string) => new Set(words.split(/\s+/))

/** A column of codes or identifiers. */
const CODE = setOf(
  'code codes codigo codigos clave claves cve key id ids ident identifier identificador iso alpha sigla uuid cvegeo ' +
    'symbol simbolo symbole ticker notation kode kod schlussel',
)
/** Words that are glued to others, as in `hscode`. */
const GLUED_CODE = /^.{2,}(?:code|codigo|clave)$|^.{4,}id$/
const NO_CODE = setOf(
  'covid valid invalid solid liquid hybrid android unpaid prepaid asteroid orchid madrid pyramid centroid',
)
/** Identifiers that another register gave: unique, but not what the list is known by. */
const OF_OTHERS = setOf('wikidata wd geoname geonames osm viaf gnd url uri link href web website isni orcid')
const NAME = setOf(
  'name names nombre nombres nome nomes nom noms title titulo titre titel label etiqueta rotulo denominacion ' +
    'denominacao denomination designation bezeichnung naam namn term termino libelle libelles intitule benennung',
)
const GLUED_NAME = /^.{2,}(?:name|nombre)$/
const DESCRIPTION = setOf(
  'description descripcion descricao desc descr definition definicion definicao beschreibung explanatory explicativa',
)
const ALIAS = setOf(
  'alias aliases synonym synonyms sinonimo sinonimos alternative alternate alt aka acronym acronyms acronimo ' +
    'acronimos abbreviation abbreviations abbrev abbr abreviatura abreviacion siglas former',
)
/** Of a name: not the one that a record is mostly called by. */
const OTHER_NAME = setOf(
  'short full long formal old former other otro otros alternate alternative alt corto largo native',
)
const GLUED_OTHER_NAME = /^(?:short|full|long|alt|old)name$/
/** Of a name: the one that a record is mostly called by. */
const MAIN_NAME = setOf('official oficial display preferred common comun main standard')
const PARENT = setOf('parent parents broader padre superior pai pere superieur superieure ubergeordnet')
const LATITUDE = setOf('lat latitude latitud breitengrad breite')
const LONGITUDE = setOf('lon lng long longitude longitud langengrad lange')
const COORDINATES = setOf(
  'coordinates coordinate coordenadas coord coords latlon latlng latlong location ubicacion geopoint point',
)
const YEAR = setOf('year ano anio annee jahr')
const START = setOf(
  'start begin begins beginning from since desde inicio inception creation created introduced effective alta ' +
    'debut depuis von ab',
)
const END = setOf(
  'end ends until till hasta fin termination withdrawal withdrawn extinction extinct expiry expires baja fim bis',
)
const VALIDITY = setOf('date fecha data valid validity vigencia validez validite gultig time day dia year ano')
/** A column that only says at which place a row stands. */
const POSITION = setOf('rank ranking position posicion posicao rang orden ordem order ordre sort')
/** Words of the names of lists that say nothing of what is listed. */
const GENERIC = setOf(
  'codes code list lists lista listas table data all full catalog catalogo catalogue codelist csv xlsx the and of de y',
)

const CAMEL = /(\p{Ll}|\p{N})(?=\p{Lu})/gu
const ACRONYM = /(\p{Lu})(?=\p{Lu}\p{Ll})/gu

/** The folded words of the name of a column or a list, also where they are distinguished by capital letters only. */
export const nameWords = (name: string): readonly string[] =>
  wordsOf(name.slice(0, 200).replace(CAMEL, '$1 ').replace(ACRONYM, '$1 '))

const withoutDigits = (word: string) => word.replace(/[0-9]+$/, '')
const has = (set: ReadonlySet<string>, words: readonly string[]) => words.some((word) => set.has(word))

export const isCodeWord = (word: string): boolean => CODE.has(withoutDigits(word))
export const namesCode = (words: readonly string[]): boolean =>
  words.some((word) => isCodeWord(word) || (GLUED_CODE.test(word) && !NO_CODE.has(word)))
export const isOfOthers = (words: readonly string[]): boolean => has(OF_OTHERS, words)
export const namesName = (words: readonly string[]): boolean =>
  words.some((word) => NAME.has(word) || GLUED_NAME.test(word))
export const isNameWord = (word: string): boolean => NAME.has(word)
export const namesDescription = (words: readonly string[]): boolean => has(DESCRIPTION, words)
export const isDescriptionWord = (word: string): boolean => DESCRIPTION.has(word)
export const namesAlias = (words: readonly string[]): boolean =>
  words.some((word) => ALIAS.has(withoutDigits(word)) || GLUED_OTHER_NAME.test(word)) ||
  (namesName(words) && has(OTHER_NAME, words))
export const namesMainName = (words: readonly string[]): boolean => namesName(words) && has(MAIN_NAME, words)
export const isMainNameWord = (word: string): boolean => MAIN_NAME.has(word)
export const namesParent = (words: readonly string[]): boolean => has(PARENT, words)
export const namesLatitude = (words: readonly string[]): boolean => has(LATITUDE, words)
export const namesLongitude = (words: readonly string[]): boolean => has(LONGITUDE, words)
export const namesCoordinates = (words: readonly string[]): boolean =>
  has(COORDINATES, words) || (namesLatitude(words) && namesLongitude(words))
/** Whether nothing else is in the name. */
export const namesPosition = (words: readonly string[]): boolean =>
  words.length > 0 && words.every((word) => POSITION.has(word))
export const namesYear = (words: readonly string[]): boolean => has(YEAR, words)

/** Whether nothing else is in the name: `end_date` is of validity, `end_user` is not. */
const onlyOf = (set: ReadonlySet<string>, words: readonly string[]) =>
  has(set, words) && words.every((word) => set.has(word) || VALIDITY.has(word))
export const namesStart = (words: readonly string[]): boolean => onlyOf(START, words)
export const namesEnd = (words: readonly string[]): boolean =>
  onlyOf(END, words) || words.join(' ') === 'valid to' || words.join(' ') === 'to date'

const IRREGULAR = /(?:ies|ves|ses|xes|ches|shes)$/

/** Good enough to see that `categories` and `category` are the same. */
export function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss')) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return IRREGULAR.test(word) || (/[^aeiou]es$/.test(word) && /(?:[lnrdj]es)$/.test(word))
    ? word.slice(0, -2)
    : word.slice(0, -1)
}

/** What a list is about, by the words of its name. */
export const nounsOf = (name: string): readonly string[] =>
  nameWords(name)
    .filter((word) => !GENERIC.has(word))
    .map(singular)

/** The words of the name of a column that say what it is a code or a name of. */
export const subjectOf = (words: readonly string[]): readonly string[] =>
  words.filter((word) => !isCodeWord(word) && !NAME.has(word)).map(singular)
