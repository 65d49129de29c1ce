// A copy of the tree with one more list that ships: its table, and its resource in the descriptor.
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ran } from './command.ts'
import { TestDirectory } from './releases.ts'

const ROOT = join(import.meta.dir, '..', '..')

const TABLE = `\
cveMoneda,descMoneda,idMoneda,decimales,nombreEn
ARS,Peso argentino,32,2,Argentine peso
BRL,Real brasileño,986,2,Brazilian real
CAD,Dólar canadiense,124,2,Canadian dollar
CLP,Peso chileno,152,0,Chilean peso
COP,Peso colombiano,170,2,Colombian peso
CUP,Peso cubano,192,2,Cuban peso
GTQ,Quetzal,320,2,Quetzal
JPY,Yen,392,0,Yen
MXN,Peso mexicano,484,2,Mexican peso
PEN,Sol,604,2,Sol
USD,Dólar estadounidense,840,2,United States dollar
UYU,Peso uruguayo,858,2,Uruguayan peso
`

const required = { required: true }
const name = 'nomenclator:role'
const RESOURCE = {
  name: 'moneda',
  type: 'table',
  title: 'Currencies',
  path: 'moneda.csv',
  format: 'csv',
  mediatype: 'text/csv',
  encoding: 'utf-8',
  schema: {
    fields: [
      {
        ...{ name: 'cveMoneda', type: 'string', title: 'ISO 4217', description: 'currency code' },
        ...{ constraints: { required: true, pattern: '[A-Z]{3}' }, [name]: 'code' },
        'nomenclator:shape': 'three upper-case letters',
      },
      {
        ...{ name: 'descMoneda', type: 'string', description: 'currency name', constraints: required },
        ...{ [name]: 'name', 'nomenclator:language': 'es' },
      },
      { name: 'idMoneda', type: 'integer', description: 'currency identifier', constraints: required },
      {
        ...{ name: 'decimales', type: 'integer', description: 'digits after the point' },
        ...{ constraints: { minimum: 0, maximum: 4 }, [name]: 'fact' },
      },
      {
        ...{ name: 'nombreEn', type: 'string', description: 'currency name in English' },
        ...{ constraints: { pattern: '[^\\x00-\\x1f\\x7f]{1,1000}' }, [name]: 'fact' },
        ...{ 'nomenclator:shape': 'a name in one line', 'nomenclator:language': 'en' },
      },
    ],
    primaryKey: ['idMoneda'],
  },
  'nomenclator:collection': 'monedas',
  'nomenclator:title': { es: 'Monedas', en: 'Currencies' },
  'nomenclator:order': 'by key',
  'nomenclator:code': ['cveMoneda'],
}

/** Copies every file that the project tracks or has newly written, and adds the list. */
export async function treeWithAddedList(): Promise<TestDirectory> {
  const directory = new TestDirectory()
  const { out } = await ran(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  for (const file of out.split('\0').filter((one) => one !== ''))
    cpSync(join(ROOT, file), join(directory.path, file), { preserveTimestamps: true })
  const built = join('packages', 'server', 'src', 'explorer', 'built')
  cpSync(join(ROOT, built), join(directory.path, built), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(directory.path, 'node_modules'))
  const descriptor = join(directory.path, 'data', 'datapackage.json')
  const shipped = JSON.parse(readFileSync(descriptor, 'utf8'))
  writeFileSync(descriptor, JSON.stringify({ ...shipped, resources: [...shipped.resources, RESOURCE] }))
  writeFileSync(join(directory.path, 'data', RESOURCE.path), TABLE)
  return directory
}
