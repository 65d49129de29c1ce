// Runs an operation of the API reference here, and shows the headers and the body of its response.

const MAX_SHOWN = 20_000

export function enhanceReference(form: HTMLFormElement): void {
  const shown = form.parentElement?.querySelector<HTMLElement>('.response')
  const variants = form.querySelector<HTMLSelectElement>('select[name=operation]')
  if (shown === null || shown === undefined || variants === null) return
  for (const option of variants.options) option.disabled = false
  const choose = () => showFieldsOf(form, variants.selectedIndex)
  variants.addEventListener('change', choose)
  choose()
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    event.stopPropagation()
    void run(form, variants, shown)
  })
}

/** Shows what a variant takes; what is not shown is not sent. */
function showFieldsOf(form: HTMLFormElement, variant: number): void {
  for (const field of form.querySelectorAll<HTMLElement>('[data-for]')) {
    field.hidden = !field.dataset.for?.split(' ').includes(String(variant))
    for (const input of field.querySelectorAll<HTMLInputElement>('input, select, textarea'))
      input.disabled = field.hidden
  }
}

/** The field that is the body of the request. */
const BODY = '[body]'

/** The address of the request: what stands in braces belongs into the path, the rest into the query. */
function targetOf(form: HTMLFormElement, template: string): string {
  const query = new URLSearchParams()
  let path = template
  for (const [name, value] of new FormData(form)) {
    const text = String(value).trim()
    if (name.startsWith('{')) path = path.replace(name, encodeURIComponent(text))
    else if (name !== 'operation' && name !== BODY && text !== '') query.append(name, text)
  }
  return query.size === 0 ? path : `${path}?${query}`
}

async function run(form: HTMLFormElement, variants: HTMLSelectElement, shown: HTMLElement): Promise<void> {
  const part = (selector: string) => shown.querySelector<HTMLElement>(selector)
  const show = (selector: string, text: string) => {
    const element = part(selector)
    if (element !== null) element.textContent = text
  }
  const { path = '', method = 'GET' } = variants.selectedOptions[0]?.dataset ?? {}
  const target = targetOf(form, path)
  const body = new FormData(form).get(BODY)
  shown.hidden = false
  show('.line code', `${method} ${target}`)
  show('details pre', '')
  show('.body', form.dataset.running ?? '')
  const cut = part('.cut')
  if (cut !== null) cut.hidden = true
  try {
    const response = await fetch(
      target,
      body === null ? {} : { method, body: String(body), headers: { 'Content-Type': 'application/json' } },
    )
    const { text, isCut } = await beginning(response)
    show('.line code', `${method} ${target}\n${response.status} ${response.statusText}`)
    show('details pre', [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'))
    show('.body', ONE_DOCUMENT.test(response.headers.get('Content-Type') ?? '') ? indented(text) : text)
    if (cut !== null) cut.hidden = !isCut
  } catch {
    show('.body', form.dataset.failed ?? '')
  }
}

/** A whole collection may be of any size: only its beginning is read. */
async function beginning(response: Response): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) return { text, isCut: false }
    text += decoder.decode(value, { stream: true })
    if (text.length > MAX_SHOWN) {
      await reader.cancel()
      return { text: text.slice(0, MAX_SHOWN), isCut: true }
    }
  }
  return { text, isCut: false }
}

const ONE_DOCUMENT = /^application\/(?:problem\+)?json/
const OPENING = /^[[{]/
const TOKENS = /"(?:[^"\\]|\\.)*"?|[[\]{}]|[,:]|[^\s"[\]{},:]+/g

/** JSON with a line for every value; it may end anywhere. */
function indented(text: string): string {
  let [result, depth, before] = ['', 0, '']
  const line = () => `\n${'  '.repeat(depth)}`
  for (const [token] of text.matchAll(TOKENS)) {
    const isClosing = token === ']' || token === '}'
    if (isClosing) depth--
    const isEmpty = isClosing && OPENING.test(before)
    if (isClosing ? !isEmpty : OPENING.test(before) || before === ',') result += line()
    result += token === ':' ? ': ' : token
    if (OPENING.test(token)) depth++
    before = token
  }
  return result
}
