// The API reference: every resource with its variants, a form that runs them, the fields of a response, and all problems.
import { V1_PATH } from '../../base/api-v1.ts'
import { own } from '../../base/json.ts'
import { memoized } from '../../base/memoized.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Entity } from '../../catalog/entity.ts'
import { ancestorsOf } from '../../catalog/lineage.ts'
import { pathsOf } from '../../catalog/paths.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { badParameter, PROBLEMS, type ProblemKind } from '../../http/problem.ts'
import { OPENAPI_PATH } from '../../http/routes.ts'
import { parameterNamed } from '../../http/v2/parameter.ts'
import { listParameters } from '../../http/v2/parameter-definitions.ts'
import { recordVariables } from '../../http/v2/record-paths.ts'
import type { Release } from '../../release/release.ts'
import type { PageLanguage } from '../language.ts'
import { DOCS_PATH } from '../links.ts'
import { fieldLabel, manyOf, oneOf, stepsLabel } from '../names.ts'
import {
  type Document,
  documentOf,
  listId,
  pathInForm,
  type ReferenceOperation,
  type ReferenceParameter,
  type ReferenceResource,
  type ReferenceSection,
  resolved,
  resourceNamed,
  resourcesOf,
  type ShownSchema,
  sectionOf,
  variablesIn,
} from '../reference.ts'
import { type Examples, examplesOf } from '../reference-examples.ts'
import { codeBlock } from '../snippets.ts'
import { type ExplorerPage, href, parameter, type View } from '../view.ts'
import { filled } from '../words/words.ts'

export const RUN_PATH = `${DOCS_PATH}/run`

/** Every resource of the service; what a list has is on a page of its own, which the script unfolds in place. */
export function docsPage(view: View): ExplorerPage {
  refuseParameters(view)
  const { reference } = view.words
  const { lists, others } = resourcesOf(view.api.catalog)
  const groups = [
    { id: 'lists', title: reference.lists, resources: lists },
    { id: 'others', title: reference.others, resources: others },
  ]
  const link = (id: string, title: string) => html`<li><a href="#${id}">${title}</a></li>`
  return {
    title: reference.title,
    main: html`<div class="reference">
<nav class="contents" aria-label="${reference.contents}">
${groups.map(
  ({ title, resources }) => html`<p>${title}</p><ul>${resources.map((one) => link(one.id, titleOf(view, one)))}</ul>`,
)}<ul>${link('problems', reference.problemsTitle)}</ul></nav>
<div>
<h1>${reference.title}</h1>
<p class="lead">${reference.lead}</p>
<p><a href="${OPENAPI_PATH}">${reference.document}</a></p>
${groups.map(
  ({ id, title, resources }) => html`<section aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${resources.map((one) => foldedResource(view, one))}</section>`,
)}${problemsSection(view)}
</div>
</div>`,
  }
}

const resourceAddress = (view: View, { id }: Pick<ReferenceResource, 'id'>) =>
  href(view, `${DOCS_PATH}/${encodeURIComponent(id)}`)

function foldedResource(view: View, resource: ReferenceResource): Html {
  const address = resourceAddress(view, resource)
  return html`<details class="operation" id="${resource.id}" data-part="${address}"><summary><code>${resource.path}</code> <span class="summary">${titleOf(view, resource)}</span></summary>
<p class="resource"><a href="${address}">${view.words.reference.operations}</a></p></details>
`
}

/** The page of one resource; undefined if the service has none of this name. */
export function resourcePage(catalog: Catalog, id: string): ((view: View) => ExplorerPage) | undefined {
  const resource = resourceNamed(catalog).get(id)
  if (resource === undefined) return undefined
  return (view) => {
    refuseParameters(view)
    const { reference } = view.words
    const title = titleOf(view, resource)
    const document = documentOf(view.api)
    const examples = examplesFor(view.api.release)(view.language, view)
    return {
      title: `${title} · ${reference.title}`,
      main: html`<p><a href="${href(view, DOCS_PATH)}">${reference.title}</a></p>
<h1>${title}</h1>
${resourceSection({ view, document, examples }, sectionOf(document, catalog, resource))}`,
    }
  }
}

function refuseParameters({ pairs }: View): void {
  const [other] = pairs[0] ?? []
  if (other !== undefined) throw badParameter(other, parameter(pairs, other) ?? '', 'no parameter')
}

type Shown = { readonly view: View; readonly document: Document; readonly examples: Examples }

/** Examples are the same for every reader: they are looked for once for each release and language. */
const examplesFor = memoized((_: Release) => memoized((_: PageLanguage, view: View) => examplesOf(view)))

const titleOf = (view: View, { entity, path }: ReferenceResource): string =>
  entity === undefined ? (own(view.words.reference.resources, path) ?? path) : manyOf(view, entity)

