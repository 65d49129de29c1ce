// What a test file needs that looks at the small catalog in a real browser: one service, one browser, and nothing in it unseen.
import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { type Explored, explored } from './explored.ts'
import { type PageOptions, WatchedPages } from './watched-page.ts'

export type Browsed = {
  /** Undefined where there is none: then tests are skipped. */
  readonly browser: Browser | undefined
  readonly pages: WatchedPages
  /** There from the first test on. */
  readonly service: Explored
  /** Opens a page of the service. */
  readonly open: (target: string, options?: PageOptions) => Promise<Page>
}

/** Starts both for the tests of a file, and ends them: a test in which anything goes wrong unseen fails. */
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

/** Whether a page scrolls sideways. */
export const isWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth + 1')
