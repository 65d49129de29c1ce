// How the points of a map are painted: pixel by pixel, since there are hundreds of thousands.
import { type Points, SIZES, STEPS } from './points.ts'

const SIZES_PER_DOUBLING = 8

/** The view of the points: the place in the middle, and the pixels of the screen for a degree of latitude. */
export type Camera = { longitude: number; latitude: number; scale: number }

/** North is up, and distances are alike in both directions in the middle of all points. */
export class Projection {
  readonly narrowing: number
  readonly #points: Points

  constructor(points: Points) {
    this.#points = points
    this.narrowing = Math.cos((((points.north + points.south) / 2) * Math.PI) / 180)
  }

  /** From the number of a step to pixels: multiply, then add. */
  linear({ longitude, latitude, scale }: Camera, width: number, height: number) {
    const { west, east, south, north } = this.#points
    return {
      xFactor: ((east - west) / STEPS) * this.narrowing * scale,
      xOffset: (west - longitude) * this.narrowing * scale + width / 2,
      yFactor: ((north - south) / STEPS) * scale,
      yOffset: (latitude - north) * scale + height / 2,
    }
  }

  toScreen({ longitude, latitude, scale }: Camera, width: number, height: number, at: [number, number]) {
    return {
      x: (at[0] - longitude) * this.narrowing * scale + width / 2,
      y: (latitude - at[1]) * scale + height / 2,
    }
  }

  toPlace({ longitude, latitude, scale }: Camera, width: number, height: number, x: number, y: number) {
    return {
      longitude: longitude + (x - width / 2) / (this.narrowing * scale),
      latitude: latitude - (y - height / 2) / scale,
    }
  }

  /** The camera that shows all of some points; a single one appears with its surroundings. */
  fit(isShown: (position: number) => boolean, width: number, height: number, margin: number): Camera {
    const { x, y, order, west, east, south, north } = this.#points
    let [left, right, top, bottom] = [STEPS, 0, STEPS, 0]
    for (const position of order) {
      if (!isShown(position)) continue
      const [column, row] = [x[position] as number, y[position] as number]
      if (column < left) left = column
      if (column > right) right = column
      if (row < top) top = row
      if (row > bottom) bottom = row
    }
    if (left > right) [left, right, top, bottom] = [0, STEPS, 0, STEPS]
    const lon = (column: number) => west + ((east - west) * column) / STEPS
    const lat = (row: number) => north - ((north - south) * row) / STEPS
    const [w, e, n, s] = [lon(left), lon(right), lat(top), lat(bottom)]
    const across = Math.max((e - w) * this.narrowing, MIN_DEGREES)
    const down = Math.max(n - s, MIN_DEGREES)
    const scale = Math.min((width - 2 * margin) / across, (height - 2 * margin) / down)
    return { longitude: (w + e) / 2, latitude: (n + s) / 2, scale: Math.max(scale, 1) }
  }
}

/** About fifty kilometres, so that a single point appears with its surroundings. */
const MIN_DEGREES = 0.5

/** The colours of the groups, of even lightness, from their hues in degrees. */
export function palette(hues: readonly number[], isDark: boolean): Uint8Array {
  const colours = new Uint8Array(Math.max(hues.length, 1) * 3)
  for (const [group, hue] of hues.entries())
    colours.set(oklch(isDark ? 0.76 : 0.6, isDark ? 0.125 : 0.135, (hue * Math.PI) / 180), group * 3)
  return colours
}

