// The types of the package: those of the element, also where React and Vue look for it.
/// <reference path="react.d.ts" />
/// <reference path="vue.d.ts" />
export type { Choice, NomenclatorPicker, PickerAttributes, PickerChangeEvent } from '../src/nomenclator-picker.ts'
