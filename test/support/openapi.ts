// Reads an OpenAPI document as a client would, and says where an answer is not what it promises.
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

export type Schema = {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}
export type DocumentedParameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description: string
  readonly schema: Schema
  readonly example?: unknown
}
type MediaType = {
  readonly schema?: object
  readonly 'x-itemSchema'?: object
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}
type Header = { readonly required: boolean; readonly schema: Schema }
export type DocumentedResponse = {
  readonly description: string
  readonly headers: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, MediaType>>
}
export type DocumentedOperation = {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters: readonly DocumentedParameter[]
  readonly responses: Readonly<Record<string, DocumentedResponse>>
}

type Node = { readonly [key: string]: Node }
const SCHEMAS = '#/components/schemas/'
const BY_SOCKET = ['date', 'content-length', 'connection']
const decoders: Readonly<Record<string, (body: Uint8Array) => Uint8Array>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

export class Documented {
  readonly document: Node
  readonly operations: readonly DocumentedOperation[]
  readonly #ajv = new Ajv2020({ strictSchema: true, strictTypes: false, strictRequired: false, validateSchema: false })
  readonly #compiled = new Map<object, ValidateFunction>()

  constructor(document: object) {
    this.document = document as Node
    addFormats.default(this.#ajv)
    const schemas = Object.entries(this.document.components?.schemas ?? {})
    for (const [name, schema] of schemas) this.#ajv.addSchema(alone(schema) as object, name)
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

  /** What is wrong with a value by a schema of the document; undefined when nothing is. */
  wrong(schema: object, value: unknown): string | undefined {
    const validate = this.#compiled.get(schema) ?? this.#ajv.compile(alone(schema) as object)
    this.#compiled.set(schema, validate)
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors)
  }

  /** Where an answer is not as documented. */
  async breaches({ responses }: DocumentedOperation, response: Response): Promise<string[]> {
    const documented = responses[response.status]
    if (documented === undefined) return [`${response.status} is not documented`]
    return [...this.#headerBreaches(documented, response), ...(await this.#bodyBreaches(documented, response))]
  }

  #headerBreaches({ headers }: DocumentedResponse, response: Response): string[] {
    const known = [...Object.keys(headers).map((name) => name.toLowerCase()), 'content-type', ...BY_SOCKET]
    const strange = [...response.headers.keys()].filter((name) => !known.includes(name))
    const wrong = Object.entries(headers).flatMap(([name, { required, schema }]) => {
      const given = response.headers.get(name)
      if (given === null) return required ? [`${name} is missing`] : []
      const fault = this.wrong(schema, schema.type === 'integer' ? Number(given) : given)
      return fault === undefined ? [] : [`${name} was ${given}: ${fault}`]
    })
    return [...strange.map((name) => `${name} is not documented`), ...wrong]
  }

  async #bodyBreaches({ content }: DocumentedResponse, response: Response): Promise<string[]> {
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (content === undefined) return bytes.length === 0 ? [] : ['there is a body']
    const type = response.headers.get('Content-Type')?.split(';')[0] ?? ''
    const media = content[type]
    if (media === undefined) return [`a body of type ${type} is not documented`]
    const coding = response.headers.get('Content-Encoding')
    const decoder = coding === null ? undefined : decoders[coding]
    return this.mediaBreaches(type, media, Buffer.from(decoder?.(bytes) ?? bytes).toString())
  }

  mediaBreaches(type: string, { schema, 'x-itemSchema': itemSchema }: MediaType, text: string): string[] {
    if (schema === undefined) return []
    const wrong = this.wrong(schema, type.endsWith('json') && !type.endsWith('ndjson') ? JSON.parse(text) : text)
    const lines = itemSchema === undefined ? [] : text.split('\n').slice(0, -1)
    const ofLines = lines.flatMap((line) => this.wrong(itemSchema as object, JSON.parse(line)) ?? [])
    return wrong === undefined ? ofLines : [wrong, ...ofLines]
  }

  /** With what stands behind its references; schemas are left as they are. */
  #resolved(node: Node): Node {
    if (typeof node !== 'object' || node === null) return node
    if (typeof node.$ref === 'string') return this.#resolved(this.#at(node.$ref))
    if (Array.isArray(node)) return node.map((one) => this.#resolved(one)) as unknown as Node
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, LEFT_ALONE.has(key) ? value : this.#resolved(value)]),
    )
  }

  #at(pointer: string): Node {
    const found = pointer
      .slice(2)
      .split('/')
      .reduce<Node | undefined>((node, key) => node?.[key], this.document)
    if (found === undefined) throw new Error(`there is nothing at ${pointer}`)
    return found
  }
}

const LEFT_ALONE = new Set(['schema', 'x-itemSchema', 'example', 'examples'])

/** A schema out of the document, fit to stand outside of it: it refers to others by their names alone. */
function alone(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(alone)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === '$ref' ? value.replace(SCHEMAS, '') : alone(value)]),
  )
}
