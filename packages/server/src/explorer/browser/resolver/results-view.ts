// The rows and what they were found to mean: how many of each kind, a page of them at a time, and a choice for the unsure ones.
import { announce } from '../copy.ts'
import { element, isolated } from '../element.ts'
import { ancestorNames, recordPage } from '../record-page.ts'
import { codeOf } from './added-columns.ts'
import { type Api, type CandidateRecord, searchRecords } from './api.ts'
import { filled, formatted, partOf, word } from './page-parts.ts'
import { candidatesOf, type Entry, type Resolving, recordOf, type State, stateOf } from './resolving.ts'

const ROWS_PER_PAGE = 50

const FILTERS = ['all', 'sure', 'review', 'none', 'chosen'] as const
type Filter = (typeof FILTERS)[number]

type Shown = {
  /** The collections in which someone searches for another record. */
  readonly within: string
  /** The text of a row of the list. */
  readonly written: (row: number) => string
}

export class ResultsView {
  readonly #root: HTMLElement
  readonly #api: Api
  #resolving: Resolving | undefined
  #shown: Shown = { within: '', written: () => '' }
  #filter: Filter = 'all'
  /** The rows that the filter keeps. A row that is decided later stays until another filter is chosen. */
  #rows: number[] = []
  #page = 0
  /** Records that someone has searched for, beside the proposed ones. */
  #found = new WeakMap<Entry, readonly CandidateRecord[]>()
  /** Sure rows whose choice someone has opened. */
  #opened = new WeakSet<Entry>()