function resourceSection(shown: Shown, resource: ReferenceSection): Html {
  const { view } = shown
  const { words } = view
  const { operations } = resource
  const problems = [...new Set(operations.flatMap((one) => one.problems))].sort()
  return html`<div class="resource">
${variantTable(view, resource)}
<div class="halves">${resourceForm(shown, resource)}
<div class="response" hidden><h2>${words.reference.response}</h2><p class="line"><code></code></p><details><summary>${words.reference.headers}</summary><pre tabindex="0"></pre></details><pre class="body" tabindex="0" aria-label="${words.reference.body}"></pre><p class="cut" hidden>${words.reference.cut}</p></div>
</div>
${fieldTables(shown, resource)}
${problems.length > 0 && html`<p class="note">${words.reference.problems}: ${problems.map((status) => html`<a href="${href(view, DOCS_PATH)}#status-${status}">${status}</a> `)}</p>`}
</div>`
}

/** All operations on a resource. */
const variantTable = (view: View, resource: ReferenceSection): Html =>
  html`<div class="scroll"><table class="variants"><tbody>${resource.operations.map(
    (one) =>
      html`<tr id="${one.id}"><td><span class="method">${one.method.toUpperCase()}</span></td><th scope="row"><code>${one.path}</code></th><td>${summaryOf(view, resource, one)}</td></tr>`,
  )}</tbody></table></div>`

/** A sentence on an operation, from its path. */
function summaryOf(
  view: View,
  { entity, path: base }: ReferenceSection,
  { path, method, summary }: ReferenceOperation,
): string {
  const { summaries } = view.words.reference
  const { collections } = view.api.catalog
  if (entity === undefined) {
    const ofV1 = path === V1_PATH ? undefined : collections.get(path.slice(V1_PATH.length + 1))
    if (base === V1_PATH && ofV1 !== undefined) return filled(summaries.listV1, manyOf(view, ofV1))
    return method === 'post' ? summaries.posted : (own(summaries.paths, path) ?? summary)
  }
  const [, , , first = '', ...rest] = path.split('/')
  const isAll = rest.at(-1) === 'all'
  const last = isAll ? rest.at(-2) : rest.at(-1)
  const form = isAll ? summaries.all : summaries.list
  if (rest.length === 0 || (isAll && rest.length === 1)) return form
  const around = summaries.around[last ?? '']
  if (around !== undefined && collections.get(first) === entity) return `${around}: ${form}`
  const parent = collections.get(first)
  if (last === entity.plural && parent !== undefined) return `${filled(summaries.below, oneOf(view, parent))}: ${form}`
  return summaries.record
}

/** One form for all variants: of what is given in it, each takes what belongs to it. */
function resourceForm(shown: Shown, resource: ReferenceSection): Html {
  const { path, entity, operations } = resource
  const { view, examples } = shown
  const { words } = view
  const fields = fieldsOf(operations)
  const isFilter = ({ parameter: { name, in: place } }: FormField) =>
    place === 'query' && entity !== undefined && filterOf(entity, name) !== undefined
  const filters = fields.filter(isFilter)
  const others = fields.filter((one) => !isFilter(one))
  const field = (one: FormField) => inputFor(shown, resource, one)
  const posted = operations.flatMap(({ method }, at) => (method === 'post' ? [at] : []))
  const option = ({ id, path: target, method }: ReferenceOperation) =>
    html`<option value="${id}" data-path="${pathInForm(target)}" data-method="${method.toUpperCase()}"${method === 'post' && html` disabled`}>${method.toUpperCase()} ${target}</option>`
  return html`<form action="${RUN_PATH}" data-running="${words.reference.running}" data-failed="${words.reference.failed}">
<label${operations.length === 1 && html` hidden`}><span>${words.reference.variant}</span><select name="operation">${operations.map(option)}</select></label>
<div class="fields">${others.map(field)}</div>
${filters.length > 0 && html`<details class="filters"><summary>${filled(words.reference.filters, String(filters.length))}</summary><div class="fields">${filters.map(field)}</div></details>`}
${posted.length > 0 && bodyField(view, path, examples, posted)}
<p><button type="submit">${words.reference.run}</button></p>
</form>`
}

/** A field of a form, and which of the variants take it. */
type FormField = {
  readonly name: string
  readonly parameter: ReferenceParameter
  /** The list that a variable of a path belongs to. */
  readonly list?: string
  readonly variants: readonly number[]
}

function fieldsOf(operations: readonly ReferenceOperation[]): FormField[] {
  const fields = new Map<string, FormField>()
  for (const [variant, { path, parameters }] of operations.entries()) {
    const variables = variablesIn(path)
    let at = 0
    for (const one of parameters) {
      const variable = one.in === 'path' ? variables[at++] : undefined
      const name = variable?.input ?? one.name
      const variants = [...(fields.get(name)?.variants ?? []), variant]
      fields.set(name, { name, parameter: one, ...(variable && { list: variable.list }), variants })
    }
  }
  return [...fields.values()]
}

