// Tables that are named like the lists that ship with the program are those lists; others of the same name are not.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInCatalog } from '../built-in.ts'
import { Faults } from '../faults.ts'
import { Findings } from '../findings.ts'
import { openPackage } from './open-package.ts'

const scratch = mkdtempSync(join(tmpdir(), 'nomenclator-named-'))
afterAll(() => rmSync(scratch, { recursive: true }))

async function opened(files: Readonly<Record<string, string>>) {
  const directory = mkdtempSync(join(scratch, 'case-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  const source = await openPackage(directory)
  source.close()
  return { directory, source }
}

const PAIS = 'cvePais,descPais,idPais\nMEX,México,484\n'
const ESTADO = 'cveEstado,cveRenapo,descEstado,idEstado,idPais\nHGO,HG,Hidalgo,13,484\n'
const MUNICIPIO = '{"cveMunicipio":"001","descMunicipio":"Mineral","idEstado":13,"idMunicipio":7}\n'

describe('are the lists that ship with the program', () => {
  const cases: readonly [what: string, files: Readonly<Record<string, string>>, lists: readonly string[]][] = [
    ['by the name of the list', { 'pais.csv': PAIS, 'estado.csv': ESTADO }, ['pais', 'estado']],
    ['by the name of the collection', { 'municipios.ndjson': MUNICIPIO, 'paises.csv': PAIS }, ['pais', 'municipio']],
    ['whatever else is there', { 'pais.csv': PAIS, 'README.md': '', 'old.csv.bak': '' }, ['pais']],
    ['with a column misspelt', { 'pais.csv': PAIS.replace('descPais', 'descPias') }, ['pais']],
    ['with only other names of records', { 'aliases.csv': 'entity,code,alias,reason\npais,MEX,Méjico,older\n' }, []],
  ]
  test.each(cases)('%s, which is told', async (_, files, lists) => {
    const { source, directory } = await opened(files)
    expect(source.provides).toEqual(lists)
    expect(source.note).toStartWith(`${directory} has no datapackage.json; its files are named like lists that ship`)
    expect(source.packages).toBeUndefined()
    expect(source.catalog).toBe(builtInCatalog)
  })
})

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['columns of its own', { 'area.csv': 'code,name\n1,One\n2,Two\n' }, ['area']],
  [
    'a descriptor',
    { 'pais.csv': PAIS, 'datapackage.json': '{"name":"x","resources":[{"path":"pais.csv"}]}' },
    ['pais'],
  ],
])('a table of the same name with %s is a list of its own package', async (_, files, resources) => {
  const { source } = await opened(files)
  expect(source.note).toBeUndefined()
  expect(source.package.lists).toHaveLength(resources.length)
  expect(source.packages).toEqual([source.package])
})

describe('refuses', () => {
  const cases: readonly [what: string, files: Readonly<Record<string, string>>, wrong: string][] = [
    ['a misspelt file', { 'pais.csv': PAIS, 'estdo.csv': ESTADO }, 'also estdo.csv (did you mean estado.csv?)'],
    ['a file unlike any other', { 'pais.csv': PAIS, 'ventas.ndjson': '' }, 'also ventas.ndjson, which is none of them'],
    ['two files of one list', { 'pais.csv': PAIS, 'paises.ndjson': '' }, 'has both pais.csv and paises.ndjson; leave'],
  ]
  test.each(cases)('%s', (_, files, wrong) => expect(opened(files)).rejects.toThrow(wrong))

  test('another name for the package', () => {
    const directory = mkdtempSync(join(scratch, 'case-'))
    writeFileSync(join(directory, 'pais.csv'), PAIS)
    expect(openPackage(directory, { name: 'mine' })).rejects.toThrow('leave out --name')
  })
})

test('what is wrong is told by file, line and column', async () => {
  const { source, directory } = await opened({ 'pais.csv': PAIS.replace('descPais', 'descPias') })
  const report = { faults: new Faults(), findings: new Findings() }
  const read = Array.fromAsync(source.read('pais', report) as AsyncIterable<unknown>)
  await expect(read).rejects.toThrow(`${join(directory, 'pais.csv')}:1, descPias: "descPias"; expected a known column`)
})
