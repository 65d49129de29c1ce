// One service and one browser for a test file that looks at the small catalog: a fault in a page fails its test.
import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { type Explored, explored } from './explored.ts'
import { type PageOptions, WatchedPages } from './watched-page.ts'

export type Browsed = {
  /** Undefined if this machine has none: then tests are skipped. */
  readonly browser: Browser | undefined
  readonly pages: WatchedPages
  /** Set from the first test on. */
  readonly service: Explored
  /** Opens a page of the service. */
  readonly open: (target: string, options?: PageOptions) => Promise<Page>
}

/** Starts the service and the browser for the tests of a file, and ends them. */
export async function browsed(): Promise<Browsed> {
  const browser = await launchBrowser()
  const pages = new WatchedPages(browser)
  let service: Explored | undefined
  beforeAll(async () => {
    service = await explored()
  })
  afterEach(async () => {
    expect(await pages.close()).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
    expect(service?.server.logged).toEqual([])
  })
  const running = (): Explored => {
    if (service === undefined) throw new Error('the service starts with the first test')
    return service
  }
  return {
    browser,
    pages,
    get service() {
      return running()
    },
    open: (target, options) => {
      const { url } = running().server
      return pages.open([url, `blob:${url}`], target, options)
    },
  }
}

/** True if a page scrolls sideways. */
export const isWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth + 1')
