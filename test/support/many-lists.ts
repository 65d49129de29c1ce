// A package of as many lists as a test wants, in families: a tree, and lists each of whose records belongs to one of the list before.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FAMILY = 5
const DEPTH = 3

type Resource = Readonly<Record<string, unknown>>

/** Writes the package down as a directory that can be imported; every record has a code, a name, a parent, an area and a date. */
export function writeManyLists(directory: string, count: number, records = 4): string {
  mkdirSync(directory, { recursive: true })
  const resources = Array.from({ length: count }, (_, number) => writeList(directory, number, records))
  writeFileSync(join(directory, 'datapackage.json'), JSON.stringify({ name: 'many', title: 'Many lists', resources }))
  return directory
}

const nameOf = (number: number) => `list-${number}`

function writeList(directory: string, number: number, records: number): Resource {
  const place = number % FAMILY
  const above = place === 0 ? '' : nameOf(number - (place <= DEPTH ? 1 : place))
  const rows = Array.from({ length: records }, (_, at) => {
    const code = `C${at}`
    const parent = place > 0 ? `C${at % records}` : at === 0 ? '' : `C${Math.floor((at - 1) / 2)}`
    return [code, `Thing ${at} of ${number}`, parent, at * 1.5, `2001-02-0${1 + (at % 9)}`].join()
  })
  writeFileSync(join(directory, `${nameOf(number)}.csv`), ['code,name,parent,area,opened', ...rows, ''].join('\n'))
  return {
    name: nameOf(number),
    path: `${nameOf(number)}.csv`,
    schema: {
      fields: [
        { name: 'code', type: 'string' },
        { name: 'name', type: 'string' },
        { name: 'parent', type: 'string', ...(above === '' ? {} : { 'nomenclator:embed': above }) },
        { name: 'area', type: 'number' },
        { name: 'opened', type: 'date' },
      ],
      primaryKey: 'code',
      foreignKeys: [{ fields: 'parent', reference: { resource: above, fields: 'code' } }],
    },
  }
}
