// The Reconciliation Service API 0.2 of the W3C community group, which OpenRefine and others speak: its paths and responses.

import { version } from '../../base/version.ts'
import type { Entity } from '../../catalog/entity.ts'
import type { Release } from '../../release/release.ts'
import {
  CACHE_CONTROL,
  COMMON_HEADERS,
  emptyResponse,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  isRead,
  type RunningJob,
} from '../exchange.ts'
import { NO_SNIFFING } from '../header-fields.ts'
import { otherMethod, withoutSlash } from '../methods.ts'
import { badParameter, ProblemError } from '../problem.ts'
import { allowedAt, RECONCILE_PATH } from '../routes.ts'
import { acceptedEncoding } from '../v2/negotiate.ts'
import { recordPath } from '../v2/record-key.ts'
import { bodyResponse, compressed, MIN_COMPRESSED_BYTES, postedHead } from '../v2/response.ts'
import { candidatesFor } from './candidates.ts'
import { findEntity, type RecordPlace, recordAt, typeOf } from './entity.ts'
import { entityFlyout, PREVIEW_POLICY, PREVIEW_SIZE, previewPage, propertyFlyout, typeFlyout } from './preview.ts'
import { allProperties, PropertyReader, propertiesOf } from './properties.ts'
import {
  type ExtensionQuery,
  entityOfType,
  MAX_QUERIES,
  parseExtension,
  parseForm,
  parseNumber,
  parseQueries,
} from './query.ts'
import { suggestEntities, suggestProperties, suggestTypes } from './suggest.ts'

type ReconcileContext = {
  readonly release: Release
  /** Returns the address of the service for links; throws if the request has none that is valid. */
  readonly baseUrlOf: () => string
  /** The job of the request, in a compute worker. */
  readonly work: RunningJob | undefined
}

type Form = ReadonlyMap<string, string>
type ReconcileHandler = (
  context: ReconcileContext,
  form: Form,
  request: HttpRequest,
) => HttpResponse | Promise<HttpResponse>

/** Handlers by the path that follows that of the service. */
const handlers: ReadonlyMap<string, ReconcileHandler> = new Map<string, ReconcileHandler>([
  ['', respondEndpoint],
  [
    '/suggest/entity',
    json(({ release }, form) => ({ result: suggestEntities(release, typesIn(release, form), prefixIn(form)) })),
  ],
  ['/suggest/property', json(({ release }, form) => ({ result: suggestProperties(release, prefixIn(form)) }))],
  ['/suggest/type', json(({ release }, form) => ({ result: suggestTypes(release, prefixIn(form)) }))],
  ['/flyout/entity', json(({ release }, form) => flyout(form, entityFlyout(release, entityIn(release, form))))],
  ['/flyout/property', json(({ release }, form) => flyout(form, propertyFlyout(propertyIn(release, form))))],
  ['/flyout/type', json(({ release }, form) => flyout(form, typeFlyout(release, typeIn(release, form, 'id'))))],
  ['/properties', json(({ release }, form) => proposeProperties(typeIn(release, form, 'type'), form))],
  ['/preview', respondPreview],
  ['/view', respondView],
])

export function respondReconcile(
  context: ReconcileContext,
  request: HttpRequest,
): HttpResponse | Promise<HttpResponse> {
  const handler = handlers.get(withoutSlash(request.path.slice(RECONCILE_PATH.length)))
  if (handler === undefined)
    throw new ProblemError({ kind: 'not-found', known: [...handlers.keys()].map((path) => `${RECONCILE_PATH}${path}`) })
  const isPosted = request.method === 'POST' && request.body !== undefined
  if (!isRead(request) && !isPosted) return otherMethod(request)
  return handler(context, parseForm(request), request)
}

// The endpoint: what the service offers, batches of queries, and data extension.

