// Reads an OpenAPI document as a client would, and reports where a response is not what it promises.
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { V2_COMMON_HEADERS } from '../../packages/server/src/http/exchange.ts'
import { contentTypeOf } from '../../packages/server/src/query/formats/formats.ts'

export type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}
export type DocumentedParameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly explode?: boolean
  readonly description: string
  readonly schema: Schema
}
type DocumentedResponse = {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly required: boolean; readonly schema: Schema }>>
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}
export type DocumentedOperation = {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly DocumentedParameter[]
  readonly responses: Readonly<Record<string, DocumentedResponse>>
}

export const queryOf = ({ parameters }: DocumentedOperation) => parameters.filter((one) => one.in === 'query')

type Node = { readonly [key: string]: Node }
/** Headers that are not described one by one: the document describes them in prose, or HTTP itself does. */
const GENERIC = [
  ...Object.keys(V2_COMMON_HEADERS),
  ...['Content-Type', 'Content-Encoding', 'Content-Length', 'Content-Disposition', 'Accept-Ranges', 'Cache-Control'],
  ...['X-Release', 'ETag', 'Last-Modified', 'Date', 'Connection', 'Transfer-Encoding'],
].map((name) => name.toLowerCase())
const decoders: Readonly<Record<string, (body: Uint8Array) => Uint8Array>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

