// Compares what is inferred of labelled lists with their labels, role by role: found, and right of what was said.
import type { Resource } from '../../packages/server/src/source/package/descriptor.ts'
import { type LabelledList, type LabelledTable, resourceOf } from './labels.ts'

const ROLES: Readonly<Record<string, string>> = {
  K: 'key',
  N: 'name',
  A: 'alias',
  D: 'description',
  C: 'code',
  P: 'parent',
  R: 'reference',
  LAT: 'latitude',
  LON: 'longitude',
  PT: 'coordinates',
  F: 'validFrom',
  T: 'validTo',
  V: 'value',
}

type Option = { readonly roles: readonly string[]; readonly language?: string; readonly type?: string }
type Described = { readonly roles: ReadonlySet<string>; readonly language?: string; readonly type?: string }
type Count = { expected: number; predicted: number; hit: number }

const folded = (name: string) =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}|[^a-z0-9]/gu, '')
/** `pais` and `paises` are one list. */
const isSameList = (one: string, other: string) => one.startsWith(other) || other.startsWith(one)

function optionOf(label: string): Option {
  const [roles = '', type] = label.split('=')
  let language: string | undefined
  const all = roles.split('+').map((one) => {
    const [letter = '', of] = one.split(':')
    if (letter === 'N') language = of
    return letter === 'R' ? `reference:${folded(of ?? '')}` : (ROLES[letter] ?? '')
  })
  return {
    roles: all,
    ...(language === undefined ? {} : { language }),
    ...(type === undefined ? {} : { type: type === 'text' ? 'string' : type }),
  }
}

export const optionsOf = (label: string): readonly Option[] => label.split('|').map(optionOf)

export class Tally {
  readonly counts = new Map<string, Count>()
  readonly faults: string[] = []
  right = 0
  cases = 0

  add(list: LabelledList, resources: readonly Resource[]): void {
    const before = this.faults.length
    for (const table of list.files) {
      const resource = resources.find(({ name }) => name === resourceOf(table))
      if (resource !== undefined) this.#addTable(list.name, table, resource)
    }
    this.cases++
    if (this.faults.length === before) this.right++
  }

  #addTable(list: string, table: LabelledTable, resource: Resource): void {
    const { header, labels } = table
    const fault = (text: string) => void this.faults.push(`${list}: ${table.file} ${text}`)
    const key = resource.schema?.primaryKey ?? []
    const own = header.filter((_, at) => optionsOf(labels[at] ?? '?')[0]?.roles[0] === 'key')
    const keys = table.key?.length === 0 ? undefined : (table.key ?? [own])
    if (keys !== undefined) {
      const isHit = keys.some((wanted) => wanted.toSorted().join('\0') === key.toSorted().join('\0'))
      this.#count('key', true, true, isHit)
      if (!isHit) fault(`key ${key.join('+')}, not ${keys.map((wanted) => wanted.join('+')).join(' or ')}`)
      const isTree = typeof resource.own.get('broader') === 'object'
      if (table.tree !== 'any') {
        const isWanted = table.tree === 'prefix'
        this.#count('tree by codes', isWanted, isTree, isWanted && isTree)
        if (isTree !== isWanted) fault(`tree by codes ${isTree}`)
      }
    }
    const described = describedIn(resource)
    for (const [at, label] of labels.entries()) {
      const column = header[at] as string
      if (!label.split('|').includes('?'))
        this.#addColumn(label, described.get(column), (text) => fault(`${column}: ${text}, not ${label}`))
    }
  }

  #addColumn(label: string, got: Described | undefined, fault: (text: string) => void): void {
    const options = optionsOf(label)
    const lists = options.flatMap(({ roles }) => roles).filter((role) => role.startsWith('reference:'))
    const roles = new Set(
      [...(got?.roles ?? [])].map(
        (role) =>
          (role.startsWith('reference:') && lists.find((wanted) => isSameList(wanted.slice(10), role.slice(10)))) ||
          role,
      ),
    )
    const fit = options.find((option) => fits(option, roles))
    const wanted = fit ?? (options[0] as Option)
    const isKeyAndName = wanted.roles.includes('key') && wanted.roles.includes('name')
    const plain = (all: Iterable<string>) =>
      [...all].filter((role) => role !== 'key').map((role) => role.split(':')[0] as string)
    const expected = plain(wanted.roles).filter((role) => !(isKeyAndName && role === 'name'))
    const predicted = plain(roles).filter((role) => !(roles.has('key') && role === 'name'))
    const isRight = fit !== undefined || wanted.roles.some((role) => roles.has(role) && role !== 'key')
    for (const role of Object.values(ROLES)) {
      const [isExpected, isPredicted] = [expected.includes(role), predicted.includes(role)]
      if (role !== 'key' && (isExpected || isPredicted))
        this.#count(role, isExpected, isPredicted, isExpected && isPredicted && isRight)
    }
    if (fit === undefined && expected.length + predicted.length > 0) fault([...roles].join('+'))
    if (wanted.language !== undefined && wanted.roles.includes('name')) {
      this.#count('language', true, got?.language !== undefined, got?.language === wanted.language)
      if (got?.language !== wanted.language) fault(`language ${got?.language}`)
    }
    if (wanted.type !== undefined) {
      this.#count(`type ${wanted.type}`, true, got !== undefined, got?.type === wanted.type)
      if (got?.type !== wanted.type) fault(`type ${got?.type}`)
    }
  }

  #count(what: string, isExpected: boolean, isPredicted: boolean, isHit: boolean): void {
    const count = this.counts.getOrInsertComputed(what, () => ({ expected: 0, predicted: 0, hit: 0 }))
    count.expected += Number(isExpected)
    count.predicted += Number(isPredicted)
    count.hit += Number(isHit)
  }
}

function fits({ roles: wanted }: Option, roles: ReadonlySet<string>): boolean {
  if (!wanted.includes('key')) return wanted.every((role) => roles.has(role))
  const others = wanted.filter((role) => role !== 'key')
  const refers = [...roles].some((role) => role.startsWith('reference'))
  return (
    roles.has('key') && others.every((role) => role === 'name' || roles.has(role)) && (others.length > 0 || !refers)
  )
}

/** What a complete resource says of its columns. */
function describedIn({ name, schema, own }: Resource): ReadonlyMap<string, Described> {
  return new Map(
    schema?.fields.map((field) => {
      const roles = new Set(schema.primaryKey?.includes(field.name) ? ['key'] : [])
      const to = schema.foreignKeys?.find(({ fields }) => fields.at(-1) === field.name)
      const isOwn = to !== undefined && ['', name].includes(to.reference.resource)
      if (isOwn || own.get('broader') === field.name || field.own.get('broader') === true) roles.add('parent')
      else if (to !== undefined) roles.add(`reference:${folded(to.reference.resource)}`)
      const role = field.own.get('role')
      if (typeof role === 'string' && role !== 'fact') roles.add(role)
      if (field.type === 'geopoint') roles.add('coordinates')
      if (roles.size === 0) roles.add('value')
      const language = field.own.get('language')
      return [
        field.name,
        {
          roles,
          ...(typeof language === 'string' ? { language } : {}),
          ...(field.type === undefined ? {} : { type: field.type }),
        },
      ]
    }),
  )
}
