// Records as a workbook, read back by a reader that is not ours.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import readSheets from 'read-excel-file/node'
import { releaseOf } from '../../../../../test/support/releases.ts'
import { countries, placesOf, smallSource } from '../../../../../test/support/small-source.ts'
import type { OpenEntity, Release } from '../../release/release.ts'
import { filesInZip } from '../../source/zip.ts'
import { bulkPieces } from '../bulk.ts'
import { aboutRecords } from './about.ts'
import { labelsIn } from './file-words.ts'
import { bodyOf, recordEncoder } from './formats.ts'
import type { Selection } from './selection.ts'
import { xlsx } from './xlsx.ts'

setDefaultTimeout(180_000)

const LONG = 'ñ'.repeat(32_767)
/** More than an import lets through. */
const TEXTS = [
  '=1+1',
  '+52',
  '-7',
  '@here',
  '0012',
  'R&B <"Ñandú"> \u{1f335}',
  ' a\nb\t ',
  '_x0041_',
  'a\u0001b',
  LONG,
  `${LONG}!`,
]

let release: Release
beforeAll(async () => {
  const municipalities = [
    ['001', '=1+1', 14],
    ['002', '+52', 14],
  ] as const
  const localities = [
    ['0001', 'Cancún', 1, 500],
    ['0002', 'Tula', 2],
  ] as const
  release = await releaseOf(
    smallSource({
      ...placesOf({ states: [['JAL', 'JC', 'Jalisco', 14]], municipalities, localities }),
      pais: countries(501),
    }),
  )
})

/** A workbook of these texts alone. */
function ofTexts(): Buffer {
  const rendition = { fields: ['descPais'], facts: false, embed: 'full', format: 'xlsx' } as const
  const jsons = TEXTS.map((text) => Buffer.from(JSON.stringify({ cvePais: 'X', descPais: text, idPais: 1 })))
  const { definition } = release.entity('pais')
  return Buffer.from(bodyOf(recordEncoder(release, definition, rendition), jsons))
}

type Workbook = Map<string, readonly (readonly unknown[])[]>

function bytesOf(entity: OpenEntity, selection: Partial<Selection> = {}, count = entity.count): Buffer {
  const rendition = { fields: undefined, facts: false, embed: 'full', format: 'xlsx', ...selection } as const
  const positions = Uint32Array.from({ length: count }, (_, at) => at)
  return Buffer.concat(Array.from(bulkPieces(release, entity, rendition, { positions }), (piece) => Buffer.from(piece)))
}

const workbookOf = async (...of: Parameters<typeof bytesOf>): Promise<Workbook> =>
  new Map((await readSheets(bytesOf(...of), { trim: false })).map(({ sheet, data }) => [sheet, data]))

async function rowsOf(entity: string, selection: Partial<Selection> = {}, count?: number) {
  const open = release.entity(entity)
  const sheets = await workbookOf(open, selection, count ?? open.count)
  return [...sheets.values()][0] as readonly (readonly unknown[])[]
}

