// A small zipped shapefile, as INEGI publishes them: polygons, their properties as texts, and a projection.
import { zipSync } from 'fflate'

type Polygon = {
  readonly properties: Readonly<Record<string, string>>
  readonly rings: readonly (readonly (readonly [x: number, y: number])[])[]
}

/** INEGI's Lambert projection of the country, in metres. */
export const LAMBERT =
  'PROJCS["MEXICO_ITRF_2008_LCC",GEOGCS["MEXICO_ITRF_2008",DATUM["D_ITRF_2008",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",2500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-102.0],PARAMETER["Standard_Parallel_1",17.5],PARAMETER["Standard_Parallel_2",29.5],PARAMETER["Latitude_Of_Origin",12.0],UNIT["Meter",1.0]]'

const HEADER = 100
const FIELD_CHARACTERS = 20
const POLYGON = 5

function shp(polygons: readonly Polygon[]): Buffer {
  const contents = polygons.map(({ rings }) => {
    const points = rings.flat()
    const content = Buffer.alloc(44 + 4 * rings.length + 16 * points.length)
    content.writeInt32LE(POLYGON, 0)
    writeBox(content, 4, points)
    content.writeInt32LE(rings.length, 36)
    content.writeInt32LE(points.length, 40)
    let first = 0
    for (const [at, ring] of rings.entries()) {
      content.writeInt32LE(first, 44 + 4 * at)
      first += ring.length
    }
    for (const [at, [x, y]] of points.entries()) {
      content.writeDoubleLE(x, 44 + 4 * rings.length + 16 * at)
      content.writeDoubleLE(y, 52 + 4 * rings.length + 16 * at)
    }
    return content
  })
  const records = contents.flatMap((content, at) => {
    const head = Buffer.alloc(8)
    head.writeInt32BE(at + 1, 0)
    head.writeInt32BE(content.length / 2, 4)
    return [head, content]
  })
  const header = Buffer.alloc(HEADER)
  header.writeInt32BE(9994, 0)
  header.writeInt32BE((HEADER + records.reduce((sum, { length }) => sum + length, 0)) / 2, 24)
  header.writeInt32LE(1000, 28)
  header.writeInt32LE(POLYGON, 32)
  writeBox(
    header,
    36,
    polygons.flatMap(({ rings }) => rings.flat()),
  )
  return Buffer.concat([header, ...records])
}

function writeBox(target: Buffer, at: number, points: readonly (readonly [number, number])[]): void {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  for (const [place, value] of [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)].entries())
    target.writeDoubleLE(value, at + 8 * place)
}

function dbf(rows: readonly Readonly<Record<string, string>>[]): Buffer {
  const names = Object.keys(rows[0] ?? {})
  const header = Buffer.alloc(33 + 32 * names.length)
  header[0] = 3
  header.writeUInt32LE(rows.length, 4)
  header.writeUInt16LE(header.length, 8)
  header.writeUInt16LE(1 + FIELD_CHARACTERS * names.length, 10)
  for (const [at, name] of names.entries()) {
    header.write(name, 32 + 32 * at, 'latin1')
    header.write('C', 43 + 32 * at)
    header[48 + 32 * at] = FIELD_CHARACTERS
  }
  header[header.length - 1] = 0x0d
  const texts = rows.map((row) => ` ${names.map((name) => (row[name] ?? '').padEnd(FIELD_CHARACTERS)).join('')}`)
  return Buffer.concat([header, Buffer.from(`${texts.join('')}\x1a`, 'latin1')])
}

/** A zip with a layer of this name; without a projection it has no file of one. */
export const zippedShapefile = (name: string, polygons: readonly Polygon[], projection?: string): Uint8Array =>
  zipSync({
    [`${name}.shp`]: shp(polygons),
    [`${name}.dbf`]: dbf(polygons.map(({ properties }) => properties)),
    ...(projection === undefined ? {} : { [`${name}.prj`]: Buffer.from(projection) }),
  })
