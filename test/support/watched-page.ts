// Pages in a real browser of which nothing goes unseen: errors, breaches of the policy, requests that leave the servers.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`
const TIMEOUT_MILLISECONDS = 20_000

export class WatchedPages {
  readonly #browser: Browser | undefined
  readonly #contexts: BrowserContext[] = []
  /** The one that pages share which need nothing of their own: another takes longer to begin than they take. */
  #usual: { readonly context: BrowserContext; readonly server: string } | undefined
  #faults: string[] = []

  constructor(browser: Browser | undefined) {
    this.#browser = browser
  }

  /**
   * Of these servers the first is where relative targets lead. With options, even if they are none, the page has a context of its
   * own, in which nothing was loaded before.
   */
  async open(servers: readonly string[], target: string, options?: BrowserContextOptions): Promise<Page> {
    const context = await this.#context(servers[0] ?? '', options)
    const page = await context.newPage()
    page.on('console', (message) => {
      // Browsers report a response that is a problem as an error, too.
      const isStatus = /Failed to load resource: the server responded with a status of 4/.test(message.text())
      if (['error', 'warning'].includes(message.type()) && !isStatus) this.#faults.push(`${target}: ${message.text()}`)
    })
    page.on('pageerror', (error) => this.#faults.push(`${target}: ${error.message}`))
    page.on('request', (request) => {
      if (!servers.some((server) => request.url().startsWith(server)))
        this.#faults.push(`${target} requests ${request.url()}`)
    })
    await page.goto(target)
    return page
  }

  async #context(server: string, options: BrowserContextOptions | undefined): Promise<BrowserContext> {
    if (this.#browser === undefined) throw new Error('there is no browser')
    if (options === undefined && this.#usual?.server === server) return this.#usual.context
    const context = await this.#browser.newContext({ locale: 'es-MX', baseURL: server, ...options })
    context.setDefaultTimeout(TIMEOUT_MILLISECONDS)
    await context.addInitScript({ content: REPORT_VIOLATIONS })
    if (options === undefined && this.#usual === undefined) this.#usual = { context, server }
    else this.#contexts.push(context)
    return context
  }

  /** What went wrong in the pages since this was last looked at. */
  faults(): string[] {
    return this.#faults.splice(0)
  }

  /** Closes all pages, forgets what they kept, and returns what went wrong in them. */
  async close(): Promise<string[]> {
    const usual = this.#usual?.context
    await Promise.all([
      ...this.#contexts.splice(0).map((context) => context.close()),
      ...(usual?.pages() ?? []).map((page) => page.close()),
      usual?.clearCookies(),
    ])
    return this.faults()
  }
}

type Checked = { readonly rules?: readonly string[]; readonly without?: readonly string[]; readonly within?: string }

/** What axe finds wrong by the rules of WCAG 2.2 AA and good practice, or by some of them, on a page or in a part of it. */
export async function accessibilityFaults(
  page: Page,
  { rules, without = [], within = 'html' }: Checked = {},
): Promise<string[]> {
  // A page keeps it, and takes longer to read it again than for most rules.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE)
  // The sizes of targets are of WCAG 2.2, which axe does not check by itself.
  const left = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]))
  const chosen =
    rules === undefined
      ? { rules: { 'target-size': { enabled: true }, ...left } }
      : { runOnly: { type: 'rule', values: rules } }
  // Of what is in order nothing is described, and no rule that runs needs the stylesheets themselves or looks into frames.
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

const PAUSE_MILLISECONDS = 20

/** Waits until something holds, for pages whose policy forbids to evaluate a condition in them again and again. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + TIMEOUT_MILLISECONDS
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${holds} did not come to hold`)
    await Bun.sleep(PAUSE_MILLISECONDS)
  }
}
