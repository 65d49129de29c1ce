// Short ways to define a list, for tests that bring lists of their own.
import type { Entity, Field } from '../../packages/server/src/catalog/entity.ts'

type Of<Kind extends Field['kind']> = Extract<Field, { readonly kind: Kind }>
type Bounds = { readonly min: number; readonly max: number }
type Defaulted = 'title' | 'order' | 'expects'
type Definition = Omit<Entity, Defaulted> & Partial<Pick<Entity, Defaulted>>

export const entity = (definition: Definition): Entity => ({
  title: definition.plural,
  order: 'by key',
  expects: [],
  ...definition,
})

export const id = (description: string): Of<'id'> => ({ kind: 'id', description })
export const name = (description: string): Of<'name'> => ({ kind: 'name', description })
export const code = (description: string, pattern: RegExp, shape: string): Of<'code'> => ({
  kind: 'code',
  description,
  pattern,
  shape,
})
export const copyOf = (of: string): Of<'copy'> => ({ kind: 'copy', of, description: `same value as ${of}` })
export const embeds = (entity: Entity, description: string): Of<'embed'> => ({ kind: 'embed', entity, description })
export const numberFact = (description: string, bounds: Bounds): Of<'fact'> => ({
  kind: 'fact',
  type: 'number',
  description,
  ...bounds,
})
export const textFact = (description: string, pattern: RegExp, shape: string): Of<'fact'> => ({
  kind: 'fact',
  type: 'text',
  description,
  pattern,
  shape,
})
