// What else a column tells of a record, where the engine makes use of it: where it is, since when and until when, other names.
import type { ValueRole } from '../../catalog/entity.ts'
import type { Guess } from './descriptor.ts'
import { quoted } from './guess-key.ts'
import {
  allFit,
  distinctShare,
  isBlank,
  isOneLine,
  looksLikeCodes,
  type ProfiledColumn,
  shareThatFits,
} from './guess-table.ts'
import { formatOf, isDecimal, isTextual, valueTypeOf } from './guess-types.ts'
import {
  namesAlias,
  namesCode,
  namesCoordinates,
  namesDescription,
  namesEnd,
  namesLatitude,
  namesLongitude,
  namesStart,
} from './guess-words.ts'
import type { FieldRole } from './profile.ts'

/** A column with latitude and longitude, and which of the two numbers is the latitude. */
type Point = { readonly column: ProfiledColumn; readonly latitude: 0 | 1 }

export type Roles = {
  readonly values: ReadonlyMap<ProfiledColumn, ValueRole>
  /** Codes besides the key. */
  readonly codes: ReadonlySet<ProfiledColumn>
  readonly point?: Point
  readonly guesses: readonly Guess[]
}

type RoleContext = {
  readonly resource: string
  /** The columns that are nothing else yet. */
  readonly free: readonly ProfiledColumn[]
  readonly roleOf: (column: ProfiledColumn) => FieldRole | undefined
  /** Names of the records besides the one that is shown. */
  readonly otherNames: readonly ProfiledColumn[]
  readonly languages: ReadonlyMap<ProfiledColumn, string>
}

const VALUE_ROLES: readonly FieldRole[] = ['alias', 'description', 'latitude', 'longitude', 'validFrom', 'validTo']

export function rolesOf(context: RoleContext): Roles {
  const { free, roleOf } = context
  const values = new Map<ProfiledColumn, ValueRole>()
  for (const column of free) {
    const role = roleOf(column)
    if (role !== undefined && VALUE_ROLES.includes(role)) values.set(column, role as ValueRole)
  }
  const codes = new Set(free.filter((column) => roleOf(column) === 'code'))
  const open = free.filter((column) => roleOf(column) === undefined && !isBlank(column))
  const guesses: Guess[] = []
  const give = (columns: readonly ProfiledColumn[], role: ValueRole) => {
    for (const column of columns) values.set(column, role)
  }
  const has = (role: ValueRole) => [...values.values()].includes(role)
  const point = pointOf(context)
  if (point !== undefined && roleOf(point.column) === undefined && point.column.declared.type !== 'geopoint')
    guesses.push(pointGuess(point, context))
  if (point === undefined && !has('latitude') && !has('longitude')) {
    const pair = latitudeAndLongitude(open)
    if (pair !== undefined) {
      values.set(pair[0], 'latitude')
      values.set(pair[1], 'longitude')
      guesses.push(guessOf(context, pair, 'latitude and longitude', 'latitude'))
    }
  }
  for (const [role, isNamed, what] of VALIDITY) {
    const column = has(role)
      ? undefined
      : open.find((one) => isNamed(one.words) && !values.has(one) && looksLikeDate(one))
    if (column === undefined) continue
    values.set(column, role)
    guesses.push(guessOf(context, [column], what, role))
  }
  const rest = () => open.filter((column) => !values.has(column) && column !== point?.column)
  const aliases = rest().filter((column) => isAlias(column, context))
  if (aliases.length > 0) {
    give(aliases, 'alias')
    guesses.push(guessOf(context, aliases, 'taken as other names to find a record by', 'alias'))
  }
  const descriptions = descriptionsOf(rest(), context)
  if (!has('description') && descriptions.length > 0) {
    give(descriptions, 'description')
    guesses.push(guessOf(context, descriptions, 'taken as the description', 'description'))
  }
  const otherCodes = rest().filter(isOtherCode)
  if (otherCodes.length > 0) {
    for (const column of otherCodes) codes.add(column)
    guesses.push(guessOf(context, otherCodes, 'taken as further codes to find a record by', 'code'))
  }
  return { values, codes, guesses, ...(point === undefined ? {} : { point }) }
}

const VALIDITY: readonly (readonly [ValueRole, (words: readonly string[]) => boolean, string])[] = [
  ['validFrom', namesStart, 'the beginning of validity'],
  ['validTo', namesEnd, 'the end of validity'],
]

