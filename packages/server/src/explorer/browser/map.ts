// The map: dots on a canvas to zoom, move and choose from, with the largest of those in view as a list and as labels.
import { addressOf, BoundaryLayer, type BoundedList, valueAt, type Way } from './boundaries.ts'
import { type Camera, CLOSE_UP, Projection, paint, palette, type Rgb, radii } from './dots.ts'
import { element, isolated } from './element.ts'
import { centresOf, type GroupCentre, type Points, parsePoints } from './points.ts'

type Settings = {
  readonly points: string
  readonly found?: string
  readonly list: string
  /** The list of all records, if a search keeps to some. */
  readonly around?: string
  readonly record: string
  /** The parameters of the least and the greatest latitude, and of the longitudes. */
  readonly bounds: readonly [latitude: readonly [string, string], longitude: readonly [string, string]]
  /** The fields with the latitude and the longitude of a record. */
  readonly place: readonly [latitude: string, longitude: string]
  readonly address: string
  readonly carried: string
  /** The ways to the values of the key of a record, and what is between them in an address. */
  readonly key: readonly Way[]
  readonly separator: string
  /** The ways to the names of a record, the best first. */
  readonly names: readonly Way[]
  /** The ways to the names of its ancestors, the nearest first; `withKind` names one whose own ancestor has the same name. */
  readonly parents: readonly { readonly names: readonly Way[]; readonly withKind: string }[]
  readonly maxParents: number
  readonly size?: string
  readonly boundaries: readonly BoundedList[]
  readonly groups: readonly string[]
  /** The hue of every group, in degrees. */
  readonly hues: readonly number[]
  readonly language: string
  readonly words: Readonly<
    Record<'inView' | 'inhabitants' | 'failed' | 'kilometres' | 'metres' | 'notAllowed' | 'nowhere', string>
  >
}

type MapRecord = { readonly [field: string]: unknown }

const MARGIN = 12
const MAX_DENSITY = 2
const WHEEL_STEP = 0.0016
const BUTTON_STEP = 2
const KEY_PART = 0.2
const MAX_SCALE = 40_000
const LIST_PAUSE = 250
const HOVER_PAUSE = 40
const HIT_RADIUS = 12
const CLICK_DISTANCE = 5
const MAX_KNOWN_RECORDS = 500
/** Most dots whose names come before the names of their groups. */
const VERY_FEW_DOTS = 100
const KILOMETRES_IN_DEGREE = 111.195
const MAX_SCALE_BAR = 110
const FEW_DOTS = 2_000
const MANY_DOTS = 20_000
const NARROW = 500
/** Milliseconds of a frame, of which there are sixty a second, that drawing may take. */
const MAX_FRAME = 10
const DRAW_PAUSE = 120

const isDark = matchMedia('(prefers-color-scheme: dark)')

