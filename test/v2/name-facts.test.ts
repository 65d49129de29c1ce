// Names that are facts: shown where their language is wanted, found by, resolved by, imported, and no part of API v1.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveRow } from '../../packages/server/src/query/resolve/resolve.ts'
import { factReader } from '../../packages/server/src/release/facts.ts'
import { bundledRelease, releaseOf, sourceIn, sourceOf, TestDirectory, TestHome, tiny } from '../support/releases.ts'
import { appOf, responseTo } from '../support/responses.ts'

setDefaultTimeout(180_000)

const [analogy] = tiny.subdisciplina
/** Subdisciplines with and without an English name, in a field that has one, in an area that has none. */
const rows = {
  ...tiny,
  campo: [{ ...tiny.campo[0], nombreEn: 'Logic' }],
  disciplina: [{ ...tiny.disciplina[0], nombreEn: 'Applications' }],
  subdisciplina: [
    { ...analogy, nombreEn: 'Analogy' },
    { ...analogy, cveSubdisciplina: '110102', idSubdisciplina: 110102, descripcion: 'Otras' },
  ],
}
const built = releaseOf(sourceOf(rows))

async function get(target: string): Promise<{ text: string; language: string | null }> {
  const release = await built
  const app = appOf(() => release)
  const response = await responseTo(app, { target })
  return { text: await response.text(), language: response.headers.get('Content-Language') }
}

const area = { cveArea: '1', descripcion: 'Ciencias', description: 'Ciencias', idArea: 1 }
const logic = (name: string) => ({ cveCampo: '11', descripcion: name, description: name, idCampo: 11, idArea: area })
const recordIn = (names: readonly [own: string, discipline: string, field: string]) => ({
  cveSubdisciplina: '110101',
  descripcion: names[0],
  description: names[0],
  idSubdisciplina: 110101,
  disciplinaCono: {
    cveDisciplina: '1101',
    descripcion: names[1],
    description: names[1],
    idDisciplina: 1101,
    campoCono: logic(names[2]),
  },
})
const spanish = recordIn(['Analogía', 'Aplicaciones', 'Lógica'])
const english = recordIn(['Analogy', 'Applications', 'Logic'])

const LIST = '/api/v2/subdisciplinas-conocimiento'
const RECORD = `${LIST}/110101`
const ONE = 'per_page=1'
const NAMES = 'fields=descripcion,disciplinaCono.descripcion'

