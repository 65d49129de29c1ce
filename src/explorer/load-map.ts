// Loads the script that draws maps: at once where the map is the page, and otherwise when there is nothing else to do.

const MAX_WAIT_MILLISECONDS = 2_000

export function loadMap(element: HTMLElement): void {
  const { map, script = '' } = element.dataset
  const load = () => void import(script)
  if (map !== 'small') load()
  else if ('requestIdleCallback' in window) requestIdleCallback(load, { timeout: MAX_WAIT_MILLISECONDS })
  else setTimeout(load, MAX_WAIT_MILLISECONDS)
}
