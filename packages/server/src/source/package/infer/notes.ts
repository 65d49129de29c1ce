// Notes on what was inferred: a sentence for each decision, and the one change of the descriptor that says otherwise.
import type { Resource } from '../descriptor.ts'
import type { AliasTable } from './alias-table.ts'
import type { Note } from './inference.ts'
import type { InferredList } from './inferred-list.ts'
import type { ChosenKey } from './keys.ts'
import type { Relation } from './relations.ts'
import { isLongitudeFirst, type RoleChoice } from './roles.ts'
import type { Role } from './score.ts'

export const quoted = (name: string): string => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
const listed = (choices: readonly RoleChoice[]) => choices.map(({ column }) => quoted(column.name)).join(', ')

type Said = Omit<Note, 'resource'>
const decision = (what: string, otherwise: string, field?: string): Said => ({
  ...(field === undefined ? {} : { field }),
  what,
  otherwise,
  kind: 'decision',
})

export function notesOf(
  { name }: Resource,
  list: InferredList | undefined,
  alias: AliasTable | undefined,
): readonly Note[] {
  const said = [...(alias === undefined ? [] : aliasNotes(alias)), ...(list === undefined ? [] : listNotes(list))]
  return said.map((note) => ({ resource: name, ...note }))
}

const aliasNotes = ({ list, isDeclared }: AliasTable): readonly Said[] =>
  isDeclared
    ? []
    : [
        decision(
          `It has other names of the records of ${quoted(list.resource.name)}, and is no list of its own.`,
          '"nomenclator:role": "list" at the resource',
        ),
      ]

function listNotes(list: InferredList): readonly Said[] {
  const { choices, declared, table, key, tree } = list
  const isOpen = ({ column }: RoleChoice) => declared.roleOf(column) === undefined
  const inferred = choices.filter(isOpen)
  const withRole = (role: Role) => inferred.filter((choice) => choice.role === role)
  return [
    ...(declared.key === undefined ? keyNotes(key) : []),
    ...nameNotes(withRole('name')),
    ...withRole('parent').map((choice) => parentNote(choice)),
    ...(tree === undefined || declared.tree !== undefined
      ? []
      : [
          decision(
            `Each ${quoted(key.columns[0]?.name ?? '')} begins with that of the record above: the list is a tree.`,
            '"nomenclator:broader": false at the resource',
          ),
        ]),
    ...withRole('reference').map((choice) => referenceNote(choice)),
    ...roleNotes(withRole),
    ...inferred.flatMap((choice) => doubtOf(choice)),
    ...(choices.some(({ role }) => role === 'name') ? [] : unusableName(list)),
    ...table.columns.flatMap((column) => nearMiss(list.near.get(column), column.name)),
  ]
}

function keyNotes({ columns, lost, next }: ChosenKey): readonly Said[] {
  const names = columns.map(({ name }) => name)
  const otherwise = `"primaryKey": ${JSON.stringify(next === undefined ? names : next.columns.map(({ name }) => name))} in its schema`
  const field = names.length === 1 ? names[0] : undefined
  const shown = names.map(quoted).join(' with ')
  const isNear = next !== undefined && next.margin < 1
  const rows = lost === 1 ? '1 row' : `${lost} rows`
  const what =
    lost > 0
      ? `The key is ${shown}: it identifies nearly every row; ${rows} without it, or with that of another row, cannot be published.`
      : `The key is ${shown}${isNear ? `; it could as well be ${next.columns.map(({ name }) => quoted(name)).join(' with ')}` : ''}.`
  return [{ ...decision(what, otherwise, field), kind: lost > 0 || isNear ? 'doubt' : 'decision' }]
}

function nameNotes(names: readonly RoleChoice[]): readonly Said[] {
  const shown = names.map(
    ({ column, language }) => `${quoted(column.name)}${language === undefined ? '' : ` (${language})`}`,
  )
  const [only, ...others] = names
  if (only === undefined) return []
  return [
    decision(
      others.length === 0 ? `${shown[0]} is the name.` : `${shown.join(', ')} are the names.`,
      '"nomenclator:role": "name" and "nomenclator:language" at the fields that are names',
      others.length === 0 ? only.column.name : undefined,
    ),
  ]
}

/** A column that is called the name and cannot be one: without it records are called by their keys, which nobody expects. */
function unusableName({ table }: InferredList): readonly Said[] {
  const column = table.columns.find(({ sights, profile }) => sights.name === 1 && !profile.isOneLine)
  if (column === undefined) return []
  const what = `${quoted(column.name)} is not the name, since a value of it has several lines or more than 1,000 characters. Records are called by their key.`
  const otherwise = '"nomenclator:role": "name" at the field; line breaks then become blanks'
  return [{ ...decision(what, otherwise, column.name), kind: 'doubt' }]
}

