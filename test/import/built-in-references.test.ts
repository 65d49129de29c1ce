// A spreadsheet of offices that names municipalities and countries by code: its records embed those that ship with the program.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundledHome, nomenclator, TestDirectory, type TestHome } from '../support/releases.ts'
import { Service } from '../support/service.ts'

setDefaultTimeout(240_000)

const OFFICES = `Oficinas de atención 2024;;;;
;;;;
clave;nombre;municipio;pais;telefono
OF-01;Oficina Centro;14039;MX;3312345678
OF-02;Oficina Norte;19039;MX;8112345678
OF-03;Oficina Sur;07101;MX;9611234567
OF-04;Oficina Este;09015;MX;5512345678
OF-05;Oficina Oeste;14120;US;3312345679
`

const directory = new TestDirectory()
let home: TestHome
let service: Service
beforeAll(async () => {
  home = await bundledHome()
  const file = join(directory.path, 'oficinas.csv')
  writeFileSync(file, OFFICES)
  const { code, err } = await nomenclator('import', 'package', file, '--home', home.path)
  expect(`${code} ${err}`).toBe('0 ')
  service = await Service.over(home, { flags: ['--workers', '1'] })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  for (const path of [directory, home]) path[Symbol.dispose]()
})

const json = async (path: string) => (await fetch(service.url + path)).json()
const codes = async (query: string): Promise<string> =>
  ((await json(`/api/v2/oficinas?${query}`)) as readonly { clave: string }[]).map(({ clave }) => clave).join()

test('a record embeds the municipality and the country, with all that is above them', async () => {
  expect(await json('/api/v2/oficinas/OF-01')).toMatchObject({
    municipio: { descMunicipio: 'Guadalajara', idEstado: { descEstado: 'Jalisco', idPais: { cvePais: 'MEX' } } },
    pais: { cvePais: 'MEX' },
    telefono: '3312345678',
  })
})

test.each([
  ['municipio=580', 'OF-01'],
  ['municipio.idEstado=14', 'OF-01,OF-05'],
  ['municipio.idEstado.idPais=484&pais=840', 'OF-05'],
])('%s finds what is below', async (query, expected) => {
  expect(await codes(query)).toBe(expected)
})

test('a state has the offices in it as children, so that a form can go from one to the other', async () => {
  const { collections } = (await json('/api/v2')) as {
    collections: readonly { name: string; children: readonly string[] }[]
  }
  const children = (name: string) => collections.find((one) => one.name === name)?.children.join() ?? ''
  for (const above of ['paises', 'estados', 'municipios']) expect(children(above)).toContain('/oficinas')
  const within = (await json('/api/v2/estados/14/oficinas')) as readonly { clave: string }[]
  expect(within.map(({ clave }) => clave)).toEqual(['OF-01', 'OF-05'])
})

test('the page of the list shows how it was read, and a telephone without groups of digits', async () => {
  const page = await (await fetch(`${service.url}/explore/oficinas?lang=en`)).text()
  expect(page).toContain('How this list was read')
  expect(page).toContain('&quot;resource&quot;: &quot;municipios&quot;')
  expect(page).toContain('3312345678')
})
