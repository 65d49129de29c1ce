// The built-in catalog, as far as the compiler knows it. The package has the types that nomenclator types prints in its place.
import type { Entities } from '../../server/src/catalog/entities.ts'
import type { EmbedField, Entity, FactsOf, RecordOf } from '../../server/src/catalog/entity.ts'

export type Pais = RecordOf<Entities['pais']>
export type Estado = RecordOf<Entities['estado']>
export type Municipio = RecordOf<Entities['municipio']>
export type Localidad = RecordOf<Entities['localidad']>
export type Area = RecordOf<Entities['area']>
export type Campo = RecordOf<Entities['campo']>
export type Disciplina = RecordOf<Entities['disciplina']>
export type Subdisciplina = RecordOf<Entities['subdisciplina']>
export type Audiencia = RecordOf<Entities['audiencia']>

type Fields<E extends Entity> = E['fields']
type EmbeddedIn<E extends Entity> = {
  [N in keyof Fields<E>]: Fields<E>[N] extends EmbedField<infer P> ? P : never
}[keyof Fields<E>]
type AncestorsOf<E extends Entity> = EmbeddedIn<E> extends infer P ? AncestorNames<P> : never
type AncestorNames<P> = P extends Entity ? P['plural'] | AncestorsOf<P> : never
type DescendantsOf<E extends Entity> = {
  [N in keyof Entities]: E['plural'] extends AncestorsOf<Entities[N]> ? Entities[N]['plural'] : never
}[keyof Entities]
type CodePaths<E extends Entity> = {
  [N in keyof Fields<E> & string]: Fields<E>[N] extends { kind: 'code' }
    ? N
    : Fields<E>[N] extends EmbedField<infer P>
      ? `${N}.${CodePaths<P>}`
      : never
}[keyof Fields<E> & string]
type OwnerOf<E extends Entity> = Fields<E>[E['key'][0] & string] extends EmbedField<infer P> ? P['plural'] : never

type ShapeOf<E extends Entity> = {
  readonly record: RecordOf<E>
  readonly facts: FactsOf<E>
  readonly key: { readonly [N in E['key'][number]]: number }
  readonly codes: CodePaths<E>
  readonly owner: OwnerOf<E>
  readonly below: DescendantsOf<E>
  readonly v1: E extends { v1: number } ? true : false
}

/** The catalog that ships with the server. */
export type BuiltIn = { readonly [N in keyof Entities as Entities[N]['plural']]: ShapeOf<Entities[N]> }
