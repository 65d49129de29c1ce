// Suggestions while typing: a combobox with a list (WAI-ARIA), filled from API v2.
import { announce } from './copy.ts'
import { element, setAttributes } from './element.ts'
import { ancestorNames, collectionsOfPage, recordPage } from './record-page.ts'

type Suggestion = {
  readonly collection: string
  /** Its address in API v2. */
  readonly url: string
  readonly name: string
  readonly breadcrumb: readonly string[]
  readonly parents: readonly { readonly collection: string }[]
  readonly matches: readonly { readonly field: string; readonly ranges: readonly (readonly [number, number])[] }[]
}

const MAX_SUGGESTIONS = 8
const PAUSE_MILLISECONDS = 60

/** The words of the page's language are attributes of its body. */
const word = (name: string): string => document.body.dataset[name] ?? ''

export function enhanceSearch(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>('input[name=q]')
  if (input !== null) new Combobox(form, input)
}

/** A slash goes to the search box, as people know it from elsewhere, where it would not be typed into something. */
export function focusSearchAtSlash(): void {
  document.addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, altKey, metaKey } = event
    if (key !== '/' || ctrlKey || altKey || metaKey) return
    if (target instanceof Element && target.matches('input, textarea, select, [contenteditable], nomenclator-picker'))
      return
    const boxes = [...document.querySelectorAll<HTMLInputElement>('form[role=search] input[name=q]')]
    const box = boxes.find((one) => one.checkVisibility())
    if (box === undefined) return
    event.preventDefault()
    box.focus()
    box.select()
  })
}

class Combobox {
  readonly #form: HTMLFormElement
  readonly #input: HTMLInputElement
  readonly #list: HTMLUListElement
  #timer: ReturnType<typeof setTimeout> | undefined
  #request: AbortController | undefined
  /** The text that the list is for, and the promise of that list. */
  #text = ''
  #loaded: Promise<void> = Promise.resolve()
  #active = -1