export class Documented {
  readonly document: Node
  readonly operations: readonly DocumentedOperation[]
  readonly #ajv = new Ajv2020({ strictSchema: true, strictTypes: false, strictRequired: false, validateSchema: false })
  /** Compiled schemas by their text: most of them stand in many places, and to compile one takes milliseconds. */
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: object) {
    this.document = document as Node
    addFormats.default(this.#ajv)
    for (const [name, schema] of Object.entries(this.document.components?.schemas ?? {})) {
      this.#ajv.addSchema(standalone(schema) as object, name)
      this.#ajv.addSchema(partial(schema) as object, `${name}.partial`)
    }
    this.operations = Object.entries(this.document.paths as Node).map(([path, { get }]) => ({
      ...(this.#resolved(get as Node) as unknown as Omit<DocumentedOperation, 'path'>),
      path,
    }))
  }

  operation(id: string): DocumentedOperation {
    const found = this.operations.find(({ operationId }) => operationId === id)
    if (found === undefined) throw new Error(`there is no operation ${id}`)
    return found
  }

  /** The errors of a value by a schema of the document; undefined if it is valid. */
  wrong(schema: object, value: unknown, isPartial = false): string | undefined {
    const key = `${isPartial} ${JSON.stringify(schema)}`
    const validate = this.#compiled.get(key) ?? this.#ajv.compile((isPartial ? partial : standalone)(schema) as object)
    this.#compiled.set(key, validate)
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors)
  }

  /** The places where a response breaks the document; a partial one may lack fields, and have identifiers in place of records. */
  async breaches({ responses }: DocumentedOperation, response: Response, isPartial = false): Promise<string[]> {
    const documented = responses[response.status] ?? (response.status >= 400 ? responses.default : undefined)
    if (documented === undefined) return [`${response.status} is not documented`]
    const bytes = new Uint8Array(await response.arrayBuffer())
    const decode = decoders[response.headers.get('Content-Encoding') ?? '']
    const body = Buffer.from(bytes.length === 0 ? bytes : (decode?.(bytes) ?? bytes)).toString()
    return [...this.#headerBreaches(documented, response), ...this.#bodyBreaches(documented, response, body, isPartial)]
  }

  #headerBreaches({ headers = {} }: DocumentedResponse, response: Response): string[] {
    const known = [...Object.keys(headers).map((name) => name.toLowerCase()), ...GENERIC]
    const isDescribed = response.status === 200
    const strange = [...response.headers.keys()].filter((name) => isDescribed && !known.includes(name))
    const wrong = Object.entries(headers).flatMap(([name, { required, schema }]) => {
      const given = response.headers.get(name)
      if (given === null) return required ? [`${name} is missing`] : []
      const fault = this.wrong(schema, schema.type === 'integer' ? Number(given) : given)
      return fault === undefined ? [] : [`${name} was ${given}: ${fault}`]
    })
    return [...strange.map((name) => `${name} is not documented`), ...wrong]
  }

  #bodyBreaches({ content, description }: DocumentedResponse, { headers }: Response, body: string, isPartial: boolean) {
    if (content === undefined) return body === '' ? [] : ['there is a body']
    const type = headers.get('Content-Type')?.split(';')[0] ?? ''
    const [[documented = '', media] = []] = Object.entries(content)
    if (media === undefined) return ['no body is described']
    if (type === contentTypeOf('xlsx'))
      return body.startsWith('PK\u0003\u0004') ? [] : ['a workbook that is no archive']
    if (type === 'text/csv') return /^[^\r\n]+\r\n/.test(body) ? [] : ['CSV without a header line']
    if (type === 'application/x-ndjson') {
      const line = media.schema.items ?? this.#schemaAt(media.schema).properties?.changes?.items ?? media.schema
      const lines = body.split('\n').slice(0, -1)
      return lines.flatMap((text) => this.wrong(line, JSON.parse(text), isPartial) ?? [])
    }
    if (type.startsWith('application/geo+json')) {
      const record = media.schema.items ?? media.schema
      const texts = type.endsWith('-seq') ? body.split('\u001e').slice(1) : [body]
      const features = texts.flatMap((text) => JSON.parse(text).features ?? JSON.parse(text))
      return features.flatMap(({ properties }) => this.wrong(record, properties, isPartial) ?? [])
    }
    if (type !== documented) return [`${type} is not documented`]
    const value = type === 'text/plain' ? body : JSON.parse(body)
    if (type === 'application/problem+json' && !description.includes(`\`${value.type.split(':').at(-1)}\``))
      return [`${value.type} is not documented`]
    const fault = this.wrong(media.schema, value, isPartial)
    return fault === undefined ? [] : [fault]
  }

  #schemaAt(schema: Schema): Schema {
    return '$ref' in schema && typeof schema.$ref === 'string' ? (this.#at(schema.$ref) as Schema) : schema
  }

  /** The node with its references replaced by their targets; schemas stay as they are. */
  #resolved(node: Node): Node {
    if (typeof node !== 'object' || node === null) return node
    if (typeof node.$ref === 'string') return this.#resolved(this.#at(node.$ref))
    if (Array.isArray(node)) return node.map((one) => this.#resolved(one)) as unknown as Node
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => {
        if (key !== 'schema') return [key, this.#resolved(value)]
        return [key, 'in' in node ? (this.#valueSchema(value as Schema) as Node) : value]
      }),
    )
  }

  /** The schema of a parameter with what stands behind its references; of several enumerations, all words. */
  #valueSchema(schema: Schema & { readonly anyOf?: readonly Schema[] }): Schema {
    const { anyOf, items, ...rest } = this.#schemaAt(schema) as typeof schema
    const choices = anyOf?.map((one) => this.#valueSchema(one)) ?? []
    return {
      ...rest,
      ...(items === undefined ? {} : { items: this.#valueSchema(items) }),
      ...(choices.length === 0 ? {} : { type: 'string', enum: choices.flatMap((one) => one.enum ?? []) }),
    }
  }

  #at(pointer: string): Node {
    const steps = pointer.slice(2).split('/')
    const found = steps.reduce<Node | undefined>((node, key) => node?.[key], this.document)
    if (found === undefined) throw new Error(`there is nothing at ${pointer}`)
    return found
  }
}

const nameIn = (reference: string) => reference.split('/').at(-1) as string

/** A schema fit to stand outside of the document; it allows no property that is not documented. */
function standalone(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(standalone)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]) => [
    key,
    key === '$ref' && typeof value === 'string' ? nameIn(value) : standalone(value),
  ])
  return { ...Object.fromEntries(entries), ...('properties' in schema ? { additionalProperties: false } : {}) }
}

/** Likewise, of what the parameters fields and embed can leave of a record. */
function partial(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(partial)
  if (typeof schema !== 'object' || schema === null) return schema
  // With embed=id the key of a record stands in its place, or several values of it. A field may have this name too.
  if ('$ref' in schema && typeof schema.$ref === 'string')
    return { anyOf: [{ $ref: `${nameIn(schema.$ref)}.partial` }, { type: ['integer', 'string', 'array'] }] }
  const kept = Object.entries(schema).filter(([key, value]) => !(key === 'required' && Array.isArray(value)))
  const isRecord = 'properties' in schema
  return {
    ...Object.fromEntries(kept.map(([key, value]) => [key, partial(value)])),
    ...(isRecord ? { additionalProperties: false, minProperties: 1 } : {}),
  }
}
