// Makes a descriptor of what stands in a file: version 2 of the standard, version 1, and the forms before them that are still found.
import { isObject, type JsonObject } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import { either, parse, type Schema } from '../../base/schema.ts'
import { address, line, packageName, paragraph } from '../../base/texts.ts'
import { slugOf } from '../../catalog/slug.ts'
import type { Faults } from '../faults.ts'
import type { Findings } from '../findings.ts'
import type { Constraints, Descriptor, ForeignKey, Resource, TableField, TableSchema } from './descriptor.ts'
import type { PlaceOf } from './descriptor-text.ts'
import {
  booleanOf,
  categoriesOf,
  contributorOf,
  dialectOf,
  isAddress,
  languageOf,
  licenseOf,
  listOf,
  MAX_ITEMS,
  missingValuesOf,
  optional,
  ownProperties,
  sourceOf,
  TYPE_ALIASES,
  TYPES,
  textOf,
  texts,
  textsOf,
  wholeOf,
} from './descriptor-values.ts'
import { patternCheck } from './pattern.ts'
import { type OnInvalid, obeyedElsewhere, obeyedOfField, obeyedOfList, PREFIX } from './profile.ts'
import type { ValuePath } from './read/json-syntax.ts'

const MAX_RESOURCES = 1_000
const MAX_FIELDS = 1_000
const MAX_NAME = 200

type DescriptorContext = {
  /** The name of the file in messages. */
  readonly file: string
  /** What the package is called if it does not say so: the directory or file that it is in. */
  readonly fallbackName: string
  readonly faults: Faults
  readonly findings: Findings
  readonly placeOf?: PlaceOf
}

/** What a resource may call the place of its table. */
const PATH_NAMES = ['path', 'url', 'file'] as const

/** Where a path of a resource stands in the descriptor. */
export function placeOfPath(placeOf: PlaceOf, resource: number, path: number): ReturnType<PlaceOf> {
  for (const name of PATH_NAMES) {
    const place = placeOf(['resources', resource, name, path]) ?? placeOf(['resources', resource, name])
    if (place !== undefined) return place
  }
  return undefined
}

/** Undefined where nothing can be made of it, which is then among the faults. */
export function parseDescriptor(value: unknown, context: DescriptorContext): Descriptor | undefined {
  const { file, faults } = context
  const refuse = (column: string, found: unknown, expected: string) => {
    faults.add({ file, line: 1, column, value: found, expected })
    return undefined
  }
  if (!isObject(value)) return refuse('all', value, 'an object with a list of resources')
  const { resources } = value
  if (!Array.isArray(resources) || resources.length === 0)
    return refuse('resources', resources, 'a list of at least one resource')
  if (resources.length > MAX_RESOURCES)
    return refuse('resources', `${resources.length} resources`, `at most ${MAX_RESOURCES}`)
  return new DescriptorParser(context).descriptor(value, resources)
}

/** A schema or a dialect that stands in a file of its own. */
export const parseSchema = (value: unknown, context: DescriptorContext): TableSchema | undefined =>
  new DescriptorParser(context).schema(value, 'schema', [])

const PACKAGE_PROPERTIES = [
  ...['name', 'title', 'description', 'version', 'homepage', 'licenses', 'sources', 'keywords', 'contributors'],
  ...['resources', 'created', 'image', 'id', 'profile', '$schema', 'license', 'language', 'languages'],
]
const RESOURCE_PROPERTIES = [
  ...['name', 'title', 'description', 'path', 'data', 'schema', 'dialect', 'encoding', 'compression', 'format'],
  ...['mediatype', 'bytes', 'hash', 'sources', 'licenses', 'type', 'profile', '$schema', 'language', 'lang'],
]
const SCHEMA_PROPERTIES = ['fields', 'primaryKey', 'foreignKeys', 'missingValues', 'fieldsMatch', 'uniqueKeys']

const CONTRIBUTORS = ['contributors', 'author', 'authors', 'publisher', 'maintainer', 'maintainers']

/** An address, or the name of a file of the package. */
const place = either((value) => typeof value === 'string' && isAddress(value), address, line)
const ABOUT = { title: line, description: paragraph }
const LICENSE = { name: line, title: line, path: place }
const SOURCE = { title: line, path: place, email: line }
const CONTRIBUTOR = { ...SOURCE, organization: line }

class DescriptorParser {
  readonly #context: DescriptorContext

  constructor(context: DescriptorContext) {
    this.#context = context
  }