function respondEndpoint(
  context: ReconcileContext,
  form: Form,
  request: HttpRequest,
): HttpResponse | Promise<HttpResponse> {
  const { release } = context
  const made = batchFor(context, form)
  if (made !== undefined) return made.then((text) => jsonResponse(context, form, request, text))
  if (request.method === 'POST')
    throw badParameter('queries', '', 'a batch of queries as JSON, in a form (application/x-www-form-urlencoded)')
  return jsonResponse(context, form, request, JSON.stringify(manifest(release, context.baseUrlOf())))
}

/** The JSON of a batch of queries or of a data extension; undefined if the form has neither. */
function batchFor({ release, work }: ReconcileContext, form: Form): Promise<string> | undefined {
  const queries = form.get('queries')
  if (queries !== undefined) return resultBatch(release, parseQueries(queries, release.catalog), work)
  const extend = form.get('extend')
  return extend === undefined ? undefined : extension(release, parseExtension(extend, release.catalog), work)
}

async function resultBatch(
  release: Release,
  batch: ReturnType<typeof parseQueries>,
  work: RunningJob | undefined,
): Promise<string> {
  const members: string[] = []
  for (const [key, query] of batch) {
    await work?.pause()
    members.push(`${JSON.stringify(key)}:${JSON.stringify({ result: candidatesFor(release, query) })}`)
  }
  return `{${members.join(',')}}`
}

async function extension(
  release: Release,
  { ids, properties }: ExtensionQuery,
  work: RunningJob | undefined,
): Promise<string> {
  const meta = properties.map(({ id, owner, field }) => ({
    id,
    name: id,
    ...(field === undefined ? { type: typeOf(owner) } : {}),
  }))
  const names = properties.map(({ id }) => id)
  const rows: string[] = []
  for (const id of new Set(ids)) {
    await work?.pause()
    rows.push(`${JSON.stringify(id)}:${extendedRow(release, id, names)}`)
  }
  return `{"meta":${JSON.stringify(meta)},"rows":{${rows.join(',')}}}`
}

/** An identifier without a record has no values. */
function extendedRow(release: Release, id: string, properties: readonly string[]): string {
  const place = findEntity(release, id)
  const reader = place && new PropertyReader(release, place)
  return JSON.stringify(Object.fromEntries(properties.map((property) => [property, reader?.values(property) ?? []])))
}

function manifest(release: Release, baseUrl: string) {
  const service = `${baseUrl}${RECONCILE_PATH}`
  const entities = [...release.catalog.entities.values()]
  const suggest = (what: string) => ({
    service_url: service,
    service_path: `/suggest/${what}`,
    flyout_service_url: service,
    // Clients put the identifier in the place of the last braces.
    flyout_service_path: `/flyout/${what}?id=\${id}`,
  })
  return {
    versions: ['0.2'],
    name: `Nomenclator (${new URL(baseUrl).host})`,
    identifierSpace: `${service}/view?id=`,
    schemaSpace: `${service}/properties?type=`,
    serviceVersion: version,
    defaultTypes: entities.filter(({ name }) => release.entity(name).count > 0).map(typeOf),
    view: { url: `${service}/view?id={{id}}` },
    preview: { url: `${service}/preview?id={{id}}`, ...PREVIEW_SIZE },
    suggest: { entity: suggest('entity'), property: suggest('property'), type: suggest('type') },
    extend: { propose_properties: { service_url: service, service_path: '/properties' }, property_settings: [] },
    batchSize: MAX_QUERIES,
  }
}

// The other services.

const prefixIn = (form: Form) => ({
  prefix: form.get('prefix') ?? '',
  cursor: parseNumber(form, 'cursor', { min: 0, defaultValue: 0 }),
})

function typesIn({ catalog }: Release, form: Form): Entity[] {
  const type = form.get('type') ?? ''
  return type === '' ? [...catalog.entities.values()] : [entityOfType('type', type, catalog)]
}

const typeIn = ({ catalog }: Release, form: Form, name: string): Entity =>
  entityOfType(name, form.get(name) ?? '', catalog)