  constructor(root: HTMLElement, api: Api) {
    this.#root = root
    this.#api = api
    for (const filter of FILTERS) partOf(root, `filter-${filter}`).addEventListener('click', () => this.#choose(filter))
    partOf(root, 'previous').addEventListener('click', () => this.#goTo(this.#page - 1))
    partOf(root, 'next').addEventListener('click', () => this.#goTo(this.#page + 1))
    this.#body.addEventListener('change', ({ target }) => this.#changed(target))
    this.#body.addEventListener('keydown', (event) => this.#key(event))
    this.#body.addEventListener('click', ({ target }) => this.#clicked(target))
    this.#body.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#search(event.target as HTMLFormElement)
    })
  }

  get #body(): HTMLElement {
    return partOf(this.#root, 'rows')
  }

  show(resolving: Resolving, shown: Shown): void {
    this.#resolving = resolving
    this.#shown = shown
    this.#choose('all')
  }

  /** Rows have been resolved: those in view are shown, and all are counted. */
  update(entries: readonly Entry[]): void {
    const added = entries.filter((entry) => this.#filter === stateOf(entry)).flatMap(({ rows }) => rows)
    if (added.length > 0) this.#rows = [...this.#rows, ...added].sort((a, b) => a - b)
    this.#paint()
    this.#count()
  }

  setRunning(isRunning: boolean, problem = ''): void {
    partOf(this.#root, 'stop').hidden = !isRunning
    partOf(this.#root, 'progress').hidden = !isRunning
    partOf(this.#root, 'continue').hidden = isRunning || problem === ''
    const message = partOf(this.#root, 'results-problem')
    message.hidden = problem === ''
    message.textContent = problem
    this.#count()
  }

  get summary(): string {
    const counts = this.#resolving?.counts
    if (counts === undefined) return ''
    return filled(word('summary'), ...[counts.sure, counts.review, counts.none].map(formatted))
  }

  verdictOf(entry: Entry): string {
    if (entry.choice !== undefined) return word(entry.choice === 'none' ? 'discarded' : 'chosen')
    return entry.resolution === undefined ? '' : word(entry.resolution.verdict)
  }

  #count(): void {
    const resolving = this.#resolving
    if (resolving === undefined) return
    const { counts, total } = resolving
    const done = total - counts.pending
    const numbers: Readonly<Record<Filter, number>> = { ...counts, all: total }
    for (const filter of FILTERS) {
      const button = partOf(this.#root, `filter-${filter}`)
      partOf(button, 'count').textContent = formatted(numbers[filter])
      button.setAttribute('aria-pressed', String(filter === this.#filter))
      button.hidden = filter === 'chosen' && counts.chosen === 0
    }
    const progress = partOf<HTMLProgressElement>(this.#root, 'progress')
    progress.max = total
    progress.value = done
    partOf(this.#root, 'done').textContent =
      counts.pending === 0 ? this.summary : filled(word('done'), formatted(done), formatted(total))
    this.#paging()
  }

  #choose(filter: Filter): void {
    this.#filter = filter
    const { total = 0 } = this.#resolving ?? {}
    const all = Array.from({ length: total }, (_, row) => row)
    this.#rows = filter === 'all' ? all : all.filter((row) => this.#stateAt(row) === filter)
    this.#goTo(0)
    this.#count()
  }

  #stateAt(row: number): State {
    return stateOf(this.#entryAt(row))
  }

  #entryAt(row: number): Entry {
    return (this.#resolving as Resolving).entryAt(row)
  }

  // The page of rows.

  #goTo(page: number): void {
    this.#page = page
    this.#body.replaceChildren()
    this.#paint()
    this.#paging()
  }

  get #pages(): number {
    return Math.max(1, Math.ceil(this.#rows.length / ROWS_PER_PAGE))
  }

  #paging(): void {
    const [first, last] = [
      this.#page * ROWS_PER_PAGE + 1,
      Math.min((this.#page + 1) * ROWS_PER_PAGE, this.#rows.length),
    ]
    const button = (name: string) => partOf<HTMLButtonElement>(this.#root, name)
    button('previous').disabled = this.#page === 0
    button('next').disabled = this.#page >= this.#pages - 1
    partOf(this.#root, 'paging').hidden = this.#pages === 1
    partOf(this.#root, 'range').textContent = filled(word('range'), ...[first, last, this.#rows.length].map(formatted))
    partOf(this.#root, 'no-rows').hidden = this.#rows.length > 0
  }

  /** Renders only rows that have changed, so that a choice in progress is not disturbed. */
  #paint(): void {
    const body = this.#body
    const window = this.#rows.slice(this.#page * ROWS_PER_PAGE, (this.#page + 1) * ROWS_PER_PAGE)
    for (const [at, row] of window.entries()) {
      const present = body.children[at] as HTMLElement | undefined
      if (present === undefined) body.append(this.#rowOf(row))
      else if (
        present.dataset.row !== String(row) ||
        (present.dataset.state === 'pending' && this.#stateAt(row) !== 'pending')
      )
        present.replaceWith(this.#rowOf(row))
    }
  }

  #rowOf(row: number): HTMLElement {
    const entry = this.#entryAt(row)
    const state = stateOf(entry)
    const verdict = element('span', { class: 'verdict', 'data-part': 'verdict' }, this.verdictOf(entry) || '…')
    return element(
      'tr',
      { 'data-row': String(row), 'data-state': state },
      element('td', { class: 'figure', 'data-label': word('rowLabel') }, formatted(row + 1)),
      element('th', { scope: 'row' }, isolated(this.#shown.written(row) || '—')),
      element('td', { class: 'found-record' }, ...this.#foundIn(row, entry, state)),
      element('td', { class: 'verdict-cell' }, verdict),
    )
  }

  #foundIn(row: number, entry: Entry, state: State): HTMLElement[] {
    if (state === 'pending') return []
    const record = recordOf(entry)
    if (state === 'sure' && record !== undefined && !this.#opened.has(entry)) {
      const label = filled(word('changeRow'), formatted(row + 1))
      const attributes = { type: 'button', class: 'copy', 'data-do': 'open', 'aria-label': label }
      return [this.#link(record), element('button', attributes, word('change'))]
    }
    return this.#choices(row, entry)
  }

  #link(record: CandidateRecord): HTMLElement {
    const attributes = { href: recordPage(record), target: '_blank', rel: 'noopener', class: 'name' }
    const link = element('a', attributes, isolated(record.name))
    return element('span', { class: 'record-line' }, link, ...detailsOf(record))
  }

  /** One of some records, none of them, or one that is searched for. */
  #choices(row: number, entry: Entry): HTMLElement[] {
    const record = recordOf(entry)
    const legend = element(
      'legend',
      { class: 'unseen' },
      filled(word('chooseFor'), formatted(row + 1), this.#shown.written(row)),
    )
    const radios = this.#candidates(entry).map((candidate, at) =>
      radio(row, String(at), record?.url === candidate.url, [
        element('bdi', { class: 'name' }, candidate.name),
        ...detailsOf(candidate),
      ]),
    )
    const none = radio(row, 'none', entry.choice === 'none', [word('noneOfThese')])
    const input = element('input', {
      type: 'search',
      'aria-label': filled(word('searchOther'), formatted(row + 1)),
      placeholder: word('searchOtherShort'),
      autocomplete: 'off',
      maxlength: '200',
    })
    const button = element('button', { type: 'submit', class: 'plain-button' }, word('search'))
    return [
      ...(radios.length > 0 ? [element('fieldset', { class: 'choices' }, legend, ...radios, none)] : []),
      element('form', { class: 'other' }, input, button),
      ...(entry.rows.length > 1
        ? [element('p', { class: 'note' }, filled(word('sameRows'), formatted(entry.rows.length)))]
        : []),
    ]
  }

  #candidates(entry: Entry): CandidateRecord[] {
    const proposed = candidatesOf(entry)
    const found = this.#found.get(entry) ?? []
    const others = found.filter(({ url }) => proposed.every((one) => one.url !== url))
    return [...proposed, ...others]
  }

  // Choosing.

  #changed(target: EventTarget | null): void {
    if (isRadio(target)) this.#decide(rowAt(target), target.value)
  }

  #decide(row: number, value: string): void {
    const entry = this.#entryAt(row)
    const choice = value === 'none' ? 'none' : this.#candidates(entry)[Number(value)]
    if (choice === undefined || this.#resolving === undefined) return
    this.#resolving.choose(entry, choice)
    for (const shown of this.#body.querySelectorAll<HTMLElement>('tr')) {
      const other = Number(shown.dataset.row)
      if (this.#entryAt(other) !== entry) continue
      if (other === row) {
        shown.dataset.state = 'chosen'
        partOf(shown, 'verdict').textContent = this.verdictOf(entry)
      } else shown.replaceWith(this.#rowOf(other))
    }
    this.#count()
  }

  /** A digit chooses and goes on; Enter goes on with what is chosen. */
  #key(event: KeyboardEvent): void {
    const { target, key } = event
    if (!isRadio(target) || event.ctrlKey || event.altKey || event.metaKey) return
    const radios = [...(target.closest('fieldset')?.querySelectorAll<HTMLInputElement>('input[type=radio]') ?? [])]
    const byDigit = /^[0-9]$/.test(key) ? radios.at(Number(key) - 1) : undefined
    const meant = key === 'Enter' ? radios.find(({ checked }) => checked) : byDigit
    if (meant === undefined) return
    event.preventDefault()
    meant.checked = true
    const row = rowAt(target)
    this.#decide(row, meant.value)
    this.#goOn(row)
  }

  /** To the next row that needs a choice; after the last, to the download. */
  #goOn(row: number): void {
    const next = this.#rows.findIndex((other) => other > row && ['review', 'none'].includes(this.#stateAt(other)))
    if (next === -1) {
      announce(word('allChosen'))
      partOf(this.#root, 'download-xlsx').focus()
      return
    }
    const page = Math.floor(next / ROWS_PER_PAGE)
    if (page !== this.#page) this.#goTo(page)
    const shown = this.#body.querySelector<HTMLElement>(`tr[data-row="${this.#rows[next]}"]`)
    focusChoice(shown)
  }

  #clicked(target: EventTarget | null): void {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-do=open]') : null
    if (button === null) return
    const row = rowAt(button)
    this.#opened.add(this.#entryAt(row))
    this.#replaceRow(row)
  }

  #replaceRow(row: number): void {
    const made = this.#rowOf(row)
    this.#body.querySelector(`tr[data-row="${row}"]`)?.replaceWith(made)
    focusChoice(made)
  }

  async #search(form: HTMLFormElement): Promise<void> {
    const input = form.querySelector('input') as HTMLInputElement
    const text = input.value.trim()
    if (text === '') return
    const row = rowAt(form)
    try {
      const found = await searchRecords(this.#api, text, this.#shown.within)
      announce(found.length === 0 ? word('nothingFound') : filled(word('foundCount'), formatted(found.length)))
      if (found.length === 0) {
        input.setCustomValidity(word('nothingFound'))
        input.reportValidity()
        input.addEventListener('input', () => input.setCustomValidity(''), { once: true })
        return
      }
      const entry = this.#entryAt(row)
      this.#opened.add(entry)
      this.#found.set(entry, found)
      this.#replaceRow(row)
    } catch {
      announce(word('failed'))
    }
  }
}

const isRadio = (target: EventTarget | null): target is HTMLInputElement =>
  target instanceof HTMLInputElement && target.type === 'radio'

const rowAt = (inside: Element): number => Number(inside.closest<HTMLElement>('tr')?.dataset.row)

const focusChoice = (row: HTMLElement | null): void =>
  (row?.querySelector<HTMLElement>('input:checked') ?? row?.querySelector<HTMLElement>('input[type=radio]'))?.focus()

const detailsOf = (record: CandidateRecord): (string | HTMLElement)[] => [
  ' ',
  element('code', {}, codeOf(record)),
  ' ',
  element('span', { class: 'what' }, ancestorNames(record).join(', ')),
]

function radio(row: number, value: string, isChecked: boolean, content: readonly (string | Node)[]): HTMLElement {
  const input = element('input', { type: 'radio', name: `row-${row}`, value })
  input.checked = isChecked
  return element('label', { class: 'choice' }, input, ' ', element('span', {}, ...content))
}