  descriptor(value: JsonObject, resources: readonly unknown[]): Descriptor {
    this.#tellMisspelt(value, PACKAGE_PROPERTIES, 'the package', [])
    const own = obeyedElsewhere(ownProperties(value), this.#objection('the package', []))
    const names = new Set<string>()
    return {
      name: this.#packageName(value),
      ...this.#classified(value, { title: line, description: paragraph, homepage: address, version: line }, []),
      ...optional('language', languageOf(value)),
      licenses: listOf(value.licenses ?? value.license).flatMap((one, index) => {
        const license = licenseOf(one)
        return license === undefined ? [] : [this.#classified(license, LICENSE, ['licenses', index])]
      }),
      sources: listOf(value.sources).flatMap((one, index) => {
        const source = sourceOf(one)
        return source === undefined ? [] : [this.#classified(source, SOURCE, ['sources', index])]
      }),
      keywords: this.#lines(value.keywords, ['keywords']),
      contributors: CONTRIBUTORS.flatMap((property) =>
        listOf(value[property]).flatMap((one, index) => {
          const at = [property, index]
          const person = contributorOf(one)
          if (person === undefined) return []
          const roles = this.#lines(person.roles, [...at, 'roles'])
          const role = property === 'contributors' ? [] : [property.replace(/s$/, '')]
          return [{ ...this.#classified(person, CONTRIBUTOR, at), roles: roles.length > 0 ? roles : role }]
        }),
      ),
      resources: resources.map((resource, index) => this.#resource(resource, index, names)),
      own,
    }
  }

  /** The texts of these members, but for those that are not of their class. */
  #classified<const N extends string>(value: JsonObject, classes: Readonly<Record<N, Schema<string>>>, at: ValuePath) {
    const found = Object.entries<Schema<string>>(classes).flatMap(([name, schema]) => {
      const text = this.#text(value[name], schema, [...at, name])
      return text === undefined ? [] : [[name, text] as const]
    })
    return Object.fromEntries(found) as { readonly [K in N]?: string }
  }

  #lines(value: unknown, at: ValuePath): readonly string[] {
    return listOf(value).flatMap((one, index) => this.#text(one, line, [...at, index]) ?? [])
  }

  #text(given: unknown, schema: Schema<string>, at: ValuePath): string | undefined {
    if (given === undefined || given === null || (typeof given === 'string' && given.trim() === '')) return undefined
    const text = textOf(given)
    const result = parse(schema, (schema === paragraph ? text : text?.replace(/\s+/g, ' ')) ?? given)
    if ('value' in result) return result.value
    const example = result.mismatches.map(({ found, expected }) => `${at.join('.')} is ${found}; expected ${expected}`)
    this.#find('text-left-out', 'a text is not what stands in its place, and is left out', example.join(), at)
    return undefined
  }

  #packageName(value: JsonObject): string {
    const { fallbackName } = this.#context
    const given = textOf(value.name)
    if (given !== undefined && isPackageName(given)) return given
    const name = packageNameFrom(given ?? textOf(value.title) ?? fallbackName)
    const description = 'a package has no name that can be part of a path, and gets one'
    this.#find('package-name', description, `${JSON.stringify(given ?? null)} becomes ${name}`)
    return name
  }

  #resource(given: unknown, index: number, names: Set<string>): Resource {
    const value = isObject(given) ? given : typeof given === 'string' ? { path: given } : {}
    const paths = listOf(
      PATH_NAMES.map((one) => value[one]).find((path) => path !== undefined && path !== null),
    ).flatMap((path) => textOf(path) ?? [])
    const name = this.#resourceName(value, paths[0], index, names)
    const at = ['resources', index]
    this.#tellMisspelt(value, RESOURCE_PROPERTIES, `resource ${name}`, at)
    const own = obeyedOfList(ownProperties(value), this.#objection(`resource ${name}`, at))
    const dialect = isObject(value.dialect) ? dialectOf(value.dialect) : undefined
    const schema = value.schema === undefined ? undefined : this.schema(value.schema, name, [...at, 'schema'])
    if (isObject(value.schema) && schema === undefined) {
      const description = 'a schema cannot be read, and the values tell what they are'
      this.#find(
        'schema-not-read',
        description,
        `${name}: its schema has no list of fields, so its keys are not obeyed`,
        [...at, 'schema'],
      )
    }
    return {
      name,
      ...this.#classified(value, ABOUT, at),
      ...texts(value, ['format', 'encoding', 'compression']),
      paths,
      ...(Array.isArray(value.data) ? { data: value.data } : {}),
      ...optional('dialect', dialect),
      ...optional('schema', schema),
      ...(typeof value.schema === 'string' ? { schemaPath: value.schema } : {}),
      ...optional('language', languageOf(value)),
      own,
    }
  }

  /** Names that are given twice get a number, since tables refer to each other by name. */
  #resourceName(value: JsonObject, path: string | undefined, index: number, names: Set<string>): string {
    const fallback = path === undefined ? `table-${index + 1}` : slugOf(fileStem(path), '-')
    const given = textOf(value.name)
    const isSound = given !== undefined && given.length <= MAX_NAME && !/\p{Cc}/u.test(given)
    let name = isSound ? given : fallback
    if (!isSound) this.#find('resource-name', 'a resource has no name, and gets that of its file', name)
    for (let number = 2; names.has(name); number++) {
      const next = `${isSound ? given : fallback}-${number}`
      if (!names.has(next)) this.#find('resource-name-twice', 'two resources have the same name', `${name}: ${next}`)
      name = next
    }
    names.add(name)
    return name
  }

  schema(value: unknown, resource: string, at: ValuePath): TableSchema | undefined {
    if (!isObject(value) || !Array.isArray(value.fields)) return undefined
    this.#tellMisspelt(value, SCHEMA_PROPERTIES, `the schema of ${resource}`, at)
    const own = obeyedElsewhere(ownProperties(value), this.#objection(`the schema of ${resource}`, at))
    const names = new Set<string>()
    const fields = value.fields.slice(0, MAX_FIELDS + 1).flatMap((field, index): TableField[] => {
      const parsed = this.#field(field, resource, [...at, 'fields', index])
      if (parsed === undefined || names.has(parsed.name)) {
        const example = `${resource}: ${JSON.stringify(field)?.slice(0, 80)}`
        this.#find(
          'field-name',
          'a field of a schema has no name, or that of another one, and is not obeyed',
          example,
          [...at, 'fields', index],
        )
        return []
      }
      names.add(parsed.name)
      return [parsed]
    })
    const primaryKey = listOf(value.primaryKey).flatMap((name) => textOf(name) ?? [])
    const foreignKeys = listOf(value.foreignKeys).flatMap((key, index) =>
      this.#foreignKey(key, resource, [...at, 'foreignKeys', index]),
    )
    const missingValues = missingValuesOf(value.missingValues ?? value.missingValue)
    return {
      fields,
      ...(primaryKey.length > 0 ? { primaryKey } : {}),
      ...(foreignKeys.length > 0 ? { foreignKeys } : {}),
      ...optional('missingValues', missingValues),
      own,
    }
  }

  #field(given: unknown, resource: string, at: ValuePath): TableField | undefined {
    const value = isObject(given) ? given : { name: given }
    const name = textOf(value.name ?? value.id)
    if (name === undefined) return undefined
    const constraints = isObject(value.constraints)
      ? this.#constraints(value.constraints, `${resource}.${name}`, at)
      : {}
    const own = obeyedOfField(ownProperties(value), this.#objection(`${resource}.${name}`, at))
    const bareNumber = booleanOf(value.bareNumber)
    return {
      name,
      ...optional('type', this.#type(value.type, `${resource}.${name}`, at)),
      ...this.#classified(value, ABOUT, at),
      ...texts(value, ['format', 'decimalChar', 'groupChar', 'delimiter']),
      ...(Object.keys(constraints).length > 0 ? { constraints } : {}),
      ...optional('missingValues', missingValuesOf(value.missingValues)),
      ...optional('categories', categoriesOf(value.categories)),
      ...optional('bareNumber', bareNumber),
      ...optional('trueValues', textsOf(value.trueValues)),
      ...optional('falseValues', textsOf(value.falseValues)),
      own,
    }
  }

  #type(given: unknown, field: string, at: ValuePath): string | undefined {
    const name = textOf(given)?.toLowerCase()
    if (name === undefined) return undefined
    const type = TYPES.includes(name) ? name : TYPE_ALIASES.get(name)
    if (type !== undefined) return type
    const near = nearest(name, TYPES)
    const description = 'a type is not one of Table Schema, and the values of the column tell it instead'
    this.#find('unknown-type', description, `${field}: ${name}${near === undefined ? '' : `, perhaps ${near}`}`, [
      ...at,
      'type',
    ])
    return undefined
  }

  #constraints(value: JsonObject, field: string, at: ValuePath): Constraints {
    const pattern = textOf(value.pattern)
    const isUsable = pattern === undefined || patternCheck(pattern) !== undefined
    if (!isUsable) {
      const description =
        'a pattern is not checked, because it is broken, too long, or looks back or around: write it without those'
      this.#find('pattern-not-checked', description, `${field}: ${pattern.slice(0, 80)}`, [
        ...at,
        'constraints',
        'pattern',
      ])
    }
    return {
      ...optional('required', booleanOf(value.required)),
      ...optional('unique', booleanOf(value.unique)),
      ...(isUsable ? optional('pattern', pattern) : {}),
      ...optional('enum', textsOf(value.enum)),
      ...optional('minLength', wholeOf(value.minLength)),
      ...optional('maxLength', wholeOf(value.maxLength)),
      ...optional('minimum', textOf(value.minimum)),
      ...optional('maximum', textOf(value.maximum)),
    }
  }

  #foreignKey(given: unknown, resource: string, at: ValuePath): ForeignKey[] {
    const reference = isObject(given) && isObject(given.reference) ? given.reference : undefined
    const fields = isObject(given) ? listOf(given.fields).flatMap((name) => textOf(name) ?? []) : []
    const to = listOf(reference?.fields).flatMap((name) => textOf(name) ?? [])
    const other = textOf(reference?.package ?? reference?.datapackage)
    // By an official code, whichever it is.
    const isByCode = other !== undefined && fields.length === 1 && to.length === 0
    if (reference === undefined || fields.length === 0 || (fields.length !== to.length && !isByCode)) {
      const description = 'a foreign key is not obeyed, because it does not name as many fields on both sides'
      this.#find('foreign-key', description, `${resource}: ${JSON.stringify(given)?.slice(0, 120)}`, at)
      return []
    }
    const target = textOf(reference.resource) ?? ''
    return [
      {
        fields,
        reference: { resource: target === 'self' ? '' : target, ...optional('package', other), fields: to },
      },
    ]
  }

  /** A property that is nearly one of the standard is reported, and not obeyed. */
  #tellMisspelt(value: JsonObject, known: readonly string[], where: string, at: ValuePath): void {
    for (const name of Object.keys(value).slice(0, MAX_ITEMS)) {
      if (known.includes(name) || name.length < MIN_MISSPELT || name.startsWith(PREFIX)) continue
      const near = nearest(name, known)
      // Those that begin otherwise are words of their own, such as related beside created.
      if (near === undefined || near[0] !== name[0] || near.length < MIN_MISSPELT || Object.hasOwn(value, near))
        continue
      const description = 'a property is not one of the standard, but nearly so; it is not obeyed'
      this.#find('misspelt-property', description, `${where}: ${name}, perhaps ${near}`, [...at, name])
    }
  }

  /** A property of ours that is not known, or has a value that it cannot have. */
  #objection =
    (where: string, at: ValuePath): OnInvalid =>
    (property, value, expected) => {
      const description = 'a property of ours is not known, or has a value that it cannot have, and is not obeyed'
      const shown = JSON.stringify(value)?.slice(0, MAX_SHOWN)
      const example = `${where}: ${property.slice(0, MAX_NAME)} is ${shown}; expected ${expected}`
      this.#find('property-not-obeyed', description, example, [...at, property])
    }

  #find(kind: string, description: string, example: string, at?: ValuePath): void {
    const { file, findings, placeOf } = this.#context
    const place = at === undefined ? undefined : placeOf?.(at)
    findings.add(kind, description, {
      file,
      ...(place === undefined ? {} : { line: place.line, column: `column ${place.column}` }),
      says: example.replace(/\p{Cc}/gu, ' '),
    })
  }
}

const isPackageName = (text: string) => 'value' in parse(packageName, text)

/** A name for a package that is called so. */
export function packageNameFrom(text: string): string {
  const slug = slugOf(text, '-')
  return isPackageName(slug) ? slug : `${slug}-package`
}

const MIN_MISSPELT = 5
const MAX_SHOWN = 80

/** The name of the file at the end of a path, without what tells its format. */
export const fileStem = (path: string): string =>
  (path.split(/[?#]/)[0] ?? '')
    .replace(/\/+$/, '')
    .replace(/^.*\//, '')
    .replace(/(\.(csv|tsv|txt|json|ndjson|jsonl|xlsx|ods|gz|zip))+$/i, '')
