// The features of a file of boundaries: GeoJSON, as a collection or a feature a line, or a zipped shapefile in any projection.
import { isObject, type JsonObject, own, parseJson } from '../../base/json.ts'
import { messageOf, OperationalError } from '../../base/operational-error.ts'
import type { NamedFile } from '../unusable-zip.ts'
import { filesInZip, isMetadata, startsLikeZip, type ZippedFile } from '../zip.ts'

/** A feature by its number in the file, with the rings of its polygons in degrees: longitude, then latitude. */
export type BoundaryFeature = {
  readonly number: number
  readonly properties: JsonObject
  readonly polygons: readonly (readonly (readonly Corner[])[])[]
}
type Corner = readonly number[]

/** The features of a layer: of a shapefile in the zip, or the whole file. */
type BoundaryLayer = { readonly name: string; readonly features: readonly BoundaryFeature[] }

/** The layers in the bytes of a file. */
export async function boundaryLayers(name: string, bytes: Buffer): Promise<BoundaryLayer[]> {
  try {
    return startsLikeZip(bytes)
      ? await zippedLayers({ path: name, name, bytes })
      : [{ name, features: featuresIn(bytes.toString('utf8')) }]
  } catch (error) {
    if (error instanceof OperationalError) throw error
    throw new OperationalError(`${name} is neither GeoJSON nor a zipped shapefile: ${messageOf(error)}`)
  }
}

/** RFC 8142 puts this before each text of a sequence. */
const RECORD_SEPARATOR = '\x1e'

function featuresIn(text: string): BoundaryFeature[] {
  const plain = text.replaceAll(RECORD_SEPARATOR, '').trim()
  const lines = plain.split('\n').filter((line) => line.trim() !== '')
  const isByLine = lines.length > 1 && /^\{.*\}\s*$/.test(lines[0] ?? '')
  const given = isByLine ? lines.map(parseJson) : parseJson(plain)
  const features = isByLine
    ? given
    : isObject(given) && given.type === 'Feature'
      ? [given]
      : own(objectOf(given), 'features')
  if (!Array.isArray(features)) throw new Error('it has no features')
  return features.map(featureOf)
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** A feature without an area has no polygons. */
function featureOf(given: unknown, at: number): BoundaryFeature {
  const { properties, geometry } = objectOf(given)
  const { type, coordinates } = objectOf(geometry)
  const polygons = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : []
  return { number: at + 1, properties: objectOf(properties), polygons: isPolygons(polygons) ? polygons : [] }
}

const isListOf = <T>(value: unknown, isOne: (one: unknown) => one is T): value is T[] =>
  Array.isArray(value) && value.every(isOne)
const isCorner = (value: unknown): value is Corner =>
  isListOf(value, (one): one is number => typeof one === 'number') && value.length >= 2
const isRing = (value: unknown): value is Corner[] => isListOf(value, isCorner)
const isPolygon = (value: unknown): value is Corner[][] => isListOf(value, isRing)
const isPolygons = (value: unknown): value is Corner[][][] => isListOf(value, isPolygon)

const TOO_MUCH = { why: 'more than a file of boundaries has', advice: 'unpack it, and zip one shapefile alone' }
const PART = /\.(shp|dbf|prj|cpg)$/i

async function zippedLayers(zip: NamedFile & { readonly bytes: Buffer }): Promise<BoundaryLayer[]> {
  const { files } = await filesInZip(zip, (name) => PART.test(name) && !isMetadata(name), TOO_MUCH)
  const shapes = files.filter(({ name }) => /\.shp$/i.test(name))
  if (shapes.length === 0) throw new OperationalError(`${zip.name} holds no shapefile (.shp)`)
  return Promise.all(shapes.map(({ name }) => layerIn(files, name.slice(0, -4))))
}

async function layerIn(files: readonly ZippedFile[], name: string): Promise<BoundaryLayer> {
  const { open } = await import('shapefile')
  const part = async (ending: string) => {
    const found = files.find((file) => file.name.toLowerCase() === `${name}.${ending}`.toLowerCase())
    return found === undefined ? undefined : Buffer.concat(await Array.fromAsync(found.open()))
  }
  const [shp, dbf] = [await part('shp'), await part('dbf')]
  if (shp === undefined || dbf === undefined) throw new OperationalError(`${name}.shp has no ${name}.dbf beside it`)
  const encoding = (await part('cpg'))?.toString('latin1').trim() || 'windows-1252'
  const toDegrees = await projectionOf((await part('prj'))?.toString('utf8').trim() ?? '')
  const reader = await open(shp, dbf, { encoding })
  const features: BoundaryFeature[] = []
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const feature = featureOf(read.value, features.length)
    const polygons = feature.polygons.map((rings) => rings.map((ring) => ring.map(toDegrees)))
    features.push({ ...feature, polygons })
  }
  return { name, features }
}

/** Coordinates are degrees where the projection is that of none, or none is told. */
async function projectionOf(prj: string): Promise<(corner: Corner) => Corner> {
  if (prj === '' || /^GEOG(CS|CRS)/.test(prj)) return (corner) => corner
  const { default: proj4 } = await import('proj4')
  const { forward } = proj4(prj, 'WGS84')
  return ([x = 0, y = 0]) => forward([x, y])
}
