// The element in the JSX of React. Where React is not installed, nothing of this counts.
// @ts-ignore
import type { ChangeEvent, DetailedHTMLProps, HTMLAttributes } from 'react'
import type { NomenclatorPicker, PickerAttributes } from '../src/nomenclator-picker.ts'

type PickerProps = Omit<
  DetailedHTMLProps<HTMLAttributes<NomenclatorPicker>, NomenclatorPicker>,
  'onChange' | keyof PickerAttributes
> &
  PickerAttributes & {
    readonly onChange?: ((event: ChangeEvent<NomenclatorPicker>) => void) | undefined
    /** The name of `className` in React 18. */
    readonly class?: string | undefined
  }

// @ts-ignore
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'nomenclator-picker': PickerProps
    }
  }
}
