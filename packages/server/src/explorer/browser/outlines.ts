// Outlines of what the dots of a map belong to, from nothing but the dots: each group is where its dots are denser than others.
import { type Points, STEPS } from './points.ts'

/** Lines from west to east and from north to south, 0 to 65535 each: x, y, x, y, … */
type Line = readonly number[]

export type Regions = {
  /** The width of the cells that the regions are made of, in the same steps: what is smaller is not known. */
  readonly cell: number
  readonly outlines: readonly Line[]
  /** The point furthest inside the region of each group, and how many cells that has, by the number of the group. */
  readonly centres: ReadonlyMap<number, { readonly x: number; readonly y: number; readonly cells: number }>
}

/** Fewer dots outline nothing. */
const MIN_POINTS = 1_000
const MAX_COLUMNS = 260
/** Gaps of up to twice as many cells are closed. */
const REACH = 2
const EMPTY = -1
const SMOOTHINGS = 2
/** As far as a byte can tell. */
const MAX_DISTANCE = 250

/** The regions of the groups; undefined where there is one group alone, or dots are too few to tell where it ends. */
export function regionsOf(points: Points, narrowing: number): Regions | undefined {
  const { order, groups } = points
  const first = groups[order[0] ?? 0]
  if (order.length < MIN_POINTS || !order.some((position) => groups[position] !== first)) return undefined
  const grid = new Grid(points, narrowing)
  grid.closeGaps()
  grid.fillHoles()
  for (let pass = 0; pass < SMOOTHINGS; pass++) grid.smooth()
  return { cell: grid.width, outlines: grid.outlines(), centres: grid.centres() }
}

/** Cells of even size over all dots, each with the group that most of its dots have, and a margin around them. */
class Grid {
  readonly #columns: number
  readonly #rows: number
  /** The size of a cell in steps of the points. */
  readonly width: number
  readonly #height: number
  #cells: Int16Array
  /** From a cell to those around it; from one at an edge also to the other side, where it is empty. */
  readonly #around: readonly number[]

