// Runs an operation of the API reference here, and shows the headers and the body of its response.

const MAX_SHOWN = 20_000

export function enhanceReference(form: HTMLFormElement): void {
  const shown = form.parentElement?.querySelector<HTMLElement>('.response')
  if (shown === null || shown === undefined) return
  for (const button of form.querySelectorAll<HTMLButtonElement>('button[type=submit]')) button.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    event.stopPropagation()
    void run(form, shown)
  })
}

/** The field that is the body of the request. */
const BODY = '[body]'

/** The address of the request: what stands in braces belongs into the path, the rest into the query. */
function targetOf(form: HTMLFormElement): string {
  const query = new URLSearchParams()
  let path = form.dataset.path ?? ''
  for (const [name, value] of new FormData(form)) {
    const text = String(value).trim()
    if (name.startsWith('{')) path = path.replace(name, encodeURIComponent(text))
    else if (name !== 'operation' && name !== BODY && text !== '') query.append(name, text)
  }
  return query.size === 0 ? path : `${path}?${query}`
}

async function run(form: HTMLFormElement, shown: HTMLElement): Promise<void> {
  const part = (selector: string) => shown.querySelector<HTMLElement>(selector)
  const show = (selector: string, text: string) => {
    const element = part(selector)
    if (element !== null) element.textContent = text
  }
  const target = targetOf(form)
  const { method = 'GET' } = form.dataset
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
    show('.body', isCut ? text : indented(text))
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

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
