// The element in the TSX of React: compiles only if what is right is accepted and what is wrong refused.
import 'nomenclator-picker'
import type { NomenclatorPicker } from 'nomenclator-picker'
import { useRef } from 'react'

export function Place() {
  const ref = useRef<NomenclatorPicker>(null)
  return (
    <form className="form">
      <nomenclator-picker
        ref={ref}
        key="place"
        levels="estado,municipio,localidad"
        server="https://catalogs.example.org"
        name="lugar"
        value="3-106"
        required
        disabled={false}
        lang="es"
        className="place"
        aria-label="Lugar"
        onChange={({ target, currentTarget }) => {
          const names: string[] = target.selection.map(({ name }) => name)
          const key: string = currentTarget.value
          console.log(names, key, ref.current?.validity)
        }}
      />
    </form>
  )
}

// @ts-expect-error the levels are needed
export const withoutLevels = <nomenclator-picker />
// @ts-expect-error the levels are one text
export const listOfLevels = <nomenclator-picker levels={['estado']} />
// @ts-expect-error a key is a text
export const numberAsKey = <nomenclator-picker levels="estado" value={14} />
// @ts-expect-error there is no such attribute
export const misspelt = <nomenclator-picker levels="estado" requird />
// @ts-expect-error the event is of the element
export const otherEvent = <nomenclator-picker levels="estado" onChange={(event: { detail: number }) => event} />
// @ts-expect-error there is no such element
export const otherElement = <nomenclator-chooser levels="estado" />
