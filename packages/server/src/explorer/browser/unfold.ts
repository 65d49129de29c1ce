// Unfolds a part of a page that has a page of its own: that is fetched when the part is opened, and put in its place.
import { enhanceReference } from './run-operation.ts'

const PART = '.resource'

export function enhanceFolded(details: HTMLDetailsElement): void {
  const address = details.dataset.part ?? ''
  const unfold = async () => {
    if (!details.open) return
    details.removeEventListener('toggle', unfold)
    const part = await partAt(address)
    if (part === null) return location.assign(address)
    details.querySelector(PART)?.replaceWith(part)
    for (const form of part.querySelectorAll<HTMLFormElement>('form[data-running]')) enhanceReference(form)
  }
  details.addEventListener('toggle', unfold)
  if (location.hash === `#${details.id}`) details.open = true
}

async function partAt(address: string): Promise<Element | null> {
  try {
    const response = await fetch(address)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return page.querySelector(PART)
  } catch {
    return null
  }
}