const parentNote = ({ column, relation }: RoleChoice): Said =>
  decision(
    `${quoted(column.name)} has the ${quoted(relation?.target.field ?? '')} of the record above: the list is a tree.`,
    '"nomenclator:broader": false at the field',
    column.name,
  )

const listOf = ({ target }: Relation) =>
  target.package === undefined
    ? quoted(target.resource)
    : `${quoted(target.resource)} of package ${quoted(target.package)}`

function referenceNote({ column, relation }: RoleChoice): Said {
  if (relation === undefined) return decision('', '')
  const { evidence, target } = relation
  const lost = evidence.paddedTo === undefined ? '' : `, with zeros before it to ${evidence.paddedTo} digits`
  return decision(
    `${quoted(column.name)} refers to ${quoted(target.field)} of ${listOf(relation)}, which has its values${lost}.`,
    '"nomenclator:embed": false at the field',
    column.name,
  )
}

const TOLD: readonly (readonly [Role, string])[] = [
  ['latitude', 'the latitude'],
  ['longitude', 'the longitude'],
  ['validFrom', 'the beginning of validity'],
  ['validTo', 'the end of validity'],
  ['alias', 'taken as other names to find a record by'],
  ['description', 'taken as the description'],
  ['code', 'taken as further codes to find a record by'],
]

function roleNotes(withRole: (role: Role) => readonly RoleChoice[]): readonly Said[] {
  const points = withRole('coordinates').map(({ column }) =>
    decision(
      `${quoted(column.name)} has ${isLongitudeFirst(column) ? 'longitude and latitude' : 'latitude and longitude'}, in this order.`,
      '"nomenclator:role": "fact" at the field, or "coordinates" where the latitude is first',
      column.name,
    ),
  )
  const others = TOLD.flatMap(([role, what]) => {
    const choices = withRole(role)
    const [only, ...more] = choices
    if (only === undefined) return []
    const is = more.length === 0 ? 'is' : 'are'
    return [
      decision(
        `${listed(choices)} ${is} ${what}.`,
        '"nomenclator:role": "fact" at the field',
        more.length === 0 ? only.column.name : undefined,
      ),
    ]
  })
  return [...points, ...others]
}

/** A reference as the descriptor says it; one to the key of a list of the package in fewer words. */
function referenceIn({ target: { package: outside, resource, field: to, kind } }: Relation, field: string): string {
  if (outside === undefined && kind === 'key') return `"nomenclator:embed": ${quoted(resource)} at the field`
  const from = outside === undefined ? '' : `"package": ${quoted(outside)}, `
  const reference = `{${from}"resource": ${quoted(resource)}, "fields": [${quoted(to)}]}`
  return `"foreignKeys": [{"fields": [${quoted(field)}], "reference": ${reference}}] in its schema`
}

/** How the descriptor says that a column has a role. */
function wayToSay(role: Role, relation: Relation | undefined, field: string): string {
  if (role === 'value') return '"nomenclator:role": "fact" at the field'
  if (role === 'parent') return `"nomenclator:broader": ${quoted(field)} at the resource`
  if (role === 'reference' && relation !== undefined) return referenceIn(relation, field)
  return `"nomenclator:role": ${quoted(role)} at the field`
}

const CALLED: Partial<Record<Role, string>> = {
  value: 'a plain value',
  name: 'the name',
  parent: 'the record above',
  validFrom: 'the beginning of validity',
  validTo: 'the end of validity',
  code: 'a code',
  alias: 'another name',
  description: 'the description',
}
const called = (role: Role, relation: Relation | undefined) =>
  role === 'reference' && relation !== undefined
    ? `a reference to ${listOf(relation)}`
    : (CALLED[role] ?? `the ${role}`)

function doubtOf({ column, role, relation, next }: RoleChoice): readonly Said[] {
  if (next === undefined) return []
  const what = `${quoted(column.name)} is taken for ${called(role, relation)}; it could as well be ${called(next.role, next.relation)}.`
  return [{ ...decision(what, wayToSay(next.role, next.relation, column.name), column.name), kind: 'doubt' }]
}

/** Where most values are codes of the list that a column is named after, its owner will want to know. */
function nearMiss(relation: Relation | undefined, field: string): readonly Said[] {
  if (relation === undefined) return []
  const { share, stray = '' } = relation.evidence
  const what = `${Math.floor(100 * share)} % of ${quoted(field)} are ${quoted(relation.target.field)} of ${listOf(relation)}; ${quoted(stray)} is not.`
  const isParent = relation.sights.self === 1
  return [{ ...decision(what, wayToSay(isParent ? 'parent' : 'reference', relation, field), field), kind: 'doubt' }]
}
