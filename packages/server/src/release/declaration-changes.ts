// The breaking changes of declarations: a list that is gone, or has another address, key, field, type or language.
import { type Entity, type Field, publishedFields } from '../catalog/entity.ts'
import { derivedCodesOf } from '../catalog/official-code.ts'
import type { Release } from './release.ts'

/** The breaking changes of the declaration of one list, each as a sentence. */
export function declarationChanges(older: Release, newer: Release, name: string): string[] {
  const [before, after] = [older, newer].map(({ catalog }) => catalog.entities.get(name))
  if (before === undefined || before === after) return []
  if (after === undefined) {
    const of = before.package === undefined ? '' : ` of package ${before.package}`
    return [
      `${before.plural}${of}: the list would be gone, with its ${older.manifest.entities[name]?.count ?? 0} records`,
    ]
  }
  const breaks = [...movedList(before, after), ...otherKey(before, after), ...otherFields(before, after)]
  const codes = derivedCodesOf(before).filter(({ name }) => !derivedCodesOf(after).some((other) => other.name === name))
  const lost = [...languagesOf(before)].filter((language) => !languagesOf(after).has(language))
  const gone = codes.map(({ name }) => `the official code ${JSON.stringify(name)} would be gone`)
  return [...breaks, ...gone, ...lost.map((language) => `its names in the language ${language} would be gone`)].map(
    (one) => `${before.plural}: ${one}`,
  )
}

const movedList = ({ plural }: Entity, after: Entity) =>
  plural === after.plural ? [] : [`the list would be at ${after.plural}`]

function otherKey(before: Entity, after: Entity): string[] {
  const [was, is] = [before, after].map(({ key }) => key.join(', '))
  return was === is ? [] : [`its key would be ${is} and not ${was}`]
}

function otherFields(before: Entity, after: Entity): string[] {
  const now = new Map([...publishedFields(after), ...factsAsFields(after)])
  return [...publishedFields(before), ...factsAsFields(before)].flatMap(([name, field]) => {
    const other = now.get(name)
    if (other === undefined) return [`the field ${JSON.stringify(name)} would be gone`]
    const [was, is] = [typeOf(field), typeOf(other)]
    return was === is ? [] : [`the field ${JSON.stringify(name)} would be ${is} and not ${was}`]
  })
}

const factsAsFields = ({ fields }: Entity) => Object.entries(fields).filter(([, { kind }]) => kind === 'fact')

const VALUES = {
  text: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date',
  year: 'a year',
  list: 'a list',
} as const

/** The type of a field as a client sees it: names and codes are texts. */
function typeOf(field: Field): string {
  switch (field.kind) {
    case 'id':
      return VALUES.integer
    case 'value':
      return VALUES[field.type]
    case 'fact':
      return `a fact, ${VALUES[field.type]}`
    case 'embed':
      return `a record of ${field.entity.plural}`
    case 'broader':
      return 'the key of its parent'
    case 'name':
    case 'code':
    case 'copy':
      return VALUES.text
  }
}

const languagesOf = ({ fields }: Entity): ReadonlySet<string> =>
  new Set(Object.values(fields).flatMap((field) => ('language' in field && field.language ? [field.language] : [])))
