// npm run screenshots: pictures of the explorer's pages in a real browser, light, dark and on a phone.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { HOW_TO_GET_ONE, launchBrowser } from '../test/support/browser.ts'

const ROOT = join(import.meta.dir, '..')
const OUT = 'var/screenshots'
const IMAGES = 'docs/images'

type Shot = {
  readonly target: (server: string) => string | Promise<string>
  /** Acts on the page before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>
}

/** A municipality whose name many other places have. */
const RECORD = 'sta maria del oro nay'

const shots: Readonly<Record<string, Shot>> = {
  start: { target: () => '/' },
  search: {
    target: () => '/',
    act: async (page) => {
      await page.locator('main input[name=q]').fill(RECORD)
      await page.getByRole('option').first().waitFor()
    },
  },
  table: { target: () => '/explore/localidades?idEstado=18&sort=-poblacion&per_page=25' },
  record: { target: bestOf },
  tree: { target: () => '/explore/tree?open=paises:484' },
  map: { target: () => '/map', act: drawn },
  releases: { target: () => '/releases' },
  docs: {
    target: () => '/docs',
    act: async (page) => {
      await page.locator('#list-estados > summary').click()
      await page.locator('#list-estados form button[type=submit]').click()
      await page.locator('#list-estados .body', { hasText: 'cveEstado' }).waitFor()
      await page.evaluate(`document.querySelector('#list-estados').scrollIntoView()`)
    },
  },
  picker: {
    target: () => '/picker',
    act: async (page) => {
      for (const [level, text] of [
        ['Estado', 'nay'],
        ['Municipio', 'santa'],
      ] as const) {
        await page.getByRole('combobox', { name: level, exact: true }).fill(text)
        await page.getByRole('option').first().click()
      }
      await page.getByRole('combobox', { name: 'Localidad', exact: true }).fill('sa')
      await page.getByRole('option').first().waitFor()
    },
  },
}

/** The page of the record that a search finds first. */
async function bestOf(server: string): Promise<string> {
  const response = await fetch(`${server}/api/v2/search?in=municipios&limit=1&q=${encodeURIComponent(RECORD)}`)
  const [best] = (await response.json()) as { collection: string; key: Record<string, number> }[]
  if (best === undefined) throw new Error(`nothing is found for ${RECORD}; choose a home with the places of Mexico`)
  return `/explore/${best.collection}/${Object.values(best.key).join('-')}`
}

/** The map is drawn by a script, a moment after the page is there. */
async function drawn(page: Page): Promise<void> {
  await page.locator('[data-drawn=true]').first().waitFor()
}

const DESKTOP = { viewport: { width: 1280, height: 800 } } as const
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true } as const

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  light: { ...DESKTOP, colorScheme: 'light' },
  dark: { ...DESKTOP, colorScheme: 'dark' },
  phone: { ...PHONE, colorScheme: 'light' },
  'phone-dark': { ...PHONE, colorScheme: 'dark' },
}

export const USAGE = `npm run screenshots               every page: ${Object.keys(shots).join(', ')}
npm run screenshots -- PAGE...    only these

Each in these looks: ${Object.keys(looks).join(', ')}.

  --out DIR    where the pictures go (default ${OUT})
  --home DIR   the releases to show (default: one of the bundled data)
  --url URL    a server that runs already, instead of one of its own
  --lang LANG  es or en (default es)
  --full       the whole page instead of what a window shows
  --readme     those of the README alone, as small files in ${IMAGES}
  --help       this text
`

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: 'string', default: join(ROOT, OUT) },
      home: { type: 'string' },
      url: { type: 'string' },
      lang: { type: 'string', default: 'es' },
      full: { type: 'boolean', default: false },
      readme: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.find((name) => !Object.hasOwn(shots, name))
  if (unknown !== undefined) throw new Error(`there is no page called ${unknown}`)
  return { ...values, names: positionals.length === 0 ? Object.keys(shots) : positionals }
}

type Options = ReturnType<typeof readOptions>

/** A server on a free port, which ends with this program. */
class OwnServer implements AsyncDisposable {
  readonly #temporaryHome: string | undefined
  readonly #child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>

  constructor(home: string | undefined) {
    this.#temporaryHome = home === undefined ? mkdtempSync(join(tmpdir(), 'nomenclator-screenshots-')) : undefined
    const command = [process.execPath, join(ROOT, 'packages', 'server', 'src', 'main.ts'), 'serve', '--port', '0']
    this.#child = Bun.spawn([...command, '--home', resolve(home ?? (this.#temporaryHome as string))], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, LOG_FORMAT: 'text' },
    })
  }

  /** Its address, once it serves. */
  async url(): Promise<string> {
    let said = ''
    const decoder = new TextDecoder()
    for await (const chunk of this.#child.stdout) {
      said += decoder.decode(chunk, { stream: true })
      const url = /^Serving release \S+ on (\S+): /m.exec(said)?.[1]
      if (url !== undefined) return url
    }
    throw new Error(`the server did not start: ${said}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill()
    await this.#child.exited
    if (this.#temporaryHome !== undefined) rmSync(this.#temporaryHome, { recursive: true, force: true })
  }
}

async function take(browser: Browser, server: string, options: Options): Promise<void> {
  const { names, out, lang, full, readme } = options
  const directory = readme ? join(ROOT, IMAGES) : resolve(out)
  mkdirSync(directory, { recursive: true })
  for (const [look, context] of Object.entries(looks)) {
    const selection = readme ? Object.keys(README).filter((name) => README[name] === look) : names
    const opened = await browser.newContext({ ...context, baseURL: server, locale: lang, reducedMotion: 'reduce' })
    for (const name of selection) {
      const { target, act } = shots[name] as Shot
      const page = await opened.newPage()
      await page.goto(await target(server), { waitUntil: 'load' })
      await act?.(page)
      await page.mouse.move(0, 0)
      const picture = await page.screenshot({ fullPage: full, animations: 'disabled', caret: 'initial' })
      await page.close()
      const path = join(directory, readme ? `${name}.webp` : `${name}-${look}.png`)
      writeFileSync(path, readme ? await smallPicture(browser, picture) : picture)
      console.log(relative(process.cwd(), path))
    }
    await opened.close()
  }
}

/** The pictures in the README, and how each of them looks. */
const README: Readonly<Record<string, string>> = { search: 'light', map: 'dark', record: 'light' }
const SMALL_WIDTH = 960
const SMALL_QUALITY = 0.72

/** Scaled down and encoded as WebP, by the browser itself. */
async function smallPicture(browser: Browser, picture: Buffer): Promise<Buffer> {
  const page = await browser.newPage()
  const encoded = await page.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${picture.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = ${SMALL_WIDTH}
    canvas.height = Math.round(image.height * ${SMALL_WIDTH} / image.width)
    const context = canvas.getContext('2d')
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    return canvas.toDataURL('image/webp', ${SMALL_QUALITY})
  })()`)
  await page.close()
  return Buffer.from(String(encoded).replace(/^[^,]*,/, ''), 'base64')
}

async function main(): Promise<void> {
  const options = readOptions()
  if (options.help) return console.log(USAGE)
  const browser = await launchBrowser()
  if (browser === undefined) throw new Error(HOW_TO_GET_ONE)
  try {
    if (options.url !== undefined) return await take(browser, options.url, options)
    await using server = new OwnServer(options.home)
    await take(browser, await server.url(), options)
  } finally {
    await browser.close()
  }
}

if (import.meta.main)
  try {
    await main()
  } catch (error) {
    console.error(`screenshots: ${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    process.exit(1)
  }
