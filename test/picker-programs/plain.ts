// The element in plain TypeScript: compiles only if what is right is accepted and what is wrong refused.
import 'nomenclator-picker'
import type { Choice, NomenclatorPicker, PickerAttributes, PickerChangeEvent } from 'nomenclator-picker'

const picker: NomenclatorPicker = document.createElement('nomenclator-picker')
picker.required = true
picker.disabled = false
picker.name = 'lugar'
picker.value = '3-106'
picker.value = null
const value: string = picker.value
const selection: readonly Choice[] | undefined = document.querySelector('nomenclator-picker')?.selection
const form: HTMLFormElement | null = picker.form
picker.ready.then(() => picker.reportValidity())
picker.addEventListener('change', (event) => {
  const { target } = event as PickerChangeEvent
  const names: string[] = target.selection.map(({ level, key, name }) => level + key + name)
  console.log(names, value, selection, form)
})
export const attributes: PickerAttributes = { levels: 'estado,municipio', server: 'https://catalogs.example.org' }

// @ts-expect-error a key is a text
picker.value = 106
// @ts-expect-error what is chosen is only read
picker.selection = []
// @ts-expect-error what the fields inside call is not for others
picker.find
// @ts-expect-error the levels are needed
export const nothing: PickerAttributes = {}
