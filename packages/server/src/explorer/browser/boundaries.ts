// The boundaries under the dots of a map: their borders, the shape that the pointer is over, and the records that a place lies in.
import type { Camera, Projection } from './dots.ts'
import { element, isolated } from './element.ts'

/** The fields that lead to a value. */
export type Way = readonly string[]

/** A list with boundaries: the address of its features, and of the page of a record. */
export type BoundedList = {
  readonly shapes: string
  /** The address of the list itself. */
  readonly within: string
  readonly address: string
  readonly key: readonly Way[]
  readonly separator: string
  readonly names: readonly Way[]
}

type Shape = {
  readonly path: Path2D
  /** Its west, south, east and north. */
  readonly box: readonly [number, number, number, number]
  readonly name: string
  readonly address: string
}

type Feature = {
  readonly properties: object
  readonly geometry: { readonly type: string; readonly coordinates: readonly unknown[] } | null
}
type Ring = readonly (readonly [longitude: number, latitude: number])[]
type Window = { readonly camera: Camera; readonly width: number; readonly height: number; readonly density: number }

export const valueAt = (value: unknown, way: Way): unknown =>
  way.reduce<unknown>((at, step) => (at as { readonly [name: string]: unknown } | null | undefined)?.[step], value)

/** The address of the page of a record. */
export function addressOf(
  record: object,
  list: Pick<BoundedList, 'address' | 'key' | 'separator'>,
  carried: string,
): string {
  const parts = list.key.map((way) => encodeURIComponent(String(valueAt(record, way))))
  return `${list.address}/${parts.join(list.separator)}${carried}`
}

/** Shapes in view at most for which their borders are drawn: more would be a grey cloud, and take long. */
const MAX_BORDERS = 700

export class BoundaryLayer {
  /** The lists from the largest areas to the smallest. */
  #lists: readonly (readonly Shape[])[] = []
  readonly #projection: Projection
  readonly #borders = element('canvas', { 'aria-hidden': 'true' })
  readonly #light = element('canvas', { 'aria-hidden': 'true' })
  readonly #contexts: readonly CanvasRenderingContext2D[]
  #window: Window | undefined
  #lit: Shape | undefined

  constructor(dots: HTMLCanvasElement, projection: Projection) {
    this.#projection = projection
    dots.before(this.#borders, this.#light)
    dots.classList.add('over-boundaries')
    this.#contexts = [this.#borders, this.#light].map((canvas) => canvas.getContext('2d') as CanvasRenderingContext2D)
  }

  get canvases(): readonly HTMLCanvasElement[] {
    return [this.#borders, this.#light]
  }

  async load(lists: readonly BoundedList[], carried: string): Promise<void> {
    this.#lists = await Promise.all(
      lists.map(async (list) => {
        const response = await fetch(list.shapes)
        if (!response.ok) throw new Error(`${list.shapes} has status ${response.status}`)
        const texts = (await response.text()).split('\x1e').slice(1)
        return texts.flatMap((text) => this.#shapeOf(JSON.parse(text) as Feature, list, carried))
      }),
    )
  }

  #shapeOf({ properties, geometry }: Feature, list: BoundedList, carried: string): Shape[] {
    if (geometry === null) return []
    const box: [number, number, number, number] = [180, 90, -180, -90]
    const path = new Path2D()
    const depth = geometry.type === 'Polygon' ? 0 : 1
    for (const ring of geometry.coordinates.flat(depth) as Ring[])
      for (const [at, [longitude, latitude]] of ring.entries()) {
        path[at === 0 ? 'moveTo' : 'lineTo'](longitude * this.#projection.narrowing, latitude)
        box[0] = Math.min(box[0], longitude)
        box[1] = Math.min(box[1], latitude)
        box[2] = Math.max(box[2], longitude)
        box[3] = Math.max(box[3], latitude)
      }
    const name = list.names
      .map((way) => valueAt(properties, way))
      .find((value) => value !== null && value !== undefined)
    return [{ path, box, name: String(name), address: addressOf(properties, list, carried) }]
  }

  draw(window: Window): void {
    this.#window = window
    const [borders] = this.#contexts as [CanvasRenderingContext2D]
    const { camera, width, height } = window
    const corner = (x: number, y: number) => this.#projection.toPlace(camera, width, height, x, y)
    const [first, last] = [corner(0, 0), corner(width, height)]
    this.#clear(borders, window)
    borders.strokeStyle = getComputedStyle(this.#borders).getPropertyValue('--strong-line')
    for (const [level, shapes] of this.#lists.entries()) {
      const inView = shapes.filter(
        ({ box: [west, south, east, north] }) =>
          west < last.longitude && east > first.longitude && south < first.latitude && north > last.latitude,
      )
      borders.lineWidth = (level === 0 ? 1.2 : 0.6) / camera.scale
      if (inView.length <= MAX_BORDERS) for (const { path } of inView) borders.stroke(path)
    }
    this.#drawLight()
  }

  /** Lights up the smallest shape at a place. */
  light(place: { readonly longitude: number; readonly latitude: number } | undefined): void {
    const lit = place && this.#at(place)[0]
    if (lit === this.#lit) return
    this.#lit = lit
    this.#drawLight()
  }

  /** The records that a place lies in, the smallest first, as links. */
  describe(place: { readonly longitude: number; readonly latitude: number }): HTMLElement[] {
    return this.#at(place).map(({ name, address }, at) =>
      element('a', { class: at === 0 ? 'name' : 'what', href: address }, isolated(name)),
    )
  }

  #at({ longitude, latitude }: { readonly longitude: number; readonly latitude: number }): Shape[] {
    const [context] = this.#contexts as [CanvasRenderingContext2D]
    context.setTransform(1, 0, 0, 1, 0, 0)
    return this.#lists
      .toReversed()
      .flatMap((shapes) =>
        shapes.filter(
          ({ box: [west, south, east, north], path }) =>
            west <= longitude &&
            longitude <= east &&
            south <= latitude &&
            latitude <= north &&
            context.isPointInPath(path, longitude * this.#projection.narrowing, latitude, 'evenodd'),
        ),
      )
  }

  #drawLight(): void {
    const [, light] = this.#contexts
    if (light === undefined || this.#window === undefined) return
    this.#clear(light, this.#window)
    light.fillStyle = getComputedStyle(this.#light).getPropertyValue('--lit')
    if (this.#lit !== undefined) light.fill(this.#lit.path, 'evenodd')
  }

  /** Empties a canvas, and has it drawn in degrees. */
  #clear(context: CanvasRenderingContext2D, { camera, width, height, density }: Window): void {
    const { longitude, latitude, scale } = camera
    context.canvas.width = Math.round(width * density)
    context.canvas.height = Math.round(height * density)
    const [x, y] = [width / 2 - longitude * this.#projection.narrowing * scale, height / 2 + latitude * scale]
    context.setTransform(scale * density, 0, 0, -scale * density, x * density, y * density)
  }
}