  constructor({ order, x, y, groups, west, east, south, north }: Points, narrowing: number) {
    const across = Math.min(Math.ceil(Math.sqrt(order.length)), MAX_COLUMNS)
    const ratio = (north - south) / Math.max((east - west) * narrowing, 1e-9)
    const down = Math.min(Math.max(Math.round(across * ratio), 1), MAX_COLUMNS)
    const margin = REACH + 2
    this.#columns = across + 2 * margin
    this.#rows = down + 2 * margin
    this.width = (STEPS + 1) / across
    this.#height = (STEPS + 1) / down
    this.#cells = new Int16Array(this.#columns * this.#rows).fill(EMPTY)
    const columns = this.#columns
    this.#around = [-columns - 1, -columns, -columns + 1, -1, 1, columns - 1, columns, columns + 1]
    // A vote by majority that remembers one candidate: others take its lead away, one by one.
    const leads = new Uint32Array(this.#cells.length)
    for (const position of order) {
      const column = Math.floor((x[position] as number) / this.width) + margin
      const row = Math.floor((y[position] as number) / this.#height) + margin
      const cell = row * this.#columns + column
      const group = groups[position] as number
      if (leads[cell] === 0) this.#cells[cell] = group
      leads[cell] = (leads[cell] as number) + (this.#cells[cell] === group ? 1 : -1)
    }
  }

  /** How far each cell is from the nearest of some, as far as a limit; `visit` is told from which it was reached. */
  #distances(from: readonly number[], limit: number, visit: (cell: number, by: number) => void): Uint8Array {
    const distances = new Uint8Array(this.#cells.length).fill(limit + 1)
    for (const cell of from) distances[cell] = 0
    let edge = from
    for (let distance = 1; distance <= limit; distance++) {
      const next: number[] = []
      for (const cell of edge)
        for (const step of this.#around) {
          const near = cell + step
          if (distances[near] === undefined || (distances[near] as number) <= distance) continue
          distances[near] = distance
          visit(near, cell)
          next.push(near)
        }
      edge = next
    }
    return distances
  }

  #where(holds: (group: number) => boolean): number[] {
    const found: number[] = []
    for (let cell = 0; cell < this.#cells.length; cell++) if (holds(this.#cells[cell] as number)) found.push(cell)
    return found
  }

  /** Whether a cell around it is of another group. */
  #isAtEdge(cell: number): boolean {
    const own = this.#cells[cell]
    for (const step of this.#around) if (this.#cells[cell + step] !== own) return true
    return false
  }

  /** Every region grows, and then loses what it grew into the open. */
  closeGaps(): void {
    const before = this.#cells.slice()
    this.#distances(
      this.#where((group) => group !== EMPTY),
      REACH,
      (cell, by) => {
        this.#cells[cell] = this.#cells[by] as number
      },
    )
    const toOpen = this.#distances(
      this.#where((group) => group === EMPTY),
      REACH,
      () => {},
    )
    for (let cell = 0; cell < before.length; cell++)
      if (before[cell] === EMPTY && (toOpen[cell] as number) <= REACH) this.#cells[cell] = EMPTY
  }

  /** What is empty and enclosed belongs to what is nearest. */
  fillHoles(): void {
    const outside = new Uint8Array(this.#cells.length)
    const open = [0]
    outside[0] = 1
    for (const cell of open)
      for (const step of this.#around)
        if (outside[cell + step] === 0 && this.#cells[cell + step] === EMPTY) {
          outside[cell + step] = 1
          open.push(cell + step)
        }
    let holes = this.#where((group) => group === EMPTY).filter((cell) => outside[cell] === 0)
    while (holes.length > 0) {
      const filled = new Map<number, number>()
      for (const cell of holes) {
        const step = this.#around.find((one) => this.#cells[cell + one] !== EMPTY)
        if (step !== undefined) filled.set(cell, this.#cells[cell + step] as number)
      }
      for (const [cell, group] of filled) this.#cells[cell] = group
      holes = holes.filter((cell) => !filled.has(cell))
    }
  }

  /** Every cell becomes what most of the cells around it are; one that is in doubt stays. */
  smooth(): void {
    const cells = this.#cells.slice()
    for (let cell = this.#columns + 1; cell < cells.length - this.#columns - 1; cell++) {
      const own = this.#cells[cell] as number
      if (!this.#isAtEdge(cell)) continue
      const votes = new Map([[own, 1.5]])
      for (const step of this.#around) {
        const group = this.#cells[cell + step] as number
        votes.set(group, (votes.get(group) ?? 0) + 1)
      }
      let [best, most] = [own, votes.get(own) as number]
      for (const [group, count] of votes) if (count > most) [best, most] = [group, count]
      cells[cell] = best
    }
    this.#cells = cells
  }

  /** The corner of a cell, in steps of the points. */
  #corner(node: number): readonly [x: number, y: number] {
    const margin = REACH + 2
    const column = (node % (this.#columns + 1)) - margin
    const row = Math.floor(node / (this.#columns + 1)) - margin
    return [column * this.width, row * this.#height]
  }

  /** The edges between cells of different groups, joined to lines from one place where several meet to the next. */
  outlines(): Line[] {
    const ends = this.#edges()
    const isJoint = (node: number) => ends.get(node)?.length !== 2
    const used = new Set<string>()
    const edgeOf = (a: number, b: number) => (a < b ? `${a} ${b}` : `${b} ${a}`)
    const lines: Line[] = []
    const follow = (start: number, second: number) => {
      const nodes = [start]
      let [before, at] = [start, second]
      while (!used.has(edgeOf(before, at))) {
        used.add(edgeOf(before, at))
        nodes.push(at)
        if (isJoint(at)) break
        const [one, other] = ends.get(at) as [number, number]
        ;[before, at] = [at, one === before ? other : one]
      }
      if (nodes.length > MIN_LINE) lines.push(rounded(nodes.flatMap((node) => this.#corner(node))))
    }
    for (const [node, others] of ends)
      if (isJoint(node)) for (const other of others) if (!used.has(edgeOf(node, other))) follow(node, other)
    // What is left are rings.
    for (const [node, others] of ends)
      for (const other of others) if (!used.has(edgeOf(node, other))) follow(node, other)
    return lines
  }

  /** The corners of cells that an edge leads to, by the corner that it begins at. */
  #edges(): Map<number, number[]> {
    const ends = new Map<number, number[]>()
    const join = (a: number, b: number) => {
      ends.set(a, [...(ends.get(a) ?? []), b])
      ends.set(b, [...(ends.get(b) ?? []), a])
    }
    const nodes = this.#columns + 1
    for (let row = 0; row < this.#rows; row++)
      for (let column = 0; column < this.#columns; column++) {
        const own = this.#cells[row * this.#columns + column]
        const node = row * nodes + column
        if (column > 0 && this.#cells[row * this.#columns + column - 1] !== own) join(node, node + nodes)
        if (row > 0 && this.#cells[(row - 1) * this.#columns + column] !== own) join(node, node + 1)
      }
    return ends
  }

  /** In the largest ring of cells around it that are all of its group, the middle; of several the first. */
  centres(): Regions['centres'] {
    const found = new Map<number, { x: number; y: number; cells: number; depth: number }>()
    const depths = this.#depths()
    for (let cell = 0; cell < depths.length; cell++) {
      const group = this.#cells[cell] as number
      if (group === EMPTY) continue
      const known = found.get(group) ?? { x: 0, y: 0, cells: 0, depth: 0 }
      known.cells++
      if ((depths[cell] as number) > known.depth) {
        const [x, y] = this.#corner(Math.floor(cell / this.#columns) * (this.#columns + 1) + (cell % this.#columns))
        Object.assign(known, { x: x + this.width / 2, y: y + this.#height / 2, depth: depths[cell] })
      }
      found.set(group, known)
    }
    return found
  }

  /** How far each cell is from the next one of another group. */
  #depths(): Uint8Array {
    const edge = this.#where(() => true).filter((cell) => this.#cells[cell] === EMPTY || this.#isAtEdge(cell))
    const distances = this.#distances(edge, MAX_DISTANCE, () => {})
    return distances.map((distance) => distance + 1)
  }
}

/** Islands of a cell or two are dots, which can be seen themselves. */
const MIN_LINE = 6
const ROUNDINGS = 3

/** Stairs become slopes: every point moves to the middle between itself and its neighbours. Ends stay where they are. */
function rounded(line: Line): Line {
  const last = line.length - 2
  const isRing = line[0] === line[last] && line[1] === line[last + 1]
  let points = line
  for (let pass = 0; pass < ROUNDINGS; pass++)
    points = points.map((own, at) => {
      const isEnd = at < 2 || at >= last
      if (isEnd && !isRing) return own
      const before = points[at < 2 ? last - 2 + at : at - 2] as number
      const after = points[at >= last ? at - last + 2 : at + 2] as number
      return (before + 2 * own + after) / 4
    })
  return points
}
