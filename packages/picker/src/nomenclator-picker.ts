// <nomenclator-picker>: catalogs in cascade as one field of a form, for pages of any site. Needs nothing but this file.

/** The server's description of a level. Paths are dotted, from a record. */
type Level = {
  readonly collection: string
  readonly list: string
  /** The path of a record, with {} in place of each identifier of the key. */
  readonly record: string
  readonly key: readonly string[]
  /** The sign between the values of a key that has several. */
  readonly separator?: string
  readonly name: string
  /** All names with their languages, an empty text for an unknown one; absent if there is only one name. */
  readonly names?: Names
  /** The field with the key of its parent in the same list, if that is a tree. */
  readonly broader?: string
  /** The path of the official code, if the list has one; embedded records do not. */
  readonly code?: string
  /** The fields that lead to a value, if they are not those between the dots of its path: names may have dots. */
  readonly steps?: Readonly<Record<string, readonly string[]>>
  readonly labels: Readonly<Record<string, string>>
  readonly ancestors: Readonly<Record<string, Ancestor>>
}
type Names = readonly (readonly [path: string, language: string])[]
type Ancestor = { readonly filter: string; readonly id: string; readonly name: string; readonly names?: Names }
type Words = Readonly<Record<string, string>>
type Definitions = {
  readonly levels: Readonly<Record<string, Level>>
  readonly words: Readonly<Record<string, Words>>
}
type CatalogRecord = { readonly [field: string]: unknown }

/** A record that is chosen at a level: its key, its name, and its official code if it has one. */
export type Choice = {
  readonly level: string
  readonly key: string
  readonly name: string
  readonly code?: string | undefined
}

/** The attributes of the element, beside those that all elements have. */
export type PickerAttributes = {
  /** The levels from the top down, by the names of their entities, with commas between them. */
  readonly levels: string
  /** The name that it is submitted under. */
  readonly name?: string | undefined
  /** The key of the record that is chosen beforehand; one of a higher level has the name of that before it, as in `estado:2`. */
  readonly value?: string | undefined
  /** `code` submits official codes in place of keys; with `required`, a record without one is invalid. */
  readonly submit?: 'key' | 'code' | undefined
  /** True if it begins with a postal code, and ends with the settlements of it, where the server has those lists. */
  readonly 'postal-code'?: boolean | undefined
  /** True if the form is invalid until the last level is chosen. */
  readonly required?: boolean | undefined
  readonly disabled?: boolean | undefined
  /** The address of the service; without it, the origin that the script or the page came from. */
  readonly server?: string | undefined
}

/** The event `change` of every choice. */
export type PickerChangeEvent = Event & { readonly target: NomenclatorPicker }

type Option = Choice & { readonly where: string }

/** The lists of the postal service, with the words that label them. */
const POSTAL_CODE = 'codigos-postales'
const SETTLEMENT = 'asentamientos'
const POSTAL_LABELS: Words = { [POSTAL_CODE]: 'postalCode', [SETTLEMENT]: 'settlement' }
const WHOLE_POSTAL_CODE = /^[0-9]{5}$/
const DEFAULT_SEPARATOR = '-'
const MAX_OPTIONS = 50
const PAUSE_MILLISECONDS = 120
/** Milliseconds after which nobody waits for an only option any more. */
const MAX_WAIT = 5_000
const DEFAULT_LANGUAGE = 'es'
/** All other words come with the definitions. */
const NOT_LOADED: Words = {
  es: 'No se pudieron cargar los catálogos.',
  en: 'The catalogs could not be loaded.',
}

/** The element of this script. A module has no current script, so its element is found by its name. */
const script =
  (document.currentScript as HTMLScriptElement | null) ??
  document.querySelector<HTMLScriptElement>('script[src*="nomenclator-picker"]')