function guessOf({ resource }: RoleContext, columns: readonly ProfiledColumn[], what: string, role: FieldRole): Guess {
  const [only, ...others] = columns
  return {
    resource,
    ...(others.length === 0 ? { field: (only as ProfiledColumn).name } : {}),
    what: `${columns.map(({ name }) => quoted(name)).join(', ')} ${others.length === 0 ? 'is' : 'are'} ${what}.`,
    otherwise: `"nomenclator:role": another than ${quoted(role)} at the field, such as "fact"`,
  }
}

const isWithin = (limit: number) => (value: string) => isDecimal(value) && Math.abs(Number(value)) <= limit
const isLatitude = isWithin(90)
const isLongitude = isWithin(180)

/** The first latitude, with the longitude that is named like it. */
function latitudeAndLongitude(
  columns: readonly ProfiledColumn[],
): readonly [ProfiledColumn, ProfiledColumn] | undefined {
  const latitudes = columns.filter((column) => namesLatitude(column.words) && allFit(column, isLatitude))
  const longitudes = columns.filter((column) => namesLongitude(column.words) && allFit(column, isLongitude))
  const rest = (column: ProfiledColumn) =>
    column.words.filter((word) => !namesLatitude([word]) && !namesLongitude([word])).join()
  for (const latitude of latitudes) {
    const longitude = longitudes.find((column) => column !== latitude && rest(column) === rest(latitude))
    if (longitude !== undefined) return [latitude, longitude]
  }
  return undefined
}

const PAIR = /^\(?\s*(-?[0-9]{1,3}(?:\.[0-9]+)?)\s*[,; ]\s*(-?[0-9]{1,3}(?:\.[0-9]+)?)\s*\)?$/
const MIN_PAIRS = 0.95

/** The column that has both numbers. Those that are declared as points have the longitude first, as the standard says. */
function pointOf({ free, roleOf }: RoleContext): Point | undefined {
  const isPoint = ({ declared }: ProfiledColumn) => declared.type === 'geopoint'
  const declared = free.find(
    (column) => roleOf(column) === 'coordinates' || (roleOf(column) === undefined && isPoint(column)),
  )
  if (declared !== undefined) return { column: declared, latitude: isPoint(declared) ? 1 : 0 }
  for (const column of free) {
    if (roleOf(column) !== undefined || !namesCoordinates(column.words) || !isTextual(column)) continue
    const isPair = (first: typeof isLatitude, second: typeof isLatitude) => (value: string) => {
      const [, one = '', two = ''] = PAIR.exec(value) ?? []
      return one !== '' && first(one) && second(two)
    }
    const isLongitudeFirst = namesLongitude(column.words.slice(0, 1))
    if (!isLongitudeFirst && shareThatFits(column, isPair(isLatitude, isLongitude)) >= MIN_PAIRS)
      return { column, latitude: 0 }
    if (shareThatFits(column, isPair(isLongitude, isLatitude)) >= MIN_PAIRS) return { column, latitude: 1 }
  }
  return undefined
}

const pointGuess = ({ column, latitude }: Point, { resource }: RoleContext): Guess => ({
  resource,
  field: column.name,
  what: `${quoted(column.name)} has ${latitude === 0 ? 'latitude and longitude' : 'longitude and latitude'}, in this order.`,
  otherwise:
    '"nomenclator:role": "coordinates" where the latitude is first, "type": "geopoint" where the longitude is, "nomenclator:role": "fact" for neither',
})

/** Whether nearly all values have a year in them. */
const looksLikeDate = (column: ProfiledColumn) =>
  ['date', 'year'].includes(valueTypeOf(formatOf(column))) ||
  shareThatFits(column, (value) => /(?<![0-9])[12][0-9]{3}(?![0-9])/.test(value)) >= 0.8

const isAlias = (column: ProfiledColumn, { otherNames }: RoleContext) =>
  otherNames.includes(column) || (namesAlias(column.words) && !namesCode(column.words) && isTextual(column))

/** One in each language. */
function descriptionsOf(columns: readonly ProfiledColumn[], { languages }: RoleContext): readonly ProfiledColumn[] {
  const taken = new Set<string | undefined>()
  return columns.filter((column) => {
    const language = languages.get(column)
    if (!namesDescription(column.words) || !isTextual(column) || taken.has(language)) return false
    if (distinctShare(column) < MIN_DESCRIBED) return false
    taken.add(language)
    return true
  })
}

const MIN_DISTINCT = 0.9
/** What says the same of many records describes something else. */
const MIN_DESCRIBED = 0.3

const isOtherCode = (column: ProfiledColumn) =>
  namesCode(column.words) &&
  valueTypeOf(formatOf(column)) === 'text' &&
  isOneLine(column) &&
  looksLikeCodes(column) &&
  distinctShare(column) >= MIN_DISTINCT