describe('a workbook', () => {
  test('has codes as texts, numbers as numbers, and nothing where nothing is known', async () => {
    const fields = ['cveLocalidad', 'idLocalidad', 'descLocalidad', 'idMunicipio.cveMunicipio', 'poblacion', 'cvegeo']
    expect(await rowsOf('localidad', { fields })).toEqual([
      fields,
      ['0001', 1, 'Cancún', '001', 500, '140010001'],
      ['0002', 2, 'Tula', '002', null, '140020002'],
    ])
  })

  test('has the columns of CSV, and every record of many blocks', async () => {
    const [head, ...rows] = await rowsOf('pais')
    expect(head).toEqual(['cvePais', 'descPais', 'idPais', 'alpha2', 'numeric'])
    expect(rows.map((row) => row[2])).toEqual(Array.from({ length: 501 }, (_, at) => at + 1))
  })

  test('has texts as they are, whatever they begin with, and cuts what Excel cannot hold', async () => {
    const sheets = await readSheets(ofTexts(), { trim: false })
    const names = sheets[0]?.data.slice(1).flat() ?? []
    expect(names.slice(0, 7)).toEqual(TEXTS.slice(0, 7))
    expect(names[9]).toBe(LONG)
    expect(String(names[10])).toHaveLength(LONG.length)
    expect(String(names[10])).toEndWith('[cortado: Excel admite 32,767 letras por celda]')
  })

  test('has texts of other records once, with the numbers that stand for them', async () => {
    const rows = await rowsOf('localidad', { fields: ['idMunicipio.descMunicipio', 'idMunicipio.idEstado.descEstado'] })
    expect(rows.slice(1)).toEqual([
      ['=1+1', 'Jalisco'],
      ['+52', 'Jalisco'],
    ])
    const shared = await partOf(bytesOf(release.entity('localidad')), 'xl/sharedStrings.xml')
    expect(shared.split('>Jalisco<')).toHaveLength(2)
  })

  test('has a frozen header and a filter over all rows, and no formula', async () => {
    const sheet = await partOf(ofTexts(), 'xl/worksheets/sheet1.xml')
    expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>')
    expect(sheet).toMatch(new RegExp(`<autoFilter ref="A1:A${TEXTS.length + 1}"/></worksheet>$`))
    expect(sheet).not.toContain('<f>')
    // Excel reads what stands between such underscores as the number of a letter.
    expect(sheet).toContain('>_x005F_x0041_<')
    expect(sheet).toContain('>a_x0001_b<')
  })

  test('says where the records come from', async () => {
    const sheets = await workbookOf(release.entity('pais'))
    expect([...sheets.keys()]).toEqual(['Países', 'Acerca de'])
    const about = new Map(sheets.get('Acerca de') as [string, string][])
    expect(about.get('Versión')).toBe(release.digest)
    expect(about.get('Fuente')).toBe(release.manifest.source.title)
    expect(about.get('Licencia')).toBe('La que indique la fuente')
  })

  test.each([
    [undefined, 'Países', 'Lista', 'Fuente', 'los datos que vienen con Nomenclator'],
    ['es-MX', 'Países', 'Lista', 'Fuente', 'los datos que vienen con Nomenclator'],
    ['en', 'Countries', 'List', 'Source', 'the data that ships with Nomenclator'],
    ['fr', 'Countries', 'List', 'Source', 'the data that ships with Nomenclator'],
  ] as const)(
    'has its labels, titles and sources in one language (%s)',
    async (language, title, list, source, from) => {
      const { definition } = release.entity('pais')
      const about = { ...aboutRecords(release, definition), sources: ['the data that ships with Nomenclator'] }
      const selection = { fields: undefined, facts: false, embed: 'full', language } as const
      const { head, tail } = xlsx.encoder(definition, selection, about)
      const sheets = await readSheets(Buffer.concat([head, tail()]))
      expect(sheets.map((one) => one.sheet)).toEqual([title, labelsIn(language ?? 'es').about])
      expect(sheets[1]?.data.slice(0, 2)).toEqual([
        [list, title],
        [source, from],
      ])
    },
  )

  test('of no record is the header alone', async () =>
    expect(await rowsOf('pais', {}, 0)).toEqual([['cvePais', 'descPais', 'idPais', 'alpha2', 'numeric']]))

  test('is the same bytes every time', () =>
    expect(bytesOf(release.entity('pais')).equals(bytesOf(release.entity('pais')))).toBe(true))
})

async function partOf(bytes: Buffer, name: string): Promise<string> {
  const { files } = await filesInZip({ path: 'all.xlsx', bytes } as never, (one) => one === name, {
    why: '',
    advice: '',
  })
  const chunks: Buffer[] = []
  for await (const chunk of files[0]?.open() ?? []) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