const { origin, pathname } = new URL(script?.src ?? location.href)
/** The address of the server; a proxy may have put it under a path, before /picker/ or /assets/. */
const home = origin + (/^(.*)\/(?:picker|assets)\//.exec(pathname)?.[1] ?? '')

const definitionsByServer = new Map<string, Promise<Definitions>>()

function definitionsOf(server: string): Promise<Definitions> {
  const definitions = definitionsByServer.get(server) ?? json<Definitions>(`${server}/picker/levels.json`)
  definitionsByServer.set(server, definitions)
  // The next picker tries again.
  definitions.catch(() => definitionsByServer.delete(server))
  return definitions
}

const MAX_LENGTH = 9e6

async function json<T>(url: string, signal?: AbortSignal): Promise<T> {
  return valueIn(await fetch(url, { signal } as RequestInit))
}

/** The value of a response in JSON; one that is too long is not read to its end. */
async function valueIn<T>({ ok, body }: Response): Promise<T> {
  const reader = (body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; ; ) {
    const { done, value } = await reader.read()
    if (done) return JSON.parse(ok ? text : '')
    text += value
    if (text.length > MAX_LENGTH) await reader.cancel()
  }
}

const valueAt = ({ steps }: Level, record: CatalogRecord, path: string): unknown =>
  (steps?.[path] ?? path.split('.')).reduce<unknown>(
    (value, step) => (value as CatalogRecord | null | undefined)?.[step],
    record,
  )

/** The nearness of two language tags: 2 for the same, 1 for the same language, else 0. */
const nearness = (one: string, other: string): number =>
  Number(one === other) + Number(one.split('-')[0] === other.split('-')[0])

/** The paths of names, those in the language first, then in the order of the definition. */
const namesFor = ({ name, names = [[name, '']] }: { name: string; names?: Names }, language: string): string[] =>
  names.toSorted(([, a], [, b]) => nearness(b, language) - nearness(a, language)).map(([path]) => path)

type WordValues = Readonly<Record<string, string | undefined>>

const STYLES = `:host{display:block;font:inherit;color:var(--picker-ink,inherit);--_i:var(--picker-ink,CanvasText);--_p:var(--picker-paper,Canvas);--_l:var(--picker-line,GrayText);--_a:var(--picker-accent,light-dark(#9a3f1d,#f0a273));--_t:var(--picker-tint,light-dark(#f6e6dd,#3a2719))}
:host([hidden]){display:none}
.fields{display:grid;gap:var(--picker-gap,.75rem);grid-template-columns:var(--picker-columns,repeat(auto-fit,minmax(min(13rem,100%),1fr)))}
.field{min-width:0}
.box{position:relative}
label{display:block;font-size:.9em;margin-bottom:.2em}
.required::after{content:" *" / "";color:var(--_a)}
input{box-sizing:border-box;width:100%;min-height:2.5em;font:inherit;color:var(--_i);background:var(--_p);border:1px solid var(--_l);border-radius:0;padding:.3em 1.8em .3em .6em}
input:focus-visible{outline:3px solid var(--_a);outline-offset:1px}
input::placeholder{color:inherit;opacity:.75}
input:disabled{border-style:dashed;background:none;cursor:not-allowed}
.arrow{position:absolute;right:.7em;bottom:1em;width:.45em;height:.45em;pointer-events:none;border:solid var(--_l);border-width:0 2px 2px 0;transform:rotate(45deg)}
ul{position:absolute;z-index:10;top:calc(100% - 1px);inset-inline:0;box-sizing:border-box;max-height:18em;overflow-y:auto;margin:0;padding:0;list-style:none;color:var(--_i);background:var(--_p);border:1px solid var(--_l)}
ul[hidden]{display:none}
li{padding:.4em .6em;overflow-wrap:anywhere}
li[aria-selected=true],li:not([aria-disabled]):hover{background:var(--_t);box-shadow:inset 3px 0 var(--_a);cursor:pointer}
li small{display:block;opacity:.85}
mark{background:none;color:inherit;font-weight:700}
.message{margin:.4em 0 0;font-size:.9em;color:var(--_a)}
.message:empty{display:none}
.status{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (forced-colors:active){li[aria-selected=true]{outline:2px solid;outline-offset:-2px}}
`

/** An element with attributes; pages can style those that are a part. */
function create<T extends keyof HTMLElementTagNameMap>(tag: T, attributes = {}): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries<string>(attributes)) element.setAttribute(name, value)
  return element
}

const createMessage = (attributes = {}) => create('p', { class: 'message', part: 'message', ...attributes })

/** One level: a combobox with a list (WAI-ARIA). */
class Field {
  readonly level: string
  readonly element = create('div', { class: 'field', part: 'field' })
  readonly input: HTMLInputElement
  readonly #label: HTMLLabelElement
  readonly #list: HTMLUListElement
  readonly #message: HTMLElement
  readonly #picker: NomenclatorPicker
  readonly #id: string
  #options: Option[] = []
  /** The text that the options are for. */
  #shownFor: string | undefined
  #active = -1
  #timer: ReturnType<typeof setTimeout> | undefined
  #request: AbortController | undefined
  #loaded: Promise<void> = Promise.resolve()
  choice: Choice | undefined

