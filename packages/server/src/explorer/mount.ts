// What the command that serves mounts: which paths are pages for people, and the pages, loaded at the first request for one.
import type { LoadedPages, Pages } from '../http/app.ts'

const PAGE_PATH = /^\/(?:$|(?:explore|map|picker|releases|docs|assets)(?:\/|$))/

let loaded: LoadedPages | undefined

async function load(): Promise<LoadedPages> {
  const { respondExplorer, respondProblemPage } = await import('./explorer.ts')
  loaded = { respond: respondExplorer, respondProblem: respondProblemPage }
  return loaded
}

export const explorerPages: Pages = { isPage: (path) => PAGE_PATH.test(path), load: () => loaded ?? load() }
