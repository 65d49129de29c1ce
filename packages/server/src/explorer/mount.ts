// The pages for people as the command that serves mounts them: loaded at the first request for one.
import type { LoadedPages, Pages } from '../http/app.ts'

/** The pages under the name, colours and logo that a home gives to them. */
export function explorerPagesOf(home: string | undefined): Pages {
  let loaded: LoadedPages | undefined
  const load = async () => {
    const { respondExplorer, respondProblemPage } = await import('./explorer.ts')
    const { servedSite } = await import('./site.ts')
    const site = home === undefined ? undefined : servedSite(home)
    loaded = {
      respond: (context, request) => respondExplorer({ ...context, site }, request),
      respondProblem: (context, request, problem) => respondProblemPage({ ...context, site }, request, problem),
    }
    return loaded
  }
  return () => loaded ?? load()
}

export const explorerPages: Pages = explorerPagesOf(undefined)