  constructor(picker: NomenclatorPicker, level: string, at: number) {
    this.#picker = picker
    this.level = level
    const id = `level-${at}`
    this.#id = id
    this.#label = create('label', { for: id, part: 'label' })
    this.#list = create('ul', { id: `${id}-list`, part: 'list', role: 'listbox' })
    this.#message = createMessage({ id: `${id}-message` })
    const input = create('input', {
      id,
      part: 'input',
      role: 'combobox',
      autocomplete: 'off',
      spellcheck: 'false',
      autocapitalize: 'none',
      'aria-autocomplete': 'list',
      'aria-controls': this.#list.id,
      'aria-describedby': this.#message.id,
      ...(level === POSTAL_CODE && { inputmode: 'numeric', maxlength: '5' }),
    })
    this.input = input
    this.#close()
    const box = create('div', { class: 'box' })
    box.append(input, create('span', { class: 'arrow' }), this.#list)
    this.element.append(this.#label, box, this.#message)
    input.addEventListener('input', (event) => {
      // The picker has an event for every choice, and none for a letter.
      event.stopPropagation()
      this.#later()
    })
    input.addEventListener('change', (event) => event.stopPropagation())
    input.addEventListener('click', () => this.#list.hidden && this.#load())
    input.addEventListener('keydown', (event) => this.#key(event))
    input.addEventListener('blur', () => this.#leave())
    // A pointer must not take the focus away before its click.
    this.#list.addEventListener('pointerdown', (event) => event.preventDefault())
  }

  /** Sets the words of the field, and its state. */
  update(label: string, placeholder: string, isRequired: boolean, isDisabled: boolean): void {
    this.#label.textContent = label
    this.#label.className = isRequired ? 'required' : ''
    this.#list.setAttribute('aria-label', label)
    this.input.placeholder = placeholder
    this.input.disabled = isDisabled
    this.input.ariaRequired = String(isRequired)
  }

  set(choice: Choice | undefined): void {
    this.choice = choice
    this.input.value = choice?.name ?? ''
    this.#close()
  }

  /** Shows a message at the field; none if the text is empty. */
  showMessage(text: string): void {
    this.#message.textContent = text
    this.input.ariaInvalid = String(text !== '')
  }

  #later(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#load(), PAUSE_MILLISECONDS)
  }

  /** The text while it is being typed; empty if it is the name of the choice, so that everything is offered again. */
  get #typed(): string {
    const text = this.input.value.trim()
    return text === this.choice?.name ? '' : text
  }

  #load(): void {
    clearTimeout(this.#timer)
    if (this.input.disabled) return
    this.#request?.abort()
    this.#request = new AbortController()
    this.#loaded = this.#search(this.#typed, this.#request.signal)
  }

  async #search(text: string, signal: AbortSignal): Promise<void> {
    const picker = this.#picker
    try {
      const { options, total } = await picker.find(this.level, text, signal)
      if (signal.aborted) return
      this.#options = options
      this.#show(options.length === 0 ? 'nothing' : total > options.length ? 'more' : undefined, text)
      picker.announce(options.length === 0 ? 'nothing' : 'found', { count: String(total) })
      // Five digits say all there is to choose.
      const [first] = options
      if (this.level === POSTAL_CODE && WHOLE_POSTAL_CODE.test(text) && first?.name === text) this.#choose(first)
    } catch {
      if (signal.aborted) return
      this.#options = []
      this.#show('failed', text)
      picker.announce('failed')
    }
  }

  #show(note: string | undefined, text: string): void {
    this.#shownFor = text
    const items = this.#options.map((option, at) => this.#item(option, at, text))
    if (note !== undefined) {
      const item = create('li', { role: 'option', 'aria-disabled': 'true' })
      item.textContent = this.#picker.word(note)
      items.push(item)
    }
    this.#list.replaceChildren(...items)
    const isOpen = this.#picker.shadowRoot?.activeElement === this.input
    this.#list.hidden = !isOpen
    this.input.ariaExpanded = String(isOpen)
    // The first record fits the text best; in an empty field, none is active until one is chosen.
    this.#activate(text === '' ? this.#options.findIndex(({ key }) => key === this.choice?.key) : 0)
  }

  #item(option: Option, at: number, text: string): HTMLLIElement {
    const item = create('li', { id: `${this.#id}-${at}`, part: 'option', role: 'option' })
    item.append(markedName(option.name, text))
    if (option.where !== '') {
      const where = create('small')
      where.textContent = option.where
      item.append(where)
    }
    item.addEventListener('click', () => this.#choose(option))
    return item
  }

  #activate(at: number): void {
    this.#active = this.#options.length === 0 ? -1 : at
    for (const [position, item] of [...this.#list.querySelectorAll('[part]')].entries()) {
      item.setAttribute('aria-selected', String(position === this.#active))
      if (position === this.#active) item.scrollIntoView({ block: 'nearest' })
    }
    if (this.#active === -1) this.input.removeAttribute('aria-activedescendant')
    else this.input.setAttribute('aria-activedescendant', `${this.#id}-${this.#active}`)
  }

  #key(event: KeyboardEvent): void {
    const { length } = this.#options
    const isOpen = !this.#list.hidden
    const isShown = isOpen && this.#shownFor === this.#typed
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        event.preventDefault()
        if (!isOpen) {
          this.#load()
          // One key is enough to be at an option.
          void this.#loaded.then(() => {
            if (!this.#list.hidden && this.#active === -1)
              this.#activate(event.key === 'ArrowDown' ? 0 : this.#options.length - 1)
          })
        } else if (length > 0) this.#activate((this.#active + (event.key === 'ArrowDown' ? 1 : -1) + length) % length)
        return
      case 'Enter':
        event.preventDefault()
        // While the list is open, or a search is under way, Enter chooses; otherwise it submits, as in any other field.
        if (!isOpen && this.#typed === '') {
          this.#picker.form?.requestSubmit()
          return
        }
        if (!isShown) this.#load()
        void this.#loaded.then(() => this.#choose(this.#options[this.#active]))
        return
      case 'Escape':
        if (!isOpen) return
        event.preventDefault()
        this.set(this.choice)
        return
      case 'Tab':
        if (isShown && this.#typed !== '') this.#choose(this.#options[this.#active])
    }
  }

  #choose(option: Option | undefined): void {
    if (option !== undefined) this.#picker.choose(this, option)
  }

  /** Text that was not chosen is no value: an empty field chooses nothing, any other shows again what is chosen. */
  #leave(): void {
    clearTimeout(this.#timer)
    this.#request?.abort()
    if (this.input.value.trim() === '' && this.choice !== undefined) this.#picker.choose(this, undefined)
    else this.set(this.choice)
  }

  #close(): void {
    clearTimeout(this.#timer)
    this.#list.hidden = true
    this.input.ariaExpanded = 'false'
    this.input.removeAttribute('aria-activedescendant')
    this.#active = -1
  }
}

const MARKS = /\p{Mark}/gu
const folded = (text: string): string => text.normalize('NFD').replace(MARKS, '').toLowerCase()

/** The name as an element, in which every word that was typed is marked where a word of the name begins with it. */
function markedName(name: string, text: string): HTMLElement {
  const typed = folded(text).split(/\s+/).filter(Boolean)
  const element = create('bdi')
  for (const part of name.split(/(?<![\p{L}\p{N}\p{Mark}])(?=[\p{L}\p{N}])/u)) {
    const word = typed.toSorted((a, b) => b.length - a.length).find((one) => folded(part).startsWith(one))
    // As many letters as were typed, with their marks.
    const own = word === undefined || folded(part).length !== part.normalize('NFC').length ? 0 : word.length
    if (own > 0) element.append(create('mark'))
    if (element.lastElementChild && own > 0) element.lastElementChild.textContent = part.slice(0, own)
    element.append(part.slice(own))
  }
  return element
}

/** The element: a field of a form whose value is the key of a record. */
export class NomenclatorPicker extends HTMLElement {
  static readonly formAssociated = true
  static readonly observedAttributes = [
    'levels',
    'required',
    'lang',
    'server',
    'name',
    'value',
    'submit',
    'postal-code',
  ]

  readonly #internals: ElementInternals
  readonly #fieldBox = create('div', { class: 'fields' })
  readonly #message = createMessage()
  readonly #status = create('div', { class: 'status', role: 'status' })
  #fields: Field[] = []
  #definitions: Definitions | undefined
  /** Settles when the picker can be used, with its levels and its value. Absent until it is first on a page. */
  #ready: Promise<void> | undefined
  #isDisabled = false
  /** The value that was last set or chosen; without one, the attribute counts. */
  #dirtyValue: string | undefined

  constructor() {
    super()
    this.#internals = this.attachInternals()
    this.#internals.role = 'group'
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLES)
    root.adoptedStyleSheets = [sheet]
    root.append(this.#fieldBox, this.#message, this.#status)
    this.addEventListener('invalid', () => this.#missing?.showMessage(this.#internals.validationMessage))
  }

  /** @internal */
  connectedCallback(): void {
    // A picker that is moved keeps its choices, in the language of its new place.
    if (!this.#definitions) this.#build()
    else this.#translate()
  }

  /** @internal */
  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    // This is called before connectedCallback if the element is on the page before its class is defined.
    if (before === after || !this.#ready) return
    // The value that is shown is no key of other levels.
    if (name === 'levels' && this.#dirtyValue === this.value) this.#dirtyValue = ''
    if (['levels', 'server', 'postal-code'].includes(name)) this.#build()
    else if (name === 'value' && this.#dirtyValue === undefined) this.#show()
    else if (name === 'lang') this.#translate()
    else this.#update()
  }

  // The members that every field of a form has.

  get form(): HTMLFormElement | null {
    return this.#internals.form
  }
  get name(): string {
    return this.getAttribute('name') ?? ''
  }
  set name(name: string) {
    this.setAttribute('name', name)
  }
  get type(): string {
    return this.localName
  }
  get required(): boolean {
    return this.hasAttribute('required')
  }
  set required(isRequired: boolean) {
    this.toggleAttribute('required', isRequired)
  }
  get disabled(): boolean {
    return this.hasAttribute('disabled')
  }
  set disabled(isDisabled: boolean) {
    this.toggleAttribute('disabled', isDisabled)
  }
  get validity(): ValidityState {
    return this.#internals.validity
  }
  get validationMessage(): string {
    return this.#internals.validationMessage
  }
  get willValidate(): boolean {
    return this.#internals.willValidate
  }
  checkValidity(): boolean {
    return this.#internals.checkValidity()
  }
  reportValidity(): boolean {
    return this.#internals.reportValidity()
  }

  /** The key of the last level; empty as long as it is not chosen. */
  get value(): string {
    return this.#fields.at(-1)?.choice?.key ?? ''
  }
  set value(key: string | null | undefined) {
    const text = String(key ?? '')
    // A framework sets the value that it has just read at a change. Choices of higher levels must outlast that.
    if (text === this.#valueToShow && text === this.value) return
    this.#dirtyValue = text
    this.#show()
  }

  /** The choices, from the top down. */
  get selection(): readonly Choice[] {
    return this.#fields.flatMap(({ choice }) => (choice === undefined ? [] : [choice]))
  }

  /** Settles when a value that was set is shown. */
  get ready(): Promise<void> {
    return Promise.resolve(this.#ready)
  }

  /** @internal */
  formDisabledCallback(isDisabled: boolean): void {
    this.#isDisabled = isDisabled
    this.#update()
  }

  /** @internal */
  formResetCallback(): void {
    this.#dirtyValue = undefined
    for (const field of this.#fields) field.showMessage('')
    this.#show()
  }

  /** @internal Takes the state that the browser kept when the page was left, or fills in. */
  formStateRestoreCallback(state: string | File | FormData | null): void {
    if (typeof state === 'string') this.value = state
  }

  // Levels.

  get #server(): string {
    return (this.getAttribute('server') ?? home).replace(/\/$/, '')
  }

  /** The language of names, if records have names in it. */
  get #languageOfNames(): string {
    return this.closest('[lang]')?.getAttribute('lang') || document.documentElement.lang || DEFAULT_LANGUAGE
  }

  /** The language of labels and messages. */
  get #language(): string {
    const language = this.#languageOfNames.split('-')[0] as string
    return (this.#definitions?.words ?? NOT_LOADED)[language] === undefined ? DEFAULT_LANGUAGE : language
  }

  /** @internal */
  word(name: string, values: WordValues = {}): string {
    const text = this.#definitions?.words[this.#language]?.[name] ?? ''
    return String(text).replace(/\{(\w+)\}/g, (_, value: string) => values[value] ?? '')
  }

  /** @internal */
  announce(name: string, values: WordValues = {}): void {
    this.#status.textContent = this.word(name, values)
  }

  #build(): void {
    this.#definitions = undefined
    this.#makeFields()
    this.#update()
    this.#ready = this.#prepare()
  }

  /** A field for each level; with a postal code, before and after them those of its lists, where the server has them. */
  #makeFields(): void {
    const levels = (this.getAttribute('levels') ?? '').split(',').map((name) => name.trim())
    const isPostal = this.hasAttribute('postal-code') && this.#levelOf(POSTAL_CODE) && this.#levelOf(SETTLEMENT)
    const names = (isPostal ? [POSTAL_CODE, ...levels, SETTLEMENT] : levels).filter((name) => name !== '')
    this.#fields = names.map((name, at) => new Field(this, name, at))
    this.#fieldBox.replaceChildren(...this.#fields.map(({ element }) => element))
  }

  async #prepare(): Promise<void> {
    const fields = this.#fields
    const definitions = await definitionsOf(this.#server).catch(() => undefined)
    // The levels, or the server, have changed meanwhile.
    if (fields !== this.#fields) return
    try {
      this.#use(definitions)
    } catch {
      // The server sent something else.
      this.#use(undefined)
    }
    if (!this.#message.textContent) await this.#showValue()
  }

  /** Shows the levels, or the mistake in them. */
  #use(definitions: Definitions | undefined): void {
    this.#definitions = definitions
    if (this.hasAttribute('postal-code')) this.#makeFields()
    this.#message.textContent = (definitions ? this.#mistakeInLevels() : NOT_LOADED[this.#language]) ?? ''
    this.#update()
  }

  #levelOf(name: string): Level | undefined {
    return this.#definitions?.levels[name]
  }

  #labelOf(name: string): string {
    return this.word(POSTAL_LABELS[name] ?? '') || (this.#levelOf(name)?.labels[this.#language] ?? name)
  }

  /** The field whose choice decides what another offers: the one before it, or for settlements the postal code, once there is one. */
  #before(field: Field): Field | undefined {
    const [first, ...others] = this.#fields
    if (field.level === SETTLEMENT && first?.level === POSTAL_CODE && first.choice) return first
    const before = this.#fields[this.#fields.indexOf(field) - 1]
    if (before?.level === POSTAL_CODE) return
    // A settlement lies in none of the lists below a municipality.
    const above = this.#levelOf(SETTLEMENT)?.ancestors
    return field.level === SETTLEMENT ? others.findLast(({ level }) => above?.[level]) : before
  }

  /** The words for a mistake: every level must exist, and each but the first must belong to the one before it. */
  #mistakeInLevels(): string | undefined {
    for (const field of this.#fields) {
      const { level } = field
      const definition = this.#levelOf(level)
      if (definition === undefined) return this.word('unknown', { level }) || NOT_LOADED.es
      const before = this.#before(field)?.level
      if (before !== undefined && definition.ancestors[before] === undefined)
        return this.word('apart', { level: this.#labelOf(level), parent: this.#labelOf(before) })
    }
    return undefined
  }

  #update(): void {
    const isUsable = this.#definitions && !this.#mistakeInLevels()
    for (const field of this.#fields) {
      const before = this.#before(field)
      const isWaiting = before && !before.choice
      const placeholder = isWaiting ? this.word('first', { level: this.#labelOf(before.level) }) : this.word('choose')
      const isDisabled = this.#isDisabled || isWaiting || !isUsable
      field.update(this.#labelOf(field.level), placeholder, this.required, isDisabled)
    }
    this.#internals.ariaRequired = String(this.required)
    this.#submitValue()
  }

  /** The text that is submitted for a choice: empty if its record has no code, but codes are submitted. */
  #submitted({ key, code = '' }: Choice): string {
    return this.getAttribute('submit') === 'code' ? code : key
  }

  /** Sets the data of the form, the state that the browser keeps, and the validity of both. */
  #submitValue(): void {
    const { name, selection } = this
    const data = new FormData()
    const last = this.#fields.at(-1)?.choice
    if (last) data.append(name, this.#submitted(last))
    for (const choice of selection) data.append(`${name}.${choice.level}`, this.#submitted(choice))
    const lowest = selection.at(-1)
    const state = lowest ? `${lowest.level}:${lowest.key}` : ''
    this.#internals.setFormValue(name && lowest ? data : null, state)
    const missing = this.required ? this.#missing : undefined
    const word = missing?.choice ? 'uncoded' : 'required'
    const message =
      missing && (this.word(word, { ...missing.choice, level: this.#labelOf(missing.level) }) || missing.level)
    this.#internals.setValidity(missing ? { valueMissing: true } : {}, message, missing?.input)
    // A message that is shown stays, in the language of now.
    for (const field of this.#fields)
      field.showMessage((field === missing && field.input.ariaInvalid === 'true' && message) || '')
  }

  /** The highest level at which nothing is chosen; else the last one, if the code of its record is missing. */
  get #missing(): Field | undefined {
    const last = this.#fields.at(-1)
    return (
      this.#fields.find(({ choice }) => !choice) ?? (last?.choice && this.#submitted(last.choice) ? undefined : last)
    )
  }

  // Finding and choosing.

  /** @internal The records of a level that match the text and belong to the choice of the level before. */
  async find(name: string, text: string, signal: AbortSignal): Promise<{ options: Option[]; total: number }> {
    const level = this.#levelOf(name)
    if (level === undefined) throw name
    const field = this.#fields.find((one) => one.level === name)
    // The nearest level is enough: the higher ones follow from it.
    const parent = field && this.#before(field)
    const language = this.#languageOfNames
    const own = namesFor(level, language)
    const contexts = this.#contextOf(level, parent?.level).map((ancestor) => namesFor(ancestor, language))
    const parameters = new URLSearchParams({
      per_page: String(MAX_OPTIONS),
      fields: [...new Set([level.key, own, level.broader ?? [], contexts, level.code ?? []].flat(2))].join(),
    })
    if (text === '') parameters.set('sort', own[0] as string)
    else parameters.set('q', text)
    const filter = parent && level.ancestors[parent.level]?.filter
    const parentLevel = parent && this.#levelOf(parent.level)
    if (filter && parentLevel && parent.choice)
      parameters.set(filter, keyValues(parentLevel, parent.choice.key).at(-1) as string)
    const response = await fetch(`${this.#server}${level.list}?${parameters}`, { signal })
    // The server refuses a text without any word.
    if (response.status === 400) return { options: [], total: 0 }
    const records = await valueIn<CatalogRecord[]>(response)
    const broaderNames = await this.#broaderNames(level, records, parameters.get('fields') as string, signal)
    const options = records.map((record) => ({
      ...choiceOf(name, level, record, language),
      where: [
        broaderNames.get(String(valueAt(level, record, level.broader ?? ''))),
        ...contexts.map((paths) => firstAt(level, record, paths)),
      ]
        .filter(Boolean)
        .join(', '),
    }))
    return { options: distinct(options), total: Number(response.headers.get('X-Total') ?? options.length) }
  }

  /** The names of the parents of records by their keys, in a tree whose keys have one value. */
  async #broaderNames(level: Level, records: readonly CatalogRecord[], fields: string, signal: AbortSignal) {
    const { broader, key, list } = level
    const keys = records.flatMap((record) => (broader && valueAt(level, record, broader)) ?? [])
    if (key.length > 1 || keys.length === 0) return new Map<string, string>()
    const parameters = new URLSearchParams({ per_page: String(MAX_OPTIONS), fields })
    for (const one of new Set(keys)) parameters.append(key[0] as string, String(one))
    const parents = await json<CatalogRecord[]>(`${this.#server}${list}?${parameters}`, signal)
    const choices = parents.map((record) => choiceOf('', level, record, this.#languageOfNames))
    return new Map(choices.map((one) => [one.key, one.name]))
  }

  /** Ancestors that distinguish namesakes, the nearest first: not the highest, nor those that follow from the parent level. */
  #contextOf({ ancestors }: Level, parent: string | undefined) {
    const implied = parent === undefined ? [] : [parent, ...Object.keys(this.#levelOf(parent)?.ancestors ?? {})]
    const depth = (name: string) => Object.keys(this.#levelOf(name)?.ancestors ?? {}).length
    return Object.entries(ancestors)
      .filter(([name]) => !implied.includes(name) && depth(name) > 0)
      .sort(([a], [b]) => depth(b) - depth(a))
      .map(([, paths]) => paths)
  }

  /** @internal Chooses a record, or none. Another choice clears the lower levels. */
  choose(field: Field, choice: Choice | undefined): void {
    const isSame = field.choice?.key === choice?.key
    field.set(choice && { level: choice.level, key: choice.key, name: choice.name, code: choice.code })
    if (!isSame) this.#clearFor(field)
    this.#dirtyValue = this.value
    if (isSame) return
    this.#update()
    if (choice !== undefined) this.announce('chosen', choice)
    this.dispatchEvent(new Event('change', { bubbles: true, composed: true }))
    if (choice !== undefined) this.#ready = this.#follow(field, choice)
  }

  /** Clears what is below a field. A postal code says what is chosen at all others, and goes with any of them but a settlement. */
  #clearFor(field: Field): void {
    const at = this.#fields.indexOf(field)
    for (const [other, one] of this.#fields.entries())
      if (other > at || (one.level === POSTAL_CODE && other < at && field.level !== SETTLEMENT)) one.set(undefined)
  }

  /** Chooses what follows from a choice: what a postal code or a settlement lies in, and an only option of what is below. */
  async #follow(field: Field, choice: Choice): Promise<void> {
    const isCurrent = () => field.choice?.key === choice.key && this.#fields.includes(field)
    if (POSTAL_LABELS[field.level]) {
      const choices = await this.#choicesOf(field.level, choice.key).catch(() => [])
      if (!isCurrent() || choices.length === 0) return
      this.#setChoices(choices)
      this.#dirtyValue = this.value
      this.dispatchEvent(new Event('change', { bubbles: true, composed: true }))
    }
    for (const next of this.#fields.filter((one) => one.choice === undefined && this.#before(one)?.choice)) {
      const found = await this.find(next.level, '', AbortSignal.timeout(MAX_WAIT)).catch(() => undefined)
      const [only] = found?.total === 1 ? found.options : []
      if (only !== undefined && isCurrent() && next.choice === undefined && next.input.value === '')
        this.choose(next, only)
    }
  }

  #setChoices(choices: readonly Choice[]): void {
    for (const field of this.#fields) field.set(choices.find(({ level }) => level === field.level))
    this.#update()
  }

  /** An ancestor with its code, which records that embed it do not have. */
  async #withCode(choice: Choice): Promise<Choice> {
    const level = this.#levelOf(choice.level)
    if (level?.code === undefined || !this.#fields.some((field) => field.level === choice.level)) return choice
    const path = `${recordPath(level, [choice.key])}?fields=${encodeURIComponent(level.code)}`
    const code = valueAt(level, await json<CatalogRecord>(`${this.#server}${path}`), level.code)
    return typeof code === 'string' ? { ...choice, code } : choice
  }

  get #valueToShow(): string {
    return this.#dirtyValue ?? this.getAttribute('value') ?? ''
  }

  /** Shows the value, unless the definitions are still being loaded: then #prepare does. */
  #show(): void {
    if (this.#definitions) this.#ready = this.#showValue()
  }

  /** Shows the record that has the value as its key, with its ancestors; nothing if there is none. */
  async #showValue(): Promise<void> {
    const fields = this.#fields
    const text = this.#valueToShow
    const named = fields.find(({ level }) => text.startsWith(`${level}:`))?.level
    const key = named ? text.slice(named.length + 1) : text
    const choices = await this.#choicesOf(named ?? fields.at(-1)?.level ?? '', key).catch(() => [])
    // A value that was set or chosen meanwhile is not overwritten.
    if (fields === this.#fields && text === this.#valueToShow) this.#setChoices(choices)
  }

  /** Shows labels and choices in the language of now. */
  #translate(): void {
    this.#update()
    this.#ready = this.#ready?.then(async () => {
      const last = this.selection.at(-1)
      const renamed = last && (await this.#choicesOf(last.level, last.key).catch(() => undefined))
      // A choice that cannot be read again, or was made meanwhile, stays as it is.
      if (renamed && last === this.selection.at(-1)) this.#setChoices(renamed)
    })
  }

  /** The record of a level with a key, after its ancestors. */
  async #choicesOf(name: string, key: string): Promise<Choice[]> {
    const level = this.#levelOf(name)
    const values = level === undefined ? [] : keyValues(level, key)
    // Such a key would lead to another path.
    if (level === undefined || /^\.{0,2}$/.test(key) || values.length !== level.key.length) return []
    const record = await json<CatalogRecord>(`${this.#server}${recordPath(level, values)}`)
    const language = this.#languageOfNames
    // A record may lack a parent.
    const ancestors = Object.entries(level.ancestors).flatMap(([ancestor, paths]): Choice[] => {
      const id = valueAt(level, record, paths.id) ?? undefined
      if (id === undefined) return []
      const named = String(firstAt(level, record, namesFor(paths, language)) ?? id)
      return [{ level: ancestor, key: String(id), name: named }]
    })
    const choice = choiceOf(name, level, record, language)
    return [...(await Promise.all(ancestors.map((one) => this.#withCode(one)))), choice]
  }
}

function recordPath({ record }: Level, values: readonly string[]): string {
  let at = 0
  return record.replace(/\{\}/g, () => encodeURIComponent(values[at++] ?? '')).replace(/\/all$/, '/%61ll')
}

/** The values of a key: a single one is the key itself, several are encoded one by one. */
function keyValues({ key, separator = DEFAULT_SEPARATOR }: Level, text: string): string[] {
  if (key.length === 1) return [text]
  try {
    return text.split(separator).map(decodeURIComponent)
  } catch {
    return []
  }
}

/** Options of which each can be told from the others: where name and place are the same, the code or the key stands beside them. */
function distinct(options: readonly Option[]): Option[] {
  const seen = Map.groupBy(options, ({ name, where }) => `${name}\n${where}`)
  return options.map((option) => {
    const alike = seen.get(`${option.name}\n${option.where}`) ?? []
    return alike.length === 1
      ? option
      : { ...option, where: [option.where, option.code ?? option.key].filter(Boolean).join(' · ') }
  })
}

/** The first value that a record has at one of the paths. */
const firstAt = (level: Level, record: CatalogRecord, paths: readonly string[]): unknown =>
  paths.map((path) => valueAt(level, record, path)).find(Boolean)

function choiceOf(name: string, level: Level, record: CatalogRecord, language: string): Choice {
  const { key: paths, separator = DEFAULT_SEPARATOR } = level
  const values = paths.map((path) => String(valueAt(level, record, path)))
  const key = values.length === 1 ? (values[0] as string) : values.map(encodeURIComponent).join(separator)
  const code = level.code === undefined ? undefined : valueAt(level, record, level.code)
  return {
    level: name,
    key,
    name: String(firstAt(level, record, namesFor(level, language)) ?? key),
    code: typeof code === 'string' ? code : undefined,
  }
}

// A second copy of the script on a page does no harm.
if (customElements.get('nomenclator-picker') === undefined)
  customElements.define('nomenclator-picker', NomenclatorPicker)

declare global {
  interface HTMLElementTagNameMap {
    'nomenclator-picker': NomenclatorPicker
  }
}
