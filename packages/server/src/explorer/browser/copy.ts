// Buttons that copy a text: shown only where the browser can do it.
import { element } from './element.ts'

const SHOWN_MILLISECONDS = 2_000

export function enhanceCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false
    button.addEventListener('click', () => void copy(button))
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const text = button.dataset.copy ?? ''
  if (!(await written(text))) return
  const label = button.textContent
  button.textContent = button.dataset.copied ?? ''
  button.classList.add('copied')
  announce(button.dataset.copied ?? '')
  setTimeout(() => {
    button.textContent = label
    button.classList.remove('copied')
  }, SHOWN_MILLISECONDS)
}

/** The clipboard is only there for pages that came over HTTPS or from this machine; elsewhere the selection is copied. */
async function written(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = element('textarea', { class: 'unseen' }, text)
    document.body.append(area)
    const focused = document.activeElement
    area.select()
    const isCopied = document.execCommand('copy')
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
    return isCopied
  }
}

/** Makes a screen reader say a text. */
export function announce(text: string): void {
  let region = document.querySelector('#announcement')
  if (region === null) {
    region = element('div', { id: 'announcement', class: 'unseen', role: 'status' })
    document.body.append(region)
  }
  // A screen reader says a text only if it differs from the one before.
  region.textContent = region.textContent === text ? `${text}\u00a0` : text
}
