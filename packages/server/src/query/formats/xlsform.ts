// Records as the choices of an XLSForm, for ODK and KoboToolbox: a workbook with the list and those above it, in cascade.
import { checkpoint } from '../../base/checkpoint.ts'
import { parseOwnJson } from '../../base/json.ts'
import { memoized } from '../../base/memoized.ts'
import type { Entity } from '../../catalog/entity.ts'
import { lineageOf } from '../../catalog/lineage.ts'
import { choiceReader, choicesAbove, type FormChoice } from './choices.ts'
import { aboutIn, labelsIn } from './file-words.ts'
import { NO_BYTES, type RecordFormat } from './record-format.ts'
import { Archive, partsAround, sheetPart, textSheet, WORKBOOK_TYPE } from './workbook.ts'
import { aboutSheet, SharedTexts } from './xlsx.ts'

/** The languages of the labels, as an XLSForm names them in its columns. */
const LANGUAGES = [
  ['es', 'label::Español (es)'],
  ['en', 'label::English (en)'],
] as const
const LABELS = LANGUAGES.map(([, column]) => column)
const [[SPANISH], [ENGLISH]] = LANGUAGES
const MAX_RECORDS = 50_000

/** Columns of the sheets; a list of such a name is called otherwise. */
const RESERVED: ReadonlySet<string> = new Set([
  'list_name',
  'name',
  'label',
  'order',
  'media',
  'image',
  'audio',
  'video',
])
/** The name of a list, as the question that it is offered for and the column of its records have it, too. */
const listName = ({ name }: Entity): string => (RESERVED.has(name) || !/^[a-z_]/.test(name) ? `_${name}` : name)

export const xlsform: RecordFormat = {
  title: 'XLSForm',
  description:
    'a workbook whose sheet choices has the records and those above them, for cascades in forms of ODK and KoboToolbox',
  cost: { fixed: Number.POSITIVE_INFINITY, perKilobyte: 0 },
  mediaTypes: [WORKBOOK_TYPE],
  hasColumns: false,
  isCompressed: true,
  saysAbout: true,
  extension: 'xlsx',
  maxRecords: MAX_RECORDS,
  wholeUpTo: MAX_RECORDS,
  reader: (release, entity) => {
    const languages = [SPANISH, ENGLISH]
    const choiceOf = choiceReader(entity, languages)
    const above = choicesAbove(release, entity, languages)
    const textOf = memoized((choices: readonly FormChoice[]) => JSON.stringify(choices))
    return (json, position) =>
      Buffer.from(`${JSON.stringify(choiceOf(json, position))}${NEXT}${textOf(above(position))}`)
  },
  encoder: (entity, _, about) => {
    const lists = lineageOf(entity).map((list) => ({ list, name: listName(list), rows: new Map<string, string[]>() }))
    const known = new Map<string, readonly FormChoice[]>()
    return {
      head: NO_BYTES,
      records: (choices) => {
        for (const json of choices) {
          checkpoint()
          const [own = '', texts = ''] = decoder.decode(json).split(NEXT)
          const above = known.getOrInsertComputed(texts, () => parseOwnJson(texts) as readonly FormChoice[])
          addRows(lists, [parseOwnJson(own) as FormChoice, ...above])
        }
        return []
      },
      gap: NO_BYTES,
      tail: () => {
        const fromTop = lists.toReversed()
        const parents = fromTop.slice(0, -1).map(({ name }) => name)
        const choices = [
          ['list_name', 'name', ...LABELS, ...parents],
          ...fromTop.flatMap(({ rows }) => [...rows.values()]),
        ]
        const archive = new Archive(about.built)
        const words = labelsIn(SPANISH)
        const parts = partsAround(['survey', 'choices', words.about])
        for (const [name, xml] of Object.entries(parts)) archive.add(name, xml)
        for (const [at, sheet] of [
          textSheet(survey(fromTop)),
          textSheet(choices),
          aboutSheet(aboutIn(SPANISH, entity, about), words),
        ].entries())
          archive.add(sheetPart(at + 1), sheet)
        archive.add('xl/sharedStrings.xml', new SharedTexts().xml())
        archive.end()
        return archive.taken()
      },
    }
  },
}

/** Between a choice and those above it, which many have in common. JSON has none. */
const NEXT = '\n'
const decoder = new TextDecoder()

type ListRows = { readonly list: Entity; readonly name: string; readonly rows: Map<string, string[]> }

/** Adds the rows of a record and of those above it, each once, with the values of all above it from the top. */
function addRows(lists: readonly ListRows[], choices: readonly FormChoice[]): void {
  for (const [at, { value, labels }] of choices.entries()) {
    const { name, rows } = lists[at] as ListRows
    if (rows.has(value)) continue
    const above = lists.slice(at + 1).map((_, next) => choices[at + 1 + next]?.value ?? '')
    rows.set(value, [name, value, ...labels, ...above.toReversed()])
  }
}

/** A question for each list, which offers what is in the choice before it. */
const survey = (lists: readonly ListRows[]): string[][] => [
  ['type', 'name', ...LABELS, 'choice_filter'],
  ...lists.map(({ list: { title, titles }, name }, at) => {
    const before = lists[at - 1]?.name
    const filter = before === undefined ? '' : `${before}=\${${before}}`
    return [`select_one ${name}`, name, titles?.[SPANISH] ?? title, title, filter]
  }),
]