/** From OKLCH to the red, green and blue of a screen. */
function oklch(lightness: number, chroma: number, hue: number): [number, number, number] {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const encoded = (linear: number) => {
    const value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055
    return Math.round(Math.min(Math.max(value, 0), 1) * 255)
  }
  return [
    encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encoded(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

export type Rgb = readonly [red: number, green: number, blue: number]

type Painting = {
  readonly points: Points
  readonly camera: Camera
  readonly projection: Projection
  /** The size of the canvas in pixels of the screen, and how many device pixels each has. */
  readonly width: number
  readonly height: number
  readonly density: number
  readonly isShown: (position: number) => boolean
  /** True if dots that are not shown appear faintly. */
  readonly hasOthers: boolean
  readonly colours: Uint8Array
  readonly paper: Rgb
  readonly faint: Rgb
  /** The radius of the dot of every size. */
  readonly radius: Float32Array
}

/** Pixels for a degree from which a window has few dots, so that none covers another. */
export const CLOSE_UP = 300
const OTHERS_STRENGTH = 0.8
/** Least radius in device pixels of a dot that is drawn as a circle. */
const MIN_CIRCLE = 2.2
const MAX_RADIUS = 13

/** Pixels for a degree at which a country fills a window. */
const USUAL_SCALE = 30

/** The radius of the dot of every size, at least `least`, in pixels of the screen. */
export function radii(scale: number, least: number): Float32Array {
  const growth = Math.min(Math.max((scale / USUAL_SCALE) ** 0.33, 0.6), 3.4)
  return Float32Array.from({ length: SIZES }, (_, size) => {
    const value = size < 2 ? 0 : 2 ** ((size - 2) / SIZES_PER_DOUBLING) - 1
    return Math.max(Math.min((0.5 + 0.036 * value ** 0.36) * growth, MAX_RADIUS), least)
  })
}

export function paint(context: CanvasRenderingContext2D, painting: Painting): void {
  const { points, camera, projection, density, isShown, hasOthers, colours, paper, faint, radius: radiusOf } = painting
  const { x, y, groups, sizes, order } = points
  const [width, height] = [Math.round(painting.width * density), Math.round(painting.height * density)]
  const { xFactor, xOffset, yFactor, yOffset } = projection.linear(
    { ...camera, scale: camera.scale * density },
    width,
    height,
  )
  const image = context.createImageData(width, height)
  const { data } = image
  const pixels = new Uint32Array(data.buffer)
  pixels.fill((255 << 24) | (paper[2] << 16) | (paper[1] << 8) | paper[0])

  /** Mixes the colour into a square of whole pixels; a dot smaller than a pixel takes a part of one. */
  const square = (across: number, down: number, radius: number, [red, green, blue]: Rgb, strength: number) => {
    const side = Math.max(Math.round(2 * radius * 0.9), 1)
    const part = (side === 1 ? Math.min(0.35 + 0.4 * radius, 0.75) : 0.75) * strength
    const [left, top] = [Math.round(across - side / 2), Math.round(down - side / 2)]
    for (let row = 0; row < side; row++)
      for (let column = 0; column < side; column++) {
        const isCorner = side > 3 && (row === 0 || row === side - 1) && (column === 0 || column === side - 1)
        if (!isCorner) mix(left + column, top + row, red, green, blue, part)
      }
  }
  const mix = (column: number, row: number, red: number, green: number, blue: number, part: number) => {
    if (column < 0 || row < 0 || column >= width || row >= height) return
    const at = (row * width + column) * 4
    data[at] = (data[at] as number) + (red - (data[at] as number)) * part
    data[at + 1] = (data[at + 1] as number) + (green - (data[at + 1] as number)) * part
    data[at + 2] = (data[at + 2] as number) + (blue - (data[at + 2] as number)) * part
  }

  if (hasOthers) {
    const otherRadius = radii(camera.scale, 0)
    for (const position of order) {
      if (isShown(position)) continue
      const [across, down] = [(x[position] as number) * xFactor + xOffset, (y[position] as number) * yFactor + yOffset]
      if (across < 0 || down < 0 || across > width || down > height) continue
      square(
        across,
        down,
        Math.min((otherRadius[sizes[position] as number] as number) * density, MIN_CIRCLE),
        faint,
        OTHERS_STRENGTH,
      )
    }
  }
  const circles: number[] = []
  for (const position of order) {
    const across = (x[position] as number) * xFactor + xOffset
    const down = (y[position] as number) * yFactor + yOffset
    if (across < -40 || down < -40 || across > width + 40 || down > height + 40 || !isShown(position)) continue
    const radius = (radiusOf[sizes[position] as number] as number) * density
    if (radius >= MIN_CIRCLE) {
      circles.push(position)
      continue
    }
    const hue = (groups[position] as number) * 3
    const [red, green, blue] = [colours[hue] as number, colours[hue + 1] as number, colours[hue + 2] as number]
    square(across, down, radius, [red, green, blue], 1)
  }
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.putImageData(image, 0, 0)
  context.lineWidth = density * 0.6
  context.strokeStyle = `rgb(${paper.join(' ')})`
  for (const position of circles) {
    const hue = (groups[position] as number) * 3
    const radius = (radiusOf[sizes[position] as number] as number) * density
    context.fillStyle = `rgb(${colours[hue]} ${colours[hue + 1]} ${colours[hue + 2]} / 0.85)`
    context.beginPath()
    context.arc(
      (x[position] as number) * xFactor + xOffset,
      (y[position] as number) * yFactor + yOffset,
      radius,
      0,
      2 * Math.PI,
    )
    context.fill()
    if (radius > 3 * density) context.stroke()
  }
}
