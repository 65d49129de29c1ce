// The pages for people as the command that serves mounts them: loaded at the first request for one.
import type { LoadedPages, Pages } from '../http/app.ts'

let loaded: LoadedPages | undefined

async function load(): Promise<LoadedPages> {
  const { respondExplorer, respondProblemPage } = await import('./explorer.ts')
  loaded = { respond: respondExplorer, respondProblem: respondProblemPage }
  return loaded
}

export const explorerPages: Pages = () => loaded ?? load()
