// The API reference, rendered from the OpenAPI document: every operation with a form that runs it.
import { V1_PATH } from '../../base/api-v1.ts'
import { memoized } from '../../base/memoized.ts'
import { broaderOf, type Entity } from '../../catalog/entity.ts'
import type { PublishedRecord } from '../../catalog/flatten.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { badParameter } from '../../http/problem.ts'
import { OPENAPI_PATH, V2_PATH } from '../../http/routes.ts'
import { listParameters, parameterNamed } from '../../http/v2/parameter-definitions.ts'
import { recordVariables } from '../../http/v2/paths.ts'
import type { Release } from '../../release/release.ts'
import type { ApiReader } from '../api-reader.ts'
import type { Language } from '../language.ts'
import { DOCS_PATH, keySegments, type Pairs, withQuery } from '../links.ts'
import { fieldWithin, manyOf, nameOf, oneOf } from '../names.ts'
import { copyButton } from '../snippets.ts'
import { type Page, parameter, type View } from '../view.ts'

/** As much of an OpenAPI document as is shown. */
type Document = {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, { readonly description: string }>>
  }
}

const METHODS = ['get', 'post'] as const
type Method = (typeof METHODS)[number]

/** An operation where it is. */
type Offered = { readonly path: string; readonly method: Method; readonly operation: Operation }

const operationsIn = ({ paths }: Document): Offered[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      const operation = operations[method]
      return operation === undefined ? [] : [{ path, method, operation }]
    }),
  )

type Operation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters: readonly (Parameter | Reference)[]
  readonly responses: Readonly<Record<string, Reference | { readonly description: string }>>
}

type Reference = { readonly $ref: string }
type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | number)[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: string | number | boolean
  readonly examples?: readonly string[]
  readonly items?: Schema | Reference
}
type Parameter = {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly description: string
  readonly required?: boolean
  readonly schema: Schema | Reference
}

export const RUN_PATH = `${DOCS_PATH}/run`

export function docsPage(view: View): Page {
  const { words, pairs } = view
  const [other] = pairs[0] ?? []
  if (other !== undefined) throw badParameter(other, parameter(pairs, other) ?? '', 'no parameter')
  const { contents, sections } = referenceOf(view.api.release)(view.language, view)
  return {
    title: words.reference.title,
    main: html`<div class="reference">
<nav class="contents" aria-label="${words.reference.contents}">${contents}</nav>
<div>
<h1>${words.reference.title}</h1>
<p class="lead">${words.reference.lead}</p>
<p><a href="${OPENAPI_PATH}">${words.reference.document}</a></p>
${sections}
</div>
</div>`,
  }
}

type RenderedReference = { readonly contents: Html; readonly sections: Html }

/** The reference is the same for every reader, and the document is large: it is rendered once for each release and language. */
const referenceOf = memoized((_: Release) =>
  memoized((_: Language, view: View) => renderReference(view, documentOf(view.api))),
)

const documentOf = (api: ApiReader) => api.openapi() as unknown as Document

function renderReference(view: View, document: Document): RenderedReference {
  const { words } = view
  const operations = operationsIn(document)
  // An operation may have the tag of its package besides that of its kind.
  const groups = document.tags
    .map(({ name }) => ({
      id: `tag-${name.toLowerCase().replaceAll(' ', '-')}`,
      title: words.reference.tags[name] ?? name,
      members: operations.filter(({ operation }) => operation.tags[0] === name),
    }))
    .filter(({ members }) => members.length > 0)
  const examples = exampleValues(view)
  return {
    contents: html`<ul>${groups.map(({ id, title, members }) => html`<li><a href="#${id}">${title}</a> <span class="figure">${members.length}</span></li>`)}</ul>`,
    sections: html`${groups.map(
      ({ id, title, members }) => html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${members.map((offered) => operationSection(view, document, offered, examples))}</section>`,
    )}`,
  }
}

function operationSection(view: View, document: Document, offered: Offered, examples: Examples): Html {
  const { path, method, operation } = offered
  const { words } = view
  const { operationId } = operation
  const parameters = operation.parameters.map((one) => resolved(document, one) as Parameter)
  const entity = entityAt(view, path)
  const isFilter = ({ name, in: place }: Parameter) =>
    place === 'query' && entity !== undefined && filterOf(entity, name) !== undefined
  const filters = parameters.filter(isFilter)
  const others = parameters.filter((one) => !isFilter(one))
  const field = (one: Parameter) => inputFor(view, document, operationId, one, entity, examples)
  const problems = Object.entries(operation.responses).filter(([status]) => /^[45]/.test(status))
  return html`<details class="operation" id="${operationId}"><summary><span class="method">${method.toUpperCase()}</span> <code>${path}</code> <span class="summary">${summaryOf(view, offered) ?? operation.summary}</span></summary>