  constructor(form: HTMLFormElement, input: HTMLInputElement) {
    this.#form = form
    this.#input = input
    this.#list = element('ul', {
      id: `${input.id}-suggestions`,
      class: 'suggestions',
      hidden: '',
      role: 'listbox',
      'aria-label': word('suggestions'),
    })
    input.after(this.#list)
    setAttributes(input, {
      role: 'combobox',
      'aria-expanded': 'false',
      'aria-controls': this.#list.id,
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      'aria-description': word('keys'),
    })
    input.addEventListener('input', () => this.#later())
    input.addEventListener('focus', () => this.#reopen())
    input.addEventListener('keydown', (event) => this.#key(event))
    input.addEventListener('blur', () => this.#close())
    // A pointer must not take the focus away before its click arrives.
    this.#list.addEventListener('pointerdown', (event) => event.preventDefault())
    form.addEventListener('submit', (event) => this.#submit(event))
  }

  get #options(): HTMLElement[] {
    return [...this.#list.querySelectorAll<HTMLElement>('[role=option]')]
  }

  #later(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#search(), PAUSE_MILLISECONDS)
  }

  #search(): void {
    clearTimeout(this.#timer)
    const text = this.#input.value.trim()
    if (text === this.#text) return
    this.#text = text
    this.#request?.abort()
    if (text === '') {
      this.#list.replaceChildren()
      this.#close()
      return
    }
    this.#request = new AbortController()
    this.#loaded = this.#load(text, this.#request.signal)
  }

  async #load(text: string, signal: AbortSignal): Promise<void> {
    const parameters = new URLSearchParams({ q: text, limit: String(MAX_SUGGESTIONS) })
    if (this.#form.dataset.in !== undefined) parameters.set('in', this.#form.dataset.in)
    const release = this.#form.querySelector<HTMLInputElement>('input[name=release]')?.value
    if (release !== undefined) parameters.set('release', release)
    if (word('names') !== '') parameters.set('lang', word('names'))
    try {
      const response = await fetch(`/api/v2/search?${parameters}`, { signal, headers: { Accept: 'application/json' } })
      // Words without letters or digits are no search: there is nothing to suggest.
      const found = response.ok ? ((await response.json()) as Suggestion[]) : []
      if (!signal.aborted) this.#show(found, response.ok || response.status === 400 ? 'nothing' : 'failed')
    } catch {
      if (!signal.aborted) this.#show([], 'failed')
    }
  }

  #show(found: readonly Suggestion[], whenEmpty: string): void {
    this.#active = -1
    this.#input.removeAttribute('aria-activedescendant')
    if (found.length === 0) {
      const attributes = { class: 'nothing', role: 'option', 'aria-disabled': 'true' }
      this.#list.replaceChildren(element('li', attributes, word(whenEmpty)))
    } else this.#list.replaceChildren(...found.map((one, at) => this.#option(one, at)))
    announce(
      found.length === 0
        ? word(whenEmpty)
        : found.length === 1
          ? word('foundOne')
          : word('found').replace('{count}', String(found.length)),
    )
    this.#reopen()
  }

  #option(suggestion: Suggestion, at: number): HTMLElement {
    const { collection, url, name, matches } = suggestion
    const [label = collection, nameField = ''] = collectionsOfPage()[collection] ?? []
    const ranges = matches.find(({ field }) => field === nameField)?.ranges ?? []
    const item = element(
      'li',
      {
        id: `${this.#list.id}-${at}`,
        role: 'option',
        'aria-selected': 'false',
        'data-href': recordPage({ collection, url }),
      },
      element('bdi', { class: 'name' }, ...highlighted(name, ranges)),
      ' ',
      element('span', { class: 'what' }, [label, ...ancestorNames(suggestion)].join(' · ')),
    )
    item.addEventListener('click', () => this.#open(item))
    return item
  }

  #open(item: HTMLElement | undefined): boolean {
    if (item?.dataset.href === undefined) return false
    location.assign(item.dataset.href)
    return true
  }

  #key(event: KeyboardEvent): void {
    const options = this.#options
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (options.length === 0) return
      event.preventDefault()
      this.#reopen()
      const step = event.key === 'ArrowDown' ? 1 : -1
      // From the text to the first or the last, and from there back to the text.
      this.#activate(((this.#active + step + 1 + options.length + 1) % (options.length + 1)) - 1)
    } else if (event.key === 'Escape' && !this.#list.hidden) {
      event.preventDefault()
      this.#close()
    }
  }

  #activate(at: number): void {
    this.#active = at
    for (const [position, option] of this.#options.entries())
      option.setAttribute('aria-selected', String(position === at))
    const option = this.#options[at]
    if (option === undefined) this.#input.removeAttribute('aria-activedescendant')
    else this.#input.setAttribute('aria-activedescendant', option.id)
    option?.scrollIntoView({ block: 'nearest' })
  }

  /** Enter opens the suggestion that is chosen, or else the first; the button shows all results. */
  #submit(event: SubmitEvent): void {
    const isByButton = event.submitter !== null && document.activeElement === event.submitter
    // Within a collection, Enter filters its table unless a suggestion was chosen.
    if (isByButton || (this.#form.dataset.in !== undefined && this.#active === -1)) return
    if (this.#input.value.trim() === '') return
    event.preventDefault()
    event.stopPropagation()
    this.#search()
    void this.#loaded.then(() => {
      if (!this.#open(this.#options[Math.max(this.#active, 0)])) this.#form.submit()
    })
  }

  #reopen(): void {
    const isShown = this.#list.childElementCount > 0 && document.activeElement === this.#input
    this.#list.hidden = !isShown
    this.#input.setAttribute('aria-expanded', String(isShown))
  }

  #close(): void {
    this.#list.hidden = true
    this.#input.setAttribute('aria-expanded', 'false')
    this.#activate(-1)
  }
}

/** The name as text, with what was searched for marked. */
function highlighted(name: string, ranges: readonly (readonly [number, number])[]): (string | HTMLElement)[] {
  const parts: (string | HTMLElement)[] = []
  let end = 0
  for (const [from, to] of ranges) {
    parts.push(name.slice(end, from), element('mark', {}, name.slice(from, to)))
    end = to
  }
  return [...parts, name.slice(end)]
}
