// Pages in a real browser that report every fault: errors, breaches of the policy, requests to other servers.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`
/** Shorter than that of a test, so that a failure names the page; long, since a busy machine may let a browser wait. */
const TIMEOUT_MILLISECONDS = 50_000

/** The options of a page: a fresh one has a context of its own, in which nothing was loaded before. */
export type PageOptions = BrowserContextOptions & { readonly isFresh?: boolean }

/** A page that further tests use again: to open another takes longer than a test. */
type Kept = {
  readonly context: BrowserContext
  readonly options: BrowserContextOptions
  page: Page
  isInUse: boolean
  /** The target of the page, and the servers that it may send requests to. */
  opened: { readonly servers: readonly string[]; readonly target: string }
}

const DESK = { width: 1280, height: 720 }

export class WatchedPages {
  readonly #browser: Browser | undefined
  /** Kept pages by server and options. */
  readonly #kept = new Map<string, Kept>()
  readonly #fresh: BrowserContext[] = []
  #faults: string[] = []

  constructor(browser: Browser | undefined) {
    this.#browser = browser
  }

  /** Opens a target, which is relative to the first of these servers. */
  async open(servers: readonly string[], target: string, options: PageOptions = {}): Promise<Page> {
    const { isFresh = false, ...others } = options
    const [server = ''] = servers
    const key = JSON.stringify([server, others])
    const known = isFresh ? undefined : this.#kept.get(key)
    const isFree = known !== undefined && !known.isInUse && !known.page.isClosed()
    const kept = isFree ? known : await this.#start(server, others, known?.context)
    if (isFresh) this.#fresh.push(kept.context)
    else this.#kept.set(key, kept)
    kept.isInUse = true
    kept.opened = { servers, target }
    if (isFree) await asAtFirst(kept)
    // A target that differs by its fragment alone would not be loaded.
    if (isFree && target.includes('#')) await kept.page.goto('about:blank')
    await kept.page.goto(target)
    return kept.page
  }

  async #start(server: string, options: BrowserContextOptions, existing?: BrowserContext): Promise<Kept> {
    if (this.#browser === undefined) throw new Error('there is no browser')
    const context =
      existing ?? (await this.#browser.newContext({ locale: 'es-MX', baseURL: server, viewport: DESK, ...options }))
    if (existing === undefined) {
      context.setDefaultTimeout(TIMEOUT_MILLISECONDS)
      await context.addInitScript({ content: REPORT_VIOLATIONS })
    }
    const page = await context.newPage()
    const kept: Kept = { context, options, page, isInUse: true, opened: { servers: [], target: '' } }
    const fault = (words: string) => this.#faults.push(`${kept.opened.target}${words}`)
    page.on('console', (message) => {
      // Browsers report a response that is a problem as an error, too.
      const isStatus = /Failed to load resource: the server responded with a status of 4/.test(message.text())
      if (['error', 'warning'].includes(message.type()) && !isStatus) fault(`: ${message.text()}`)
    })
    page.on('pageerror', (error) => fault(`: ${error.message}`))
    page.on('request', (request) => {
      const isAllowed = kept.opened.servers.some((server) => request.url().startsWith(server))
      if (!isAllowed) fault(` requests ${request.url()}`)
    })
    return kept
  }

  /** The faults in the pages since the last call. */
  faults(): string[] {
    return this.#faults.splice(0)
  }

  /** Ends a test: clears the storage of its pages, and returns their faults. */
  async close(): Promise<string[]> {
    const used = [...this.#kept.values()].filter(({ isInUse }) => isInUse)
    await Promise.all([
      ...this.#fresh.splice(0).map((context) => context.close()),
      ...used.flatMap(({ context, page }) => context.pages().flatMap((one) => (one === page ? [] : one.close()))),
      ...used.flatMap(({ context, page }) => [context.clearCookies(), page.unrouteAll()]),
    ])
    for (const kept of used) kept.isInUse = false
    return this.faults()
  }
}

/** Takes back what a test did to a page. */
async function asAtFirst({ page, options }: Kept): Promise<void> {
  await page.emulateMedia({
    media: null,
    colorScheme: options.colorScheme ?? 'light',
    reducedMotion: options.reducedMotion ?? 'no-preference',
  })
  await page.setViewportSize(options.viewport ?? DESK)
  await page.mouse.move(0, 0)
}

type Checked = { readonly rules?: readonly string[]; readonly within?: string }

/** The faults that axe finds by the rules of WCAG 2.2 AA and good practice, or by some of them, on a page or in a part of it. */
export async function accessibilityFaults(page: Page, { rules, within = 'html' }: Checked = {}): Promise<string[]> {
  // A page keeps it, and takes longer to read it again than for most rules.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE)
  // The sizes of targets are of WCAG 2.2, which axe does not check by itself.
  const chosen =
    rules === undefined ? { rules: { 'target-size': { enabled: true } } } : { runOnly: { type: 'rule', values: rules } }
  // The tests need no description of rules that hold, and no rule needs the stylesheets or looks into frames.
  const options = { ...chosen, resultTypes: ['violations'], preload: false, iframes: false }
  const run = `axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations = (await page.evaluate(run)) as {
    id: string
    nodes: { target: string[]; failureSummary: string }[]
  }[]
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  )
}

/** The rules whose outcome can depend on the width of the window. */
export const LAYOUT_RULES = ['target-size', 'scrollable-region-focusable', 'label', 'link-in-text-block', 'link-name']

/** The rows of a table and the entries of a list are alike: a few of them have all that they are made of. */
export const keepSomeRows = (page: Page) =>
  page.evaluate(`for (const one of document.querySelectorAll(
    ':is(tbody > tr, .leaves > li, .neighbours > li):nth-child(n+4):not(:last-child)')) one.remove()`)

const PAUSE_MILLISECONDS = 20

/** Waits until something holds, for pages whose policy forbids to evaluate a condition in them again and again. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + TIMEOUT_MILLISECONDS
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${holds} did not come to hold`)
    await Bun.sleep(PAUSE_MILLISECONDS)
  }
}