async function bytesAt(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address} has status ${response.status}`)
  return response.arrayBuffer()
}

/** The first value that the record has. */
function firstAt(record: MapRecord, ways: readonly Way[]): string | undefined {
  const found = ways.map((way) => valueAt(record, way)).find((value) => value !== null && value !== undefined)
  return found === undefined ? undefined : String(found)
}

/** A colour of the page, by the name of its property. */
function colourOf(element: Element, property: string): Rgb {
  const hex = getComputedStyle(element).getPropertyValue(property).trim().slice(1)
  const part = (at: number) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16) || 0
  return [part(0), part(1), part(2)]
}

class DotMap {
  readonly #element: HTMLElement
  readonly #settings: Settings
  readonly #canvas: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D
  readonly #card: HTMLElement
  readonly #ring: HTMLElement
  readonly #points: Points
  readonly #projection: Projection
  readonly #isShown: (position: number) => boolean
  readonly #number: Intl.NumberFormat
  /** A short name of many dots comes first: it covers few of them and leaves room for others. */
  readonly #centres: readonly GroupCentre[]
  #colours: Uint8Array
  /** Greater if there are few dots, so that each is visible. */
  readonly #leastRadius: number
  readonly #hasFewDots: boolean
  #camera: Camera = { longitude: 0, latitude: 0, scale: 1 }
  /** The scale at which all that is shown fits. */
  #fitted = 1
  /** The scale at which all points fit. */
  #whole = 1
  #width = 0
  #height = 0
  #frame: number | undefined
  readonly #boundaries: BoundaryLayer | undefined
  /** The camera of the picture, and the milliseconds that drawing it took. */
  #drawn: { camera: Camera; took: number } | undefined
  #drawTimer: ReturnType<typeof setTimeout> | undefined
  #listTimer: ReturnType<typeof setTimeout> | undefined
  #hoverTimer: ReturnType<typeof setTimeout> | undefined
  #listRequest: AbortController | undefined
  #hovered: number | undefined
  #labelled: readonly MapRecord[] = []
  /** Records around those that a search found. */
  #surroundings: readonly MapRecord[] = []
  readonly #records = new Map<number, Promise<MapRecord>>()
  readonly #pointers = new Map<number, { x: number; y: number }>()
  #pressed: { x: number; y: number; moved: boolean } | undefined

  constructor(root: HTMLElement, settings: Settings, points: Points, found: Uint8Array | undefined) {
    this.#element = root
    this.#settings = settings
    this.#points = points
    this.#canvas = root.querySelector('canvas') as HTMLCanvasElement
    this.#context = this.#canvas.getContext('2d', { alpha: false }) as CanvasRenderingContext2D
    this.#card = root.querySelector('.map-card') as HTMLElement
    this.#ring = root.querySelector('.map-ring') as HTMLElement
    this.#projection = new Projection(points)
    this.#isShown =
      found === undefined ? () => true : (position) => ((found[position >> 3] as number) & (1 << (position & 7))) !== 0
    this.#number = new Intl.NumberFormat(settings.language === 'es' ? 'es-MX' : 'en-US')
    const dotsPerLetter = ({ group, count }: GroupCentre) => count / (settings.groups[group]?.length ?? 1)
    this.#centres = centresOf(points, this.#isShown).sort((a, b) => dotsPerLetter(b) - dotsPerLetter(a))
    this.#colours = palette(settings.hues, isDark.matches)
    const shown = found === undefined ? points.order.length : points.order.filter(this.#isShown).length
    this.#hasFewDots = shown <= VERY_FEW_DOTS
    this.#leastRadius = shown < FEW_DOTS ? 3.2 : shown < MANY_DOTS ? 0.9 : 0
    if (settings.boundaries.length > 0) {
      this.#boundaries = new BoundaryLayer(this.#canvas, this.#projection)
      void this.#boundaries.load(settings.boundaries, settings.carried).then(() => this.#drawLater())
    }
    this.#measure()
    this.#fitAll()
    this.#readAddress()
    this.#listen()
    this.#draw()
    this.#listLater()
  }

  get #radius(): Float32Array {
    return radii(this.#camera.scale, this.#leastRadius)
  }

  get #zoom(): number {
    return this.#camera.scale / this.#whole
  }

  #measure(): void {
    this.#width = this.#canvas.clientWidth
    this.#height = this.#canvas.clientHeight
    this.#whole = this.#projection.fit(() => true, this.#width, this.#height, MARGIN).scale
    this.#fitted = this.#projection.fit(this.#isShown, this.#width, this.#height, MARGIN).scale
  }

  #fitAll(): void {
    this.#camera = this.#projection.fit(this.#isShown, this.#width, this.#height, MARGIN)
  }

  /** Reads #map=zoom/latitude/longitude, in which each step of zoom doubles the scale. */
  #readAddress(): void {
    const [, zoom, latitude, longitude] = /^#map=([\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)$/.exec(location.hash) ?? []
    if (zoom === undefined) return
    this.#camera = {
      scale: Math.min(2 ** Number(zoom), MAX_SCALE),
      latitude: Number(latitude),
      longitude: Number(longitude),
    }
  }

  #writeAddress(): void {
    const { scale, latitude, longitude } = this.#camera
    const place = `#map=${Math.log2(scale).toFixed(2)}/${latitude.toFixed(4)}/${longitude.toFixed(4)}`
    history.replaceState(history.state, '', `${location.pathname}${location.search}${place}`)
  }

  // Drawing.

  #draw(): void {
    const density = Math.min(devicePixelRatio, MAX_DENSITY)
    const [width, height] = [Math.round(this.#width * density), Math.round(this.#height * density)]
    if (width === 0 || height === 0) return
    const began = performance.now()
    if (this.#canvas.width !== width) this.#canvas.width = width
    if (this.#canvas.height !== height) this.#canvas.height = height
    paint(this.#context, {
      points: this.#points,
      camera: this.#camera,
      projection: this.#projection,
      width: this.#width,
      height: this.#height,
      density,
      isShown: this.#isShown,
      hasOthers: this.#settings.found !== undefined,
      colours: this.#colours,
      paper: colourOf(this.#canvas, '--paper'),
      faint: colourOf(this.#canvas, this.#camera.scale > CLOSE_UP ? '--strong-line' : '--line'),
      radius: this.#radius,
    })
    this.#context.setTransform(density, 0, 0, density, 0, 0)
    this.#showScale()
    this.#drawLabels()
    this.#boundaries?.draw({ camera: this.#camera, width: this.#width, height: this.#height, density })
    for (const canvas of this.#canvases) canvas.style.transform = ''
    this.#drawn = { camera: { ...this.#camera }, took: performance.now() - began }
    this.#element.dataset.drawn = 'true'
    // A finger scrolls the page while the whole map is in view.
    this.#canvas.classList.toggle('close-up', this.#camera.scale > this.#fitted * 1.01)
  }

  get #canvases(): readonly HTMLCanvasElement[] {
    return [this.#canvas, ...(this.#boundaries?.canvases ?? [])]
  }

  /** Draws with the next frame; where that takes long, the picture there is moves until nothing else happens for a moment. */
  #drawLater(): void {
    clearTimeout(this.#drawTimer)
    const isSlow = this.#drawn !== undefined && this.#drawn.took > MAX_FRAME
    if (isSlow) this.#drawTimer = setTimeout(() => this.#draw(), DRAW_PAUSE)
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined
      if (isSlow) this.#shift()
      else this.#draw()
    })
  }

  /** Moves the picture that was drawn last to where it belongs now. */
  #shift(): void {
    if (this.#drawn === undefined) return
    const { longitude, latitude, scale } = this.#drawn.camera
    const { x, y } = this.#projection.toScreen(this.#camera, this.#width, this.#height, [longitude, latitude])
    const zoom = this.#camera.scale / scale
    const move = `translate(${x - (this.#width / 2) * zoom}px, ${y - (this.#height / 2) * zoom}px) scale(${zoom})`
    for (const canvas of this.#canvases) canvas.style.transform = move
  }

  /** A bar of a round length, with that length beside it. */
  #showScale(): void {
    const bar = this.#element.querySelector<HTMLElement>('[data-part=scale]')
    if (bar === null) return
    const { kilometres, metres } = this.#settings.words
    const inPixel = KILOMETRES_IN_DEGREE / this.#camera.scale
    const length = roundLength(MAX_SCALE_BAR * inPixel)
    bar.style.width = `${Math.round(length / inPixel)}px`
    bar.textContent =
      length < 1 ? `${this.#number.format(length * 1_000)} ${metres}` : `${this.#number.format(length)} ${kilometres}`
    bar.hidden = false
  }

  /** The controls over the canvas, which would hide a name. */
  #covered(): Box[] {
    const { left, top } = this.#canvas.getBoundingClientRect()
    return [...this.#element.querySelectorAll('.map-controls, .map-scale')].map((part) => {
      const box = part.getBoundingClientRect()
      return [box.left - left, box.top - top, box.right - left, box.bottom - top]
    })
  }

  /** Writes the names of places and of groups, each in the room that the names before it leave. */
  #drawLabels(): void {
    const taken = this.#covered()
    const context = this.#context
    const style = getComputedStyle(this.#canvas)
    const colour = (property: string) => style.getPropertyValue(property)
    /** Writes some lines of text at a place; false if there is no room. */
    const place = (lines: readonly string[], x: number, y: number, width: number, height: number): boolean => {
      const box: Box = [x - 3, y - height, x + width + 3, y + 4 + height * (lines.length - 1)]
      const isOutside = box[0] < 0 || box[1] < 0 || box[2] > this.#width || box[3] > this.#height
      if (isOutside || taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3]))
        return false
      taken.push(box)
      for (const draw of [context.strokeText, context.fillText])
        for (const [at, line] of lines.entries())
          draw.call(context, line, x + (width - context.measureText(line).width) / 2, y + at * height)
      return true
    }
    context.lineJoin = 'round'
    context.lineWidth = 3.5
    context.strokeStyle = colour('--paper')
    const radius = this.#radius
    const isCloseUp = this.#zoom > 2.2
    const drawPlaces = (records: readonly MapRecord[], property: string) => {
      context.font = `${this.#width < NARROW ? 11 : 13}px ${colour('--serif')}`
      context.fillStyle = colour(property)
      for (const record of records) {
        const text = shortened(firstAt(record, this.#settings.names) ?? '')
        const at = this.#screenOf(record)
        const reach = (radius[sizeByte(record, this.#settings.size)] as number) + 4
        const { width } = context.measureText(text)
        if (at !== undefined && !place([text], at.x + reach, at.y + 4, width, 14))
          place([text], at.x - reach - width, at.y + 4, width, 14)
      }
    }
    const drawGroups = () => {
      const size = this.#width < NARROW ? 10 : 12
      context.font = `600 ${size}px ${colour('--sans')}`
      context.fillStyle = colour('--soft')
      for (const { group, place: centre } of this.#centres) {
        const at = this.#projection.toScreen(this.#camera, this.#width, this.#height, centre)
        const texts = linesOf(this.#settings.groups[group] ?? '')
        const tries = texts.flatMap((lines) => LABEL_MOVES.map((move) => ({ lines, move })))
        tries.some(({ lines, move: [right, down] }) => {
          const width = Math.max(...lines.map((line) => context.measureText(line).width))
          const top = at.y + 4 + down * size - ((lines.length - 1) * size) / 2
          return place(lines, at.x + (right - 0.5) * width, top, width, size)
        })
      }
    }
    if (isCloseUp || this.#hasFewDots) {
      drawPlaces(this.#labelled, '--ink')
      drawGroups()
    } else {
      drawGroups()
      drawPlaces(this.#labelled, '--ink')
    }
    drawPlaces(this.#surroundings, '--soft')
  }

  #screenOf(record: MapRecord): { x: number; y: number } | undefined {
    const [latitude, longitude] = this.#settings.place
    const [lon, lat] = [record[longitude], record[latitude]]
    if (typeof lon !== 'number' || typeof lat !== 'number') return undefined
    return this.#projection.toScreen(this.#camera, this.#width, this.#height, [lon, lat])
  }

  // Zooming and moving.

  #moved(): void {
    this.#hover(undefined)
    this.#drawLater()
    this.#listLater()
  }

  #zoomBy(factor: number, x = this.#width / 2, y = this.#height / 2): void {
    const before = this.#projection.toPlace(this.#camera, this.#width, this.#height, x, y)
    const smallest = Math.min(this.#whole, this.#fitted) * 0.9
    const scale = Math.min(Math.max(this.#camera.scale * factor, smallest), MAX_SCALE)
    this.#camera = { ...this.#camera, scale }
    const after = this.#projection.toPlace(this.#camera, this.#width, this.#height, x, y)
    this.#camera.longitude += before.longitude - after.longitude
    this.#camera.latitude += before.latitude - after.latitude
    this.#moved()
  }

  #moveBy(x: number, y: number): void {
    const { west, east, south, north } = this.#points
    const { scale } = this.#camera
    const within = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max)
    this.#camera.longitude = within(this.#camera.longitude - x / (this.#projection.narrowing * scale), west, east)
    this.#camera.latitude = within(this.#camera.latitude + y / scale, south, north)
    this.#moved()
  }

  #listen(): void {
    const canvas = this.#canvas
    const controls = this.#element.querySelector<HTMLElement>('.map-controls')
    if (controls !== null) controls.hidden = false
    controls?.addEventListener('click', (event) => {
      const action = (event.target as HTMLElement).closest<HTMLElement>('[data-do]')?.dataset.do
      if (action === 'in') this.#zoomBy(BUTTON_STEP)
      else if (action === 'out') this.#zoomBy(1 / BUTTON_STEP)
      else if (action === 'whole') this.#showAll()
      else if (action === 'where') this.#locate()
    })
    canvas.addEventListener('wheel', (event) => this.#wheel(event), { passive: false })
    canvas.addEventListener('keydown', (event) => this.#key(event))
    canvas.addEventListener('pointerdown', (event) => this.#press(event))
    canvas.addEventListener('pointermove', (event) => this.#movePointer(event))
    canvas.addEventListener('pointerup', (event) => this.#release(event))
    canvas.addEventListener('pointercancel', (event) => this.#forget(event))
    canvas.addEventListener('pointerleave', (event) => {
      // A dot that a finger chose stays chosen.
      if (event.pointerType === 'mouse' && !this.#card.contains(event.relatedTarget as Node | null))
        this.#hover(undefined)
    })
    canvas.addEventListener('dblclick', (event) => this.#zoomBy(BUTTON_STEP, ...this.#offset(event)))
    addEventListener('hashchange', () => {
      this.#readAddress()
      this.#drawLater()
      this.#listLater()
    })
    isDark.addEventListener('change', () => {
      this.#colours = palette(this.#settings.hues, isDark.matches)
      this.#drawLater()
    })
    new ResizeObserver(() => {
      if (canvas.clientWidth === this.#width && canvas.clientHeight === this.#height) return
      const isWhole = this.#camera.scale <= this.#fitted * 1.01
      this.#measure()
      if (isWhole) this.#fitAll()
      this.#drawLater()
    }).observe(canvas)
  }

  #showAll(): void {
    this.#fitAll()
    this.#moved()
  }

  #offset({ clientX, clientY }: MouseEvent): [x: number, y: number] {
    const { left, top } = this.#canvas.getBoundingClientRect()
    return [clientX - left, clientY - top]
  }

  /** Zoomed out already, the wheel scrolls the page. */
  #wheel(event: WheelEvent): void {
    const isOut = event.deltaY > 0
    if (isOut && this.#camera.scale <= Math.min(this.#whole, this.#fitted) * 0.91) return
    event.preventDefault()
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    this.#zoomBy(Math.exp(-event.deltaY * lines * WHEEL_STEP), ...this.#offset(event))
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const [right, down] = [this.#width * KEY_PART, this.#height * KEY_PART]
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => this.#moveBy(right, 0),
      ArrowRight: () => this.#moveBy(-right, 0),
      ArrowUp: () => this.#moveBy(0, down),
      ArrowDown: () => this.#moveBy(0, -down),
      '+': () => this.#zoomBy(BUTTON_STEP),
      '=': () => this.#zoomBy(BUTTON_STEP),
      '-': () => this.#zoomBy(1 / BUTTON_STEP),
      '0': () => this.#showAll(),
      Escape: () => this.#hover(undefined),
    }
    const action = actions[event.key]
    if (action === undefined) return
    event.preventDefault()
    action()
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0) return
    const [x, y] = this.#offset(event)
    this.#canvas.setPointerCapture(event.pointerId)
    this.#pointers.set(event.pointerId, { x, y })
    this.#pressed = { x, y, moved: this.#pointers.size > 1 }
  }

  #movePointer(event: PointerEvent): void {
    const [x, y] = this.#offset(event)
    const before = this.#pointers.get(event.pointerId)
    if (before === undefined) {
      if (event.pointerType !== 'mouse') return
      this.#hover(this.#hit(x, y))
      this.#boundaries?.light(this.#placeAt(x, y))
      return
    }
    const distance = this.#pointerDistance()
    this.#pointers.set(event.pointerId, { x, y })
    if (this.#pressed !== undefined && Math.hypot(x - this.#pressed.x, y - this.#pressed.y) > CLICK_DISTANCE)
      this.#pressed.moved = true
    if (this.#pointers.size === 1 && this.#pressed?.moved === true) this.#moveBy(x - before.x, y - before.y)
    else if (this.#pointers.size === 2 && distance > 0) {
      const [one, other] = [...this.#pointers.values()] as [{ x: number; y: number }, { x: number; y: number }]
      this.#zoomBy(this.#pointerDistance() / distance, (one.x + other.x) / 2, (one.y + other.y) / 2)
    }
  }

  #pointerDistance(): number {
    const [one, other] = [...this.#pointers.values()]
    return one === undefined || other === undefined ? 0 : Math.hypot(one.x - other.x, one.y - other.y)
  }

  #release(event: PointerEvent): void {
    const pressed = this.#pressed
    this.#forget(event)
    if (pressed === undefined || pressed.moved) return
    const position = this.#hit(pressed.x, pressed.y)
    if (position === undefined && this.#boundaries !== undefined) {
      this.#hover(undefined)
      this.#tellPlace(this.#boundaries, pressed.x, pressed.y)
    }
    // A finger cannot hover: it sees first what it has chosen, with a link to open it.
    if (event.pointerType !== 'mouse') this.#hover(position)
    else if (position !== undefined) void this.#open(position)
  }

  #placeAt(x: number, y: number) {
    return this.#projection.toPlace(this.#camera, this.#width, this.#height, x, y)
  }

  /** Tells what a place lies in, in a card beside it. */
  #tellPlace(boundaries: BoundaryLayer, x: number, y: number): void {
    const place = this.#placeAt(x, y)
    const links = boundaries.describe(place)
    boundaries.light(place)
    if (links.length === 0) return
    this.#card.replaceChildren(...links)
    this.#placeCard(x, y, 0)
  }

  /** Asks the browser where the reader is, and opens the record that has the place within its boundaries. */
  #locate(): void {
    const { boundaries, words } = this.#settings
    const tell = (text: string) => {
      this.#card.replaceChildren(text)
      this.#placeCard(this.#width, 0, 0)
    }
    const open = async ({ coords }: GeolocationPosition) => {
      const list = boundaries.at(-1) as BoundedList
      const containing = `${coords.latitude.toFixed(6)},${coords.longitude.toFixed(6)}`
      const response = await fetch(`${list.within}?containing=${containing}&per_page=1`)
      const [record] = response.ok ? ((await response.json()) as MapRecord[]) : []
      if (record === undefined) tell(words.nowhere)
      else location.assign(addressOf(record, list, this.#settings.carried))
    }
    navigator.geolocation.getCurrentPosition(
      (position) => {
        void open(position)
      },
      () => tell(words.notAllowed),
    )
  }

  #forget(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId)
    this.#pressed = undefined
  }

  // The dot under the pointer.

  /** The dot within reach whose edge is nearest. */
  #hit(x: number, y: number): number | undefined {
    const { order, sizes } = this.#points
    const { xFactor, xOffset, yFactor, yOffset } = this.#projection.linear(this.#camera, this.#width, this.#height)
    const radius = this.#radius
    let best: number | undefined
    let least = HIT_RADIUS
    for (const position of order) {
      const across = Math.abs((this.#points.x[position] as number) * xFactor + xOffset - x)
      const down = Math.abs((this.#points.y[position] as number) * yFactor + yOffset - y)
      if (across > 30 || down > 30 || !this.#isShown(position)) continue
      const own = radius[sizes[position] as number] as number
      const gap = Math.hypot(across, down) - own
      // Larger dots are drawn later: of several under the pointer, the last one is on top.
      if (gap <= least) {
        least = Math.max(gap, 0)
        best = position
      }
    }
    return best
  }

  #recordAt(position: number): Promise<MapRecord> {
    const requested = this.#records.get(position)
    if (requested !== undefined) return requested
    const [oldest] = this.#records.keys()
    if (this.#records.size >= MAX_KNOWN_RECORDS && oldest !== undefined) this.#records.delete(oldest)
    // Points are in the order of the records, so the page of one record has it.
    const record = fetch(`${this.#settings.record}&page=${position + 1}`).then(async (response) => {
      if (!response.ok) throw new Error(`status ${response.status}`)
      return ((await response.json()) as MapRecord[])[0] as MapRecord
    })
    record.catch(() => this.#records.delete(position))
    this.#records.set(position, record)
    return record
  }

  #hover(position: number | undefined): void {
    if (position === this.#hovered) return
    this.#hovered = position
    clearTimeout(this.#hoverTimer)
    this.#card.hidden = true
    this.#ring.hidden = true
    this.#canvas.classList.toggle('pointing', position !== undefined)
    if (position === undefined) return
    this.#hoverTimer = setTimeout(() => {
      this.#recordAt(position).then(
        (record) => this.#showCard(position, record),
        () => {},
      )
    }, HOVER_PAUSE)
  }

  #showCard(position: number, record: MapRecord): void {
    if (this.#hovered !== position) return
    const { xFactor, xOffset, yFactor, yOffset } = this.#projection.linear(this.#camera, this.#width, this.#height)
    const x = (this.#points.x[position] as number) * xFactor + xOffset
    const y = (this.#points.y[position] as number) * yFactor + yOffset
    const reach = (this.#radius[this.#points.sizes[position] as number] as number) + 4
    this.#card.replaceChildren(...this.#described(record))
    this.#placeCard(x, y, reach)
    this.#ring.hidden = false
    this.#ring.style.width = `${2 * reach}px`
    this.#ring.style.height = `${2 * reach}px`
    this.#ring.style.transform = `translate(${x - reach}px, ${y - reach}px)`
  }

  /** Shows the card beside a place in the picture. */
  #placeCard(x: number, y: number, reach: number): void {
    this.#card.hidden = false
    const { offsetWidth, offsetHeight } = this.#card
    const left = x + reach + 8 + offsetWidth > this.#width ? x - reach - 8 - offsetWidth : x + reach + 8
    const top = Math.min(Math.max(y - offsetHeight / 2, 4), this.#height - offsetHeight - 4)
    this.#card.style.transform = `translate(${Math.round(Math.max(left, 4))}px, ${Math.round(top)}px)`
  }

  #addressOf(record: MapRecord): string {
    return addressOf(record, this.#settings, this.#settings.carried)
  }

  async #open(position: number): Promise<void> {
    location.assign(this.#addressOf(await this.#recordAt(position)))
  }

  /** Its name as a link, what it belongs to, and its size. */
  #described(record: MapRecord): HTMLElement[] {
    const { names, parents, maxParents, size, words } = this.#settings
    const name = element('a', { class: 'name', href: this.#addressOf(record) }, isolated(firstAt(record, names) ?? ''))
    const ancestors = parents.map((parent) => firstAt(record, parent.names))
    const called = parents.slice(0, maxParents).flatMap(({ withKind }, at) => {
      const parent = ancestors[at]
      if (parent === undefined) return []
      return parent === ancestors[at + 1] ? withKind.replace('{name}', () => parent) : parent
    })
    const where = called.flatMap((parent, at) => [...(at === 0 ? [] : [', ']), isolated(parent)])
    const both = element('span', {}, name, ' ', element('span', { class: 'what' }, ...where))
    const count = size === undefined ? undefined : record[size]
    if (typeof count !== 'number') return [both]
    const figure = words.inhabitants.replace('{count}', this.#number.format(count))
    return [both, element('span', { class: 'figure' }, figure)]
  }

  // The list of the records in view.

  #listLater(): void {
    clearTimeout(this.#listTimer)
    this.#listTimer = setTimeout(() => {
      void this.#list()
    }, LIST_PAUSE)
  }

  async #list(): Promise<void> {
    const { list, around } = this.#settings
    if (this.#camera.scale > this.#fitted * 1.01 || location.hash !== '') this.#writeAddress()
    this.#listRequest?.abort()
    this.#listRequest = new AbortController()
    const { signal } = this.#listRequest
    try {
      const response = await fetch(this.#withinView(list), { signal })
      if (!response.ok) return
      const records = (await response.json()) as MapRecord[]
      if (signal.aborted) return
      this.#showList(records, Number(response.headers.get('X-Total')))
      if (around === undefined || !this.#hasFewDots) return
      const others = await fetch(this.#withinView(around), { signal })
      if (!others.ok) return
      const shown = new Set(records.map((record) => this.#addressOf(record)))
      const near = (await others.json()) as MapRecord[]
      this.#surroundings = near.filter((record) => !shown.has(this.#addressOf(record)))
      this.#drawLater()
    } catch {
      // The list stays as it is; the next movement tries again.
    }
  }

  /** The address of a list, with the bounds of what is in view. */
  #withinView(list: string): URL {
    const [[south, north], [west, east]] = this.#settings.bounds
    const corner = (x: number, y: number) => this.#projection.toPlace(this.#camera, this.#width, this.#height, x, y)
    const [first, last] = [corner(0, 0), corner(this.#width, this.#height)]
    const degrees = (value: number, max: number) => Math.min(Math.max(value, -max), max).toFixed(4)
    const address = new URL(list, location.href)
    // The search may have bounds of its own: the narrower ones hold.
    const narrow = (name: string, value: string, of: (...values: number[]) => number) => {
      const given = address.searchParams.get(name)
      address.searchParams.set(name, given === null ? value : String(of(Number(given), Number(value))))
    }
    narrow(south, degrees(last.latitude, 90), Math.max)
    narrow(north, degrees(first.latitude, 90), Math.min)
    narrow(west, degrees(first.longitude, 180), Math.max)
    narrow(east, degrees(last.longitude, 180), Math.min)
    return address
  }

  #showList(records: readonly MapRecord[], total: number): void {
    this.#labelled = records
    this.#drawLater()
    const part = (name: string) => document.querySelector<HTMLElement>(`.in-view [data-part=${name}]`)
    part('list')?.replaceChildren(...records.map((record) => element('li', {}, ...this.#described(record))))
    const count = part('count')
    if (count !== null) count.textContent = this.#settings.words.inView.replace('{count}', this.#number.format(total))
    const nothing = part('nothing')
    if (nothing !== null) nothing.hidden = total > 0
  }
}

type Box = [left: number, top: number, right: number, bottom: number]

/** The greatest of 1, 2 and 5 with any number of zeros that is at most a length. */
function roundLength(max: number): number {
  const power = 10 ** Math.floor(Math.log10(max))
  const digit = max / power
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power
}

/** A name in one line, and in two of about the same length, which come first for a long name. */
function linesOf(text: string): string[][] {
  const middle = text.length / 2
  const gaps = [...text.matchAll(/ /g)].map(({ index }) => index)
  const gap = gaps.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0]
  if (gap === undefined) return [[text]]
  const both = [[text], [text.slice(0, gap), text.slice(gap + 1)]]
  return text.length < MIN_TWO_LINES ? both : both.reverse()
}

/** Ways that the name of a group may move if its middle is taken, in its own widths and heights. */
const LABEL_MOVES = [0, -1, 1].flatMap((down) => [0, 0.3, -0.3].map((right) => [right, down] as const))
const MIN_TWO_LINES = 16
const MAX_LABEL = 28
const shortened = (text: string): string => (text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text)

/** The byte that a server sends for the size of a record. */
function sizeByte(record: MapRecord, field: string | undefined): number {
  const value = field === undefined ? undefined : record[field]
  return typeof value === 'number' ? Math.min(2 + Math.round(Math.log2(1 + value) * 8), 255) : 1
}

async function enhance(root: HTMLElement): Promise<void> {
  const settings = JSON.parse(root.dataset.settings ?? '{}') as Settings
  const status = root.querySelector<HTMLElement>('[data-part=status]')
  if (status !== null) status.hidden = false
  try {
    const [points, found] = await Promise.all([
      bytesAt(settings.points),
      settings.found === undefined ? undefined : bytesAt(settings.found),
    ])
    new DotMap(root, settings, parsePoints(points), found && new Uint8Array(found))
    status?.remove()
  } catch (error) {
    if (status !== null) status.textContent = settings.words.failed
    throw error
  }
}

for (const root of document.querySelectorAll<HTMLElement>('[data-map]')) void enhance(root)
