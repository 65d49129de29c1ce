// The element among the components of Vue: compiles only if what is right is accepted and what is wrong refused.
import 'nomenclator-picker'
import type { NomenclatorPicker } from 'nomenclator-picker'
import type { GlobalComponents } from 'vue'

type Picker = InstanceType<GlobalComponents['nomenclator-picker']>
type Attributes = Picker['$props']

export const all: Attributes = {
  levels: 'estado,municipio,localidad',
  server: 'https://catalogs.example.org',
  name: 'lugar',
  value: '3-106',
  required: true,
  disabled: false,
  lang: 'es',
  class: ['place', { wide: true }],
  onChange: ({ target }) => console.log(target.selection.map(({ name }) => name)),
}
export const element = {} as Picker satisfies NomenclatorPicker

// @ts-expect-error the levels are needed
export const withoutLevels: Attributes = { name: 'lugar' }
// @ts-expect-error a key is a text
export const numberAsKey: Attributes = { levels: 'estado', value: 14 }
// @ts-expect-error there is no such attribute
export const misspelt: Attributes = { levels: 'estado', requird: true }
// @ts-expect-error there is no such event
;({}) as Picker['$emit'] satisfies (name: 'input', event: Event) => void