<div class="halves"><form action="${RUN_PATH}" data-path="${path}" data-method="${method.toUpperCase()}" data-running="${words.reference.running}" data-failed="${words.reference.failed}">
<input type="hidden" name="operation" value="${operationId}">
<div class="fields">${others.map(field)}</div>
${filters.length > 0 && html`<details class="filters"><summary>${words.reference.filters(String(filters.length))}</summary><div class="fields">${filters.map(field)}</div></details>`}
${method === 'post' && bodyField(view, path, examples)}
<p><button type="submit"${method === 'post' && html` hidden`}>${words.reference.run}</button></p>
${problems.length > 0 && html`<p class="note">${words.reference.problems}: ${problems.map(([status]) => html`<code>${status}</code> `)}</p>`}
</form>
<div class="response" hidden><h3>${words.reference.response}</h3><p class="line"><code></code></p><details><summary>${words.reference.headers}</summary><pre tabindex="0"></pre></details><pre class="body" tabindex="0" aria-label="${words.reference.body}"></pre><p class="cut" hidden>${words.reference.cut}</p></div>
</div></details>
`
}

/** The rows to send. A form cannot send JSON by itself, so there is also a line to copy. */
function bodyField(view: View, path: string, examples: Examples): Html {
  const { words, baseUrl } = view
  const body = JSON.stringify([{ q: examples.get('q') ?? '' }])
  // An apostrophe would end the quotes of the shell.
  const curl = `curl -H 'Content-Type: application/json' -d '${body.replaceAll("'", '\\u0027')}' '${baseUrl}${path}'`
  return html`<label><span><code>${words.reference.requestBody}</code> <em>${words.reference.required}</em></span> <small>${words.reference.rows(exampleParts(view))}</small><textarea name="${BODY}" rows="3" required spellcheck="false">${body}</textarea></label>
<div class="code"><pre tabindex="0"><code>${curl}</code></pre>${copyButton(view, curl, 'curl')}</div>`
}

const PARTS = 2

/** Names of lists whose parts a row may have, the first of those that others belong to. */
function exampleParts({ api }: View): string {
  const entities = [...api.catalog.entities.values()]
  const parents = entities.filter((entity) => ancestorsOf(entity).length > 0)
  return (parents.length > 0 ? parents : entities)
    .slice(0, PARTS)
    .map(({ name }) => name)
    .join(', ')
}

/** The field of a form that is the body of the request: no parameter has such a name. */
const BODY = '[body]'

/** What an operation does, told by its path; undefined where the document has to tell it. */
function summaryOf(view: View, { path, method }: Offered): string | undefined {
  const { summaries } = view.words.reference
  if (method === 'post') return summaries.posted
  if (path === OPENAPI_PATH) return summaries.openapi
  if (path === V1_PATH) return summaries.v1
  if (path === V2_PATH) return summaries.index
  const { collections } = view.api.catalog
  const [, , , first = '', second, third, fourth] = path.split('/')
  const entity = collections.get(first)
  if (entity === undefined) {
    const fixed: Readonly<Record<string, string>> = {
      search: summaries.search,
      resolve: summaries.resolve,
      changes: summaries.changes,
      releases: summaries.releases,
    }
    return first === 'releases' && second !== undefined ? summaries.release : fixed[first]
  }
  if (second === undefined) return summaries.list(manyOf(view, entity))
  if (second === 'all') return summaries.all(manyOf(view, entity))
  if (third === undefined) return summaries.record(oneOf(view, entity))
  const around = summaries.around[third]
  if (around !== undefined && broaderOf(entity) !== undefined) return around(manyOf(view, entity))
  const child = collections.get(third)
  if (child === undefined) return undefined
  if (fourth === undefined) return summaries.children(manyOf(view, child), oneOf(view, entity))
  if (fourth === 'all') return summaries.allChildren(manyOf(view, child), oneOf(view, entity))
  return summaries.record(oneOf(view, child))
}

/** The entity whose records an operation gives. */
function entityAt({ api }: View, path: string): Entity | undefined {
  const { collections } = api.catalog
  const named = path.split('/').flatMap((segment) => collections.get(segment) ?? [])
  return named.at(-1)
}

const filterOf = (entity: Entity, name: string) => parameterNamed(listParameters(entity), name)?.filter

function resolved(document: Document, one: object): object {
  if (!('$ref' in one)) return one
  const [, , section = '', ...rest] = String(one.$ref).split('/')
  const group = document.components[section as keyof Document['components']] as Readonly<Record<string, object>>
  return resolved(document, group[rest.join('/')] as object)
}