describe('a name that is a fact', () => {
  test.each([
    ['no part of API v1', '/api/v1/subdisciplinas-conocimiento', [spanish, expect.anything()], null],
    ['not shown where no language is wanted', RECORD, spanish, null],
    ['not shown where all are', `${RECORD}?lang=all`, spanish, null],
    ['not shown where another is wanted', `${RECORD}?lang=es`, spanish, 'es'],
    ['in the place of the published one', `${RECORD}?lang=en`, english, 'en'],
    ['so in a list', `${LIST}?lang=en&${ONE}`, [english], 'en'],
    ['so in a variety of the language', `${LIST}?lang=en-GB&${ONE}`, [english], 'en'],
    ['a fact like others', `${RECORD}?facts=true`, { ...spanish, nombreEn: 'Analogy' }, null],
    ['both', `${RECORD}?lang=en&facts=true`, { ...english, nombreEn: 'Analogy' }, 'en'],
    ['a field', `${RECORD}?fields=nombreEn`, { nombreEn: 'Analogy' }, null],
    ['shown in a field', `${RECORD}?lang=en&fields=descripcion`, { descripcion: 'Analogy' }, 'en'],
    ['absent where it is not known', `${LIST}/110102?lang=en&fields=descripcion`, { descripcion: 'Otras' }, 'es'],
  ])('is %s: %s', async (_, target, expected, language) => {
    const response = await get(target)
    expect({ record: JSON.parse(response.text), language: response.language }).toEqual({ record: expected, language })
  })

  test.each([
    ['csv', NAMES, 'descripcion,disciplinaCono.descripcion\r\nAnalogy,Applications\r\nOtras,Applications\r\n'],
    [
      'ndjson',
      NAMES,
      '{"descripcion":"Analogy","disciplinaCono":{"descripcion":"Applications"}}\n' +
        '{"descripcion":"Otras","disciplinaCono":{"descripcion":"Applications"}}\n',
    ],
  ])('is in a download as %s', async (format, fields, expected) => {
    const { text, language } = await get(`${LIST}/all?lang=en&format=${format}&${fields}`)
    expect({ text, language }).toEqual({ text: expected, language: 'en, es' })
  })

  test.each([
    ['en', 'Analogy', ['Applications', 'Logic', 'Ciencias']],
    ['es', 'Analogía', ['Aplicaciones', 'Lógica', 'Ciencias']],
  ])('finds its record, which is shown in %s', async (language, name, breadcrumb) => {
    const { text } = await get(`/api/v2/search?q=analogy+logic&lang=${language}&limit=1`)
    const matched = { field: 'nombreEn', language: 'en' }
    expect(JSON.parse(text)).toMatchObject([{ name, breadcrumb, how: ['exact'], matched }])
    expect(JSON.parse(text)[0].matches).toContainEqual({ field: 'nombreEn', ranges: [[0, 7]] })
  })

  test('resolves to its record', async () => {
    const { text } = await get('/api/v2/resolve?q=analogy&in=subdisciplinas-conocimiento')
    expect(JSON.parse(text)).toMatchObject([{ verdict: 'exact', how: ['exact'], code: '110101' }])
  })

  test('comes with its language', async () => {
    const { collections } = JSON.parse((await get('/api/v2')).text)
    const { languages, fields } = collections.find(({ name }: { name: string }) => `/api/v2/${name}` === LIST)
    expect(languages).toEqual(['es', 'en'])
    expect(fields.at(-1)).toMatchObject({ path: 'nombreEn', fact: true, language: 'en' })
  })
})

test('records without names in another language are found by those that ship with the program', async () => {
  const { verdict, record } = resolveRow(await releaseOf(sourceOf(tiny)), { text: 'Logic' })
  expect({ verdict, name: record?.name, how: record?.how }).toEqual({ verdict: 'exact', name: 'campo', how: ['alias'] })
})

describe('a table', () => {
  const header = 'cveArea,descripcion,idArea'
  const imported = async (...lines: readonly string[]) => {
    using directory = new TestDirectory()
    using home = new TestHome()
    await home.import(sourceOf(tiny))
    writeFileSync(join(directory.path, 'area.csv'), `${lines.join('\n')}\n`)
    await home.import(await sourceIn(directory.path), { acceptChanges: true })
    return factReader(home.current().entity('area'))(0)
  }

  test('may have names in another language', async () => {
    expect(await imported(`${header},nombreEn`, '1,Ciencias,1,Sciences')).toEqual({ nombreEn: 'Sciences' })
  })

  test('may have none', async () => expect(await imported(header, '1,Ciencias,1')).toEqual({ nombreEn: null }))

  test('is refused with its line if it is none', async () => {
    const rejected = imported(`${header},nombreEn`, `1,Ciencias,1,${'x'.repeat(1_001)}`)
    await expect(rejected).rejects.toThrow(/area\.csv.*2.*nombreEn.*a name of 1 to 1000 characters/s)
  })
})

test('of countries and fields of knowledge all have English names but one, as PROVENANCE.md says', async () => {
  const release = await bundledRelease()
  const unnamed = ['pais', 'area', 'campo', 'disciplina', 'subdisciplina'].flatMap((name) => {
    const entity = release.entity(name)
    const [code] = entity.definition.code
    const names = factReader(entity)
    const codes = entity.index.column(code as string)
    return Array.from({ length: entity.count }, (_, at) => at).flatMap((at) =>
      names(at).nombreEn === null && codes.kind === 'text' ? codes.texts.text(codes.values[at] as number) : [],
    )
  })
  expect(unnamed).toEqual(['240190'])
})
