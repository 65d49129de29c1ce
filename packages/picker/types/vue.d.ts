// The element in the templates of Vue. Where Vue is not installed, nothing of this counts.
// @ts-ignore
import type { HTMLAttributes } from 'vue'
import type { NomenclatorPicker, PickerAttributes, PickerChangeEvent } from '../src/nomenclator-picker.ts'

type PickerProps = Omit<HTMLAttributes, 'onChange' | keyof PickerAttributes> &
  PickerAttributes & { readonly onChange?: ((event: PickerChangeEvent) => void) | undefined }

/** An element, as components are described. */
type PickerComponent = new () => NomenclatorPicker & {
  readonly $props: PickerProps
  $emit(name: 'change', event: PickerChangeEvent): void
}

// @ts-ignore
declare module 'vue' {
  interface GlobalComponents {
    'nomenclator-picker': PickerComponent
    NomenclatorPicker: PickerComponent
  }
}