/** The name of an input in the form: those of the path are told from those of the query by braces. */
const inputName = ({ name, in: place }: Parameter) => (place === 'path' ? `{${name}}` : name)

function inputFor(
  view: View,
  document: Document,
  operationId: string,
  one: Parameter,
  entity: Entity | undefined,
  examples: Examples,
): Html {
  const { words } = view
  const schema = resolved(document, one.schema) as Schema
  const isRequired = one.required === true
  const example = isRequired ? (examples.get(`${operationId} ${one.name}`) ?? examples.get(one.name) ?? '') : ''
  const notes = [
    one.in === 'path' ? words.reference.inPath : isRequired ? words.reference.required : undefined,
    schema.default === undefined ? undefined : words.reference.byDefault(String(schema.default)),
  ].filter((note) => note !== undefined)
  const known =
    (entity === undefined ? undefined : words.reference.parameters[`list ${one.name}`]) ??
    words.reference.parameters[one.name]
  const text: Content = known ?? fieldText(view, entity, one) ?? html`<span lang="en">${one.description}</span>`
  return html`<label><span><code>${one.name}</code>${notes.length > 0 && html` <em>${notes.join(', ')}</em>`}</span> <small>${text}</small>${control(view, inputName(one), schema, example, isRequired)}</label>
`
}

/** What is to be given for a field of a record; undefined where the document tells it in the language of the page. */
function fieldText(view: View, entity: Entity | undefined, { name, in: place }: Parameter): string | undefined {
  const { words, language, api } = view
  const entities = api.catalog.entities
  if (place === 'path') {
    const identified = [...entities.values()].find((one) => recordVariables(one).at(-1)?.[0] === name)
    return identified && words.reference.identifierOf(oneOf(view, identified))
  }
  if (entity === undefined) return entities.has(name) ? words.reference.partOfRow : undefined
  const filter = filterOf(entity, name)
  if (language.code === 'en' || filter === undefined) return undefined
  return words.reference.filterBy(filterText(view, entity, filter))
}

type Filter = NonNullable<ReturnType<typeof filterOf>>

const BOUNDS: Readonly<Record<string, string>> = { min: ' min', max: ' max', begins: ' prefix' }

function filterText(view: View, entity: Entity, { path, match }: Filter): string {
  const labels: string[] = []
  let at: Entity | undefined = entity
  for (const step of path.steps) {
    if (at === undefined) break
    labels.push(fieldWithin(view, at, step))
    const field: Entity['fields'][string] | undefined = at.fields[step]
    at = field?.kind === 'embed' ? field.entity : undefined
  }
  return `${labels.join(' · ')}${BOUNDS[match] ?? ''}`
}

function control({ words }: View, name: string, schema: Schema, value: string, isRequired: boolean): Html {
  const required = isRequired && html` required`
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum
  if (choices !== undefined && schema.type !== 'array')
    return html`<select name="${name}"${required}><option value="">${words.reference.any}</option>${choices.map((choice) => html`<option>${choice}</option>`)}</select>`
  const isWhole = schema.type === 'integer'
  return html`<input name="${name}" value="${value}"${isWhole && html` inputmode="numeric"`}${schema.examples?.[0] !== undefined && html` placeholder="${schema.examples[0]}"`}${required} autocomplete="off">`
}

/** Values for what must be given, by its name, so that every operation can be run as it stands. */
type Examples = ReadonlyMap<string, string>

function exampleValues(view: View): Examples {
  const { api } = view
  const examples = new Map<string, string>([
    ['digest', api.release.digest],
    ['from', api.releases().at(-1)?.digest ?? api.release.digest],
  ])
  for (const entity of api.catalog.entities.values()) {
    const [record] = api.list(entity, [['per_page', '1']]).records
    if (record === undefined) continue
    const segments = keySegments(entity, record as PublishedRecord)
    for (const [at, [name]] of recordVariables(entity).entries()) examples.set(name, segments[at] ?? '')
    examples.set('q', nameOf(view, entity, record).slice(0, 40))
  }
  return examples
}

/** Where a form without a script leads: to the response itself. */
export function runTarget(api: ApiReader, pairs: Pairs): string {
  const document = documentOf(api)
  const id = parameter(pairs, 'operation')
  const found = operationsIn(document).find(({ method, operation }) => method === 'get' && operation.operationId === id)
  if (found === undefined)
    throw badParameter('operation', id ?? '', 'the name of a GET operation of the OpenAPI document')
  const path = found.path.replaceAll(/\{[^}]+\}/g, (name) => encodeURIComponent(parameter(pairs, name) ?? ''))
  return withQuery(
    path,
    pairs.filter(([name, value]) => value !== '' && name !== 'operation' && !name.startsWith('{')),
  )
}
