// npm run bench:boundaries: the record at a point among invented municipalities and states of four million corners, into bench/results/boundaries.md.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BoundaryFile } from '../packages/server/src/release/boundaries/boundary-file.ts'
import { boundaryWriter } from '../packages/server/src/release/boundaries/boundary-levels.ts'
import { type GivenShape, unitsOf } from '../packages/server/src/source/boundaries/corners.ts'
import { TestDirectory } from '../test/support/releases.ts'
import { conditions } from './shelf-node.ts'

const OUT = join(import.meta.dir, 'results', 'boundaries.md')
const CORNERS = 4_000_000
const POINTS = 10_000
const LISTS = { municipalities: [50, 50], states: [8, 4] } as const
/** The room that all shapes fill, in degrees. */
const [WEST, SOUTH, EXTENT] = [-117, 14, 18]

/** Squares whose borders go to and fro with many corners, as coasts do; neighbours have the same border. */
function squares(columns: number, rows: number): GivenShape[] {
  const each = Math.round(CORNERS / (columns * rows) / 4)
  const [width, height] = [EXTENT / columns, EXTENT / rows]
  const border = (x1: number, y1: number, x2: number, y2: number): [number, number][] =>
    Array.from({ length: each }, (_, at) => {
      const part = at / each
      const aside = Math.min(part, 1 - part) * 0.1 * Math.sin(part * 900) * Math.cos((x1 + y1) * 7 + part * 31)
      const [x, y] = [x1 + (x2 - x1) * part, y1 + (y2 - y1) * part]
      return y1 === y2 ? [x, y + aside * height] : [x + aside * width, y]
    })
  return Array.from({ length: columns * rows }, (_, at) => {
    const [column, row] = [at % columns, Math.floor(at / columns)]
    const [west, south] = [WEST + column * width, SOUTH + row * height]
    const [east, north] = [west + width, south + height]
    const back = (corners: readonly [number, number][], last: [number, number]) => [
      last,
      ...corners.toReversed().slice(0, -1),
    ]
    const corners = [
      ...border(west, south, east, south),
      ...border(east, south, east, north),
      ...back(border(west, north, east, north), [east, north]),
      ...back(border(west, south, west, north), [west, north]),
    ]
    const ring = Int32Array.from(
      [...corners, corners[0] as [number, number]].flatMap(([x, y]) => [unitsOf(x), unitsOf(y)]),
    )
    return { code: String(at).padStart(5, '0'), polygons: [[ring]] }
  })
}

const milliseconds = (value: number) => value.toFixed(3)

using directory = new TestDirectory()
const lines: string[] = []
for (const [list, [columns, rows]] of Object.entries(LISTS)) {
  console.error(`bench boundaries: ${list}`)
  const shapes = squares(columns, rows)
  const path = join(directory.path, list)
  await Bun.$`mkdir ${path}`
  const began = process.cpuUsage()
  const files = await boundaryWriter(shapes)(path)
  const spent = process.cpuUsage(began)
  const opened = process.cpuUsage()
  const file = new BoundaryFile(join(path, 'boundaries'))
  const opening = process.cpuUsage(opened).user / 1_000
  const times = Array.from({ length: POINTS }, (_, at) => {
    const [x, y] = [
      unitsOf(WEST + (EXTENT * ((at * 7_919) % POINTS)) / POINTS),
      unitsOf(SOUTH + (EXTENT * ((at * 104_729) % POINTS)) / POINTS),
    ]
    const start = process.cpuUsage()
    file.containing(x, y)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1_000
  })
    .slice(POINTS / 10)
    .sort((a, b) => a - b)
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  const at = (part: number) => times[Math.floor((times.length - 1) * part)] as number
  const sizes = Object.values(files).map((summary) => `${((summary?.size ?? 0) / 1e6).toFixed(1)} MB`)
  lines.push(
    `| ${list} | ${shapes.length} | ${sizes.join(', ')} | ${((spent.user + spent.system) / 1e6).toFixed(1)} s | ${milliseconds(opening)} | ${milliseconds(mean)} | ${milliseconds(at(0.99))} | ${milliseconds(at(1))} |`,
  )
}

writeFileSync(
  OUT,
  `# The record at a point

\`npm run bench:boundaries\` writes this page. Shapes are invented: squares whose borders have four million corners in each list. Points are
spread over all of them; the first tenth is not counted. Times are milliseconds of processor time.

${conditions('npm run bench:boundaries')}

| list | shapes | files: full, screen, country | processor time of making them | opening | mean | 99 of 100 | the longest |
|---|---:|---|---:|---:|---:|---:|---:|
${lines.join('\n')}
`,
)