/** The rows to send. A form cannot send JSON by itself, so there is also a line to copy. */
function bodyField(view: View, path: string, examples: Examples, variants: readonly number[]): Html {
  const { words, baseUrl } = view
  const body = examples.given('body')
  // An apostrophe would end the quotes of the shell.
  const curl = `curl -H 'Content-Type: application/json' -d '${body.replaceAll("'", '\\u0027')}' '${baseUrl}${path}'`
  return html`<div data-for="${variants.join(' ')}"><label><span><code>${words.reference.requestBody}</code> <em>${words.reference.required}</em></span> <small>${filled(words.reference.rows, exampleParts(view))}</small><textarea name="${BODY}" rows="3" required spellcheck="false">${body}</textarea></label>
${codeBlock(view, curl, 'curl')}</div>`
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

const filterOf = (entity: Entity, name: string) => parameterNamed(listParameters(entity), name)?.filter

/** Few records, so that a response is read at a glance. */
const EXAMPLE_PER_PAGE = '5'

function inputFor(shown: Shown, resource: ReferenceSection, field: FormField): Html {
  const { view, document, examples } = shown
  const { words } = view
  const { name, parameter: one, list } = field
  const schema = resolved<ShownSchema>(document, one.schema)
  const isRequired = one.required === true
  const isOfList = resource.entity !== undefined
  const known = isOfList && list === undefined && one.name !== 'q' ? '' : examples.given(one.name)
  const example = (list !== undefined && examples.inPath(list, one.name)) || known
  // A parameter that narrows a list has its example as a hint only.
  const isGiven = isRequired || (!isOfList && one.name !== 'within')
  const value = one.name === 'per_page' ? EXAMPLE_PER_PAGE : isGiven ? example : ''
  const notes = [
    one.in === 'path' ? words.reference.inPath : isRequired ? words.reference.required : undefined,
    schema.default === undefined ? undefined : filled(words.reference.byDefault, String(schema.default)),
  ].filter((note) => note !== undefined)
  const isForAll = field.variants.length === resource.operations.length
  return html`<label${!isForAll && html` data-for="${field.variants.join(' ')}"`}><span><code>${one.name}</code>${notes.length > 0 && html` <em>${notes.join(', ')}</em>`}</span> <small>${parameterText(view, resource, field)}</small>${control(view, name, schema, { value, placeholder: example || (schema.examples?.[0] ?? ''), isRequired })}</label>
`
}

function parameterText(view: View, { id, entity }: ReferenceSection, { parameter: one, list }: FormField): Content {
  const { parameters } = view.words.reference
  const known = own(parameters, `${entity === undefined ? id : 'list'} ${one.name}`) ?? own(parameters, one.name)
  return known ?? fieldText(view, entity, one, list) ?? html`<span lang="en">${one.description}</span>`
}

/** The explanation of a parameter for a field; undefined if the document has it in the language of the page. */
function fieldText(
  view: View,
  entity: Entity | undefined,
  { name, in: place }: ReferenceParameter,
  list: string | undefined,
): string | undefined {
  const { words, language, api } = view
  const { entities, collections } = api.catalog
  if (place === 'path') {
    const inList = collections.get(list ?? '')
    const owner = [...entities.values()].find((one) => recordVariables(one).at(-1)?.[0] === name)
    const identified = inList ?? owner
    return identified && filled(words.reference.identifierOf, oneOf(view, identified))
  }
  if (entity === undefined) return entities.has(name) ? words.reference.partOfRow : undefined
  const filter = filterOf(entity, name)
  if (language.code === 'en' || filter === undefined) return undefined
  return filled(words.reference.filterBy, filterText(view, entity, filter))
}

type Filter = NonNullable<ReturnType<typeof filterOf>>

const BOUNDS: Readonly<Record<string, string>> = { min: ' min', max: ' max', begins: ' prefix' }

function filterText(view: View, entity: Entity, { path, match }: Filter): string {
  return `${stepsLabel(view, entity, path.steps)}${own(BOUNDS, match) ?? ''}`
}

type Given = { readonly value: string; readonly placeholder: string; readonly isRequired: boolean }

function control({ words }: View, name: string, schema: ShownSchema, { value, placeholder, isRequired }: Given): Html {
  const required = isRequired && html` required`
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum
  if (choices !== undefined && schema.type !== 'array')
    return html`<select name="${name}"${required}><option value="">${words.reference.any}</option>${choices.map((choice) => html`<option>${choice}</option>`)}</select>`
  const isWhole = schema.type === 'integer'
  return html`<input name="${name}" value="${value}"${isWhole && html` inputmode="numeric"`}${placeholder !== '' && html` placeholder="${placeholder}"`}${required} autocomplete="off">`
}

// The fields of a response.

type FieldRow = { readonly name: Content; readonly type: Content; readonly meaning: Content }

function fieldTables(shown: Shown, { entity, operations }: ReferenceSection): Html {
  const { view, document } = shown
  if (entity !== undefined) return fieldTable(view, undefined, recordRows(view, entity))
  const schemas = new Map<ShownSchema, ReferenceOperation>()
  for (const one of operations) {
    const schema = one.schema && membersOf(document, one.schema)
    if (schema !== undefined && !schemas.has(schema)) schemas.set(schema, one)
  }
  return html`${[...schemas].map(([schema, { path }]) =>
    fieldTable(view, schemas.size > 1 ? path : undefined, memberRows(view, schema)),
  )}`
}

/** The schema of the object that a response is or lists; lists of records have entries of their own. */
function membersOf(document: Document, schema: ShownSchema): ShownSchema | undefined {
  const { $ref = '' } = schema.items ?? schema
  const one = resolved<ShownSchema>(document, schema.items ?? schema)
  return one.properties === undefined || $ref === '' || isRecord(document, one) ? undefined : one
}

const isRecord = ({ components }: Document, schema: ShownSchema): boolean =>
  Object.entries(components.schemas).some(([name, one]) => one === schema && `${name}Field` in components.schemas)

const fieldTable = ({ words }: View, caption: string | undefined, rows: readonly FieldRow[]): Html =>
  html`<h2>${words.reference.responseFields}${caption !== undefined && html`: <code>${caption}</code>`}</h2>
<div class="scroll"><table class="response-fields">
<thead><tr><th scope="col">${words.reference.field}</th><th scope="col">${words.reference.type}</th><th scope="col">${words.reference.meaning}</th></tr></thead>
<tbody>${rows.map(({ name, type, meaning }) => html`<tr><th scope="row"><code>${name}</code></th><td>${type}</td><td>${meaning}</td></tr>`)}</tbody></table></div>`

/** The members of a record, each with what it is called here; what it embeds has an entry of its own. */
function recordRows(view: View, entity: Entity): FieldRow[] {
  const { reference } = view.words
  const own = [...pathsOf(entity).values()].filter(({ steps }) => steps.length === 1)
  return own.map(({ steps, field, numeric }) => {
    const [name = ''] = steps
    const notes = [
      ...(field.kind === 'fact' ? [reference.withFacts] : []),
      ...('optional' in field && field.optional ? [reference.mayBeNull] : []),
    ]
    const type = field.kind === 'fact' || field.kind === 'value' ? field.type : numeric ? 'integer' : 'text'
    const meaning = field.kind === 'derived' ? derivedLabel(view, entity, name) : fieldLabel(view, entity, name)
    return {
      name,
      type:
        field.kind === 'embed'
          ? html`<a href="${resourceAddress(view, { id: listId(field.entity) })}">${reference.types.record}</a>`
          : (reference.types[type] ?? type),
      meaning: [meaning, ...notes].join('; '),
    }
  })
}

const derivedLabel = (view: View, entity: Entity, name: string): string => {
  const label = stepsLabel(view, entity, [name])
  return label === name ? view.words.reference.officialCode : label
}

function memberRows(view: View, { properties = {} }: ShownSchema): FieldRow[] {
  const { members, types } = view.words.reference
  const { collections } = view.api.catalog
  return Object.entries(properties).map(([name, schema]) => {
    const [first = 'object'] = [schema.anyOf?.[0]?.type ?? schema.type ?? 'string'].flat()
    const list = collections.get(name)
    const described = schema.description === undefined ? '' : html`<span lang="en">${schema.description}</span>`
    return {
      name,
      type: own(types, first) ?? first,
      meaning: own(members, name) ?? (list === undefined ? described : manyOf(view, list)),
    }
  })
}

// Problems.

function problemsSection({ words }: View): Html {
  const kinds = Object.entries(PROBLEMS) as [ProblemKind, readonly [number, string, ...unknown[]]][]
  const isFirst = (at: number) => kinds[at - 1]?.[1][0] !== kinds[at]?.[1][0]
  return html`<section aria-labelledby="problems"><h2 id="problems">${words.reference.problemsTitle}</h2>
<p>${words.reference.problemsText}</p>
<div class="scroll"><table class="response-fields"><thead><tr><th scope="col">${words.reference.status}</th><th scope="col">type</th><th scope="col">${words.reference.meaning}</th></tr></thead>
<tbody>${kinds.map(([kind, [status]], at) => {
    const { title, advice } = words.problems[kind]
    return html`<tr${isFirst(at) && html` id="status-${status}"`}><td>${status}</td><th scope="row"><code>${kind}</code></th><td>${title}. ${advice}</td></tr>`
  })}</tbody></table></div></section>`
}