function entityIn(release: Release, form: Form): RecordPlace {
  const place = findEntity(release, form.get('id') ?? '')
  if (place !== undefined) return place
  throw new ProblemError({
    kind: 'record-not-found',
    what: 'record with this id',
    hint: 'An id is a collection and the key of a record, such as paises/484.',
  })
}

function propertyIn({ catalog }: Release, form: Form) {
  const property = allProperties(catalog).get(form.get('id') ?? '')
  if (property !== undefined) return property
  const hint = `${RECONCILE_PATH}/suggest/property lists them.`
  throw new ProblemError({ kind: 'record-not-found', what: 'property with this id', hint })
}

const flyout = (form: Form, html: string) => ({ id: form.get('id'), html })

function proposeProperties(entity: Entity, form: Form) {
  const limit = parseNumber(form, 'limit', { min: 1, defaultValue: Number.POSITIVE_INFINITY })
  return {
    type: entity.plural,
    ...(Number.isFinite(limit) ? { limit } : {}),
    properties: [...propertiesOf(entity).values()].slice(0, limit).map(({ id, description }) => ({
      id,
      name: id,
      description,
    })),
  }
}

function respondPreview({ release, baseUrlOf }: ReconcileContext, form: Form, request: HttpRequest): HttpResponse {
  const body = Buffer.from(previewPage(release, entityIn(release, form), baseUrlOf()))
  return response(release, request, body, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': PREVIEW_POLICY,
  })
}

/** The record itself is in API v2. */
function respondView({ release, baseUrlOf }: ReconcileContext, form: Form): HttpResponse {
  const { entity, record } = recordAt(release, entityIn(release, form))
  const Location = `${baseUrlOf()}${recordPath(entity, record)}?facts=true`
  return emptyResponse(303, { ...COMMON_HEADERS, ...NO_SNIFFING, 'Cache-Control': CACHE_CONTROL, Location })
}

// Responses.

function json(make: (context: ReconcileContext, form: Form) => unknown): ReconcileHandler {
  return (context, form, request) => jsonResponse(context, form, request, JSON.stringify(make(context, form)))
}

const CALLBACK = /^[A-Za-z_$][\w$]{0,99}(?:\.[A-Za-z_$][\w$]{0,99}){0,5}$/
/** Line ends in a script of older browsers, but not in JSON. */
const LINE_SEPARATORS = /[\u2028\u2029]/g

/** The text as JSON, or as a script that calls the function that the client names. */
function jsonResponse({ release }: ReconcileContext, form: Form, request: HttpRequest, text: string): HttpResponse {
  const callback = form.get('callback')
  if (callback === undefined)
    return response(release, request, Buffer.from(text), { 'Content-Type': 'application/json' })
  if (!CALLBACK.test(callback)) throw badParameter('callback', callback, 'the name of a function in JavaScript')
  const script = text.replace(LINE_SEPARATORS, (separator) => (separator === '\u2028' ? '\\u2028' : '\\u2029'))
  // The comment keeps the name from being read as the beginning of another kind of file.
  return response(release, request, Buffer.from(`/**/${callback}(${script});`), {
    'Content-Type': 'application/javascript; charset=utf-8',
  })
}

function response(release: Release, request: HttpRequest, body: Uint8Array, given: Headers): HttpResponse {
  const headers = { ...given, Allow: allowedAt(request.path) }
  const accepted = acceptedEncoding(request.headers.get('accept-encoding'))
  if (isRead(request)) {
    const chosen = { release, isNamed: false, isUndated: true }
    return bodyResponse(request, chosen, { format: 'json', encoding: accepted, body, headers })
  }
  const encoding = body.length < MIN_COMPRESSED_BYTES ? undefined : accepted
  const head = postedHead(release, encoding, headers)
  return { status: 200, head, body: encoding === undefined ? body : compressed(body, encoding) }
}
