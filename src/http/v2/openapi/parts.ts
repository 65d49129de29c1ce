// The parts of an OpenAPI document that several operations share, each written down once.

export type Json = { readonly [key: string]: unknown }

const SECTIONS = ['schemas', 'parameters', 'headers', 'responses'] as const
type Section = (typeof SECTIONS)[number]

export class Parts {
  readonly #sections = new Map<Section, Map<string, Json>>(SECTIONS.map((section) => [section, new Map()]))

  /** A reference to a part. Where another one has its name already, it gets a number. */
  share(section: Section, name: string, part: Json): Json {
    const known = this.#sections.get(section) as Map<string, Json>
    let key = name
    for (let number = 2; known.has(key) && !Bun.deepEquals(known.get(key), part); number++) key = `${name}-${number}`
    known.set(key, part)
    return { $ref: `#/components/${section}/${key}` }
  }

  schema(name: string, schema: Json): Json {
    return this.share('schemas', name, schema)
  }

  all(): Json {
    return Object.fromEntries(
      [...this.#sections].map(([section, parts]) => [section, Object.fromEntries([...parts].sort(byName))]),
    )
  }
}

const byName = ([a]: readonly [string, Json], [b]: readonly [string, Json]) => (a < b ? -1 : 1)

/** A JSON object with exactly these properties, and none left out but the optional ones. */
export const object = (properties: Json, optional: readonly string[] = []): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

export const listOf = (items: Json): Json => ({ type: 'array', items })
export const text = (description: string, more: Json = {}): Json => ({ type: 'string', description, ...more })
export const uri = (description: string): Json => text(description, { format: 'uri' })
export const uriTemplate = (description: string): Json => text(description, { format: 'uri-template' })
