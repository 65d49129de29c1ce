// The parts of an OpenAPI document that several operations share, each written down once.

export type Json = { readonly [key: string]: unknown }

const SECTIONS = ['schemas', 'parameters', 'headers', 'responses'] as const

export class Parts {
  readonly #sections = new Map<string, Map<string, Json>>(SECTIONS.map((section) => [section, new Map()]))

  readonly #made = new Map<unknown, Json>()

  /** What was made for the same key before, or is made now: most operations have most of their parts in common. */
  once(key: unknown, make: () => Json): Json {
    const made = this.#made.get(key) ?? make()
    this.#made.set(key, made)
    return made
  }

  /** A reference to a part. Where another one has its name already, it gets a number. */
  share(section: Exclude<(typeof SECTIONS)[number], 'schemas'>, name: string, part: Json): Json {
    const known = this.#sections.get(section) as Map<string, Json>
    let key = name
    for (let number = 2; known.has(key) && !Bun.deepEquals(known.get(key), part); number++) key = `${name}-${number}`
    known.set(key, part)
    return { $ref: `#/components/${section}/${key}` }
  }

  /** Likewise for a schema, of which there is one of a name; it is made when it is first referred to. */
  schema(name: string, make: () => Json): Json {
    const schemas = this.#sections.get('schemas') as Map<string, Json>
    if (!schemas.has(name)) schemas.set(name, make())
    return { $ref: `#/components/schemas/${name}` }
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
