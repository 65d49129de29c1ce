// The page that puts codes to a list: a table in, its columns named, every row looked up, the unsure ones chosen, the table out.
import { announce } from '../copy.ts'
import { element } from '../element.ts'
import { type AddedPart, columnLetters, extendedRows, LevelNames, unnamedLevels } from './added-columns.ts'
import {
  type Api,
  BodyRefused,
  type CandidateRecord,
  RequestFailure,
  type ResolvedRow,
  resolveRows,
  type SentRow,
} from './api.ts'
import { chosenColumns, type OfferedPart, showColumns } from './columns-view.ts'
import {
  type Columns,
  columnsByHeader,
  columnsByValues,
  FREE_TEXT,
  hasHeader,
  orFreeText,
  samplesOf,
  seenColumns,
} from './inferred-columns.ts'
import { filled, formatted, partOf, type ResolverWords, setWords, word } from './page-parts.ts'
import { Resolving } from './resolving.ts'
import { ResultsView } from './results-view.ts'
import {
  belowTitle,
  type Cell,
  chosenFile,
  type Separator,
  type SheetTable,
  type TableRow,
  tablesIn,
  typedFile,
  writtenCsv,
} from './table.ts'

type Settings = {
  readonly api: Api
  /** The script that reads and writes workbooks. */
  readonly xlsx: string
  readonly locale: string
  readonly parts: readonly (OfferedPart & AddedPart)[]
  readonly about: readonly (readonly [label: string, value: string])[]
  readonly words: ResolverWords
}

const MAX_FILE_BYTES = 50_000_000
const MAX_ROWS = 200_000
const TYPING_PAUSE = 250

class Resolver {
  readonly #root: HTMLElement
  readonly #settings: Settings
  /** The tables that were given: one of a text, or the sheets of a workbook. */
  #tables: readonly SheetTable[] = []
  #file: ReturnType<typeof typedFile> | undefined
  #separator: Separator | undefined
  #encoding = ''
  #fileName = ''
  #table: SheetTable | undefined
  #resolving: Resolving | undefined
  /** The choices that the last download has. */
  #savedChoices = 0
  #running: AbortController | undefined
  #guessing: AbortController | undefined
  /** The collections that free text may mean. */
  #within = ''
  readonly #results: ResultsView

  constructor(root: HTMLElement) {
    this.#root = root
    this.#settings = JSON.parse(root.dataset.settings ?? '{}') as Settings
    setWords(this.#settings.words, this.#settings.locale)
    this.#results = new ResultsView(this.#part('results'), this.#settings.api)
    this.#listen()
    root.hidden = false
  }

  #part<Kind extends HTMLElement = HTMLElement>(name: string): Kind {
    return partOf<Kind>(this.#root, name)
  }

  #listen(): void {
    const text = this.#part<HTMLTextAreaElement>('text')
    const file = this.#part<HTMLInputElement>('file')
    const drop = this.#part('drop')
    let timer: ReturnType<typeof setTimeout> | undefined
    text.addEventListener('input', () => {
      clearTimeout(timer)
      timer = setTimeout(() => this.#takeText(text.value), TYPING_PAUSE)
    })
    const takeChosen = () => {
      const [given] = file.files ?? []
      if (given !== undefined) void this.#takeFile(given)
    }
    file.addEventListener('change', takeChosen)
    // It may have been chosen before this script was there.
    takeChosen()
    // A file may be dropped anywhere on the page: the browser would open it and leave.
    addEventListener('dragover', (event) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      drop.classList.add('over')
    })
    addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) drop.classList.remove('over')
    })
    addEventListener('drop', (event) => {
      const [given] = event.dataTransfer?.files ?? []
      if (given === undefined) return
      event.preventDefault()
      drop.classList.remove('over')
      void this.#takeFile(given)
    })
    this.#part('example').addEventListener('click', () => {
      text.value = word('example')
      this.#takeText(text.value)
    })
    this.#part('sheet').addEventListener('change', ({ target }) => {
      this.#use(this.#tables[Number((target as HTMLSelectElement).value)])
    })
    this.#part('separator').addEventListener('change', ({ target }) => {
      void this.#read((target as HTMLSelectElement).value as Separator)
    })
    this.#part('has-header').addEventListener('change', () => void this.#guess())
    this.#part('resolve').addEventListener('click', () => void this.#start())
    this.#part('stop').addEventListener('click', () => this.#running?.abort())
    this.#part('continue').addEventListener('click', () => void this.#go())
    this.#part('download-xlsx').addEventListener('click', () => void this.#downloadXlsx())
    this.#part('download-csv').addEventListener('click', () => void this.#downloadCsv())
    // The browser asks before it leaves choices that no download has.
    addEventListener('beforeunload', (event) => {
      if ((this.#resolving?.choices ?? 0) > this.#savedChoices) event.preventDefault()
    })
  }

  // A list in.

  #takeText(text: string): void {
    this.#fileName = ''
    this.#file = text.trim() === '' ? undefined : typedFile(text)
    if (this.#file === undefined) this.#use(undefined)
    else void this.#read()
  }

  async #takeFile(given: File): Promise<void> {
    if (given.size > MAX_FILE_BYTES) {
      this.#refuse(filled(word('tooLarge'), formatted(MAX_FILE_BYTES / 1e6)))
      return
    }
    this.#part<HTMLTextAreaElement>('text').value = ''
    this.#fileName = given.name
    this.#file = chosenFile(given)
    if (isOldWorkbook(new Uint8Array(await given.slice(0, 2).arrayBuffer()))) this.#refuse(word('oldExcel'))
    else await this.#read()
  }

  /** Reads what was given, its values separated as chosen. */
  async #read(chosen?: Separator): Promise<void> {
    const file = this.#file
    if (file === undefined) return
    try {
      const unzip: Parameters<typeof tablesIn>[1] = async (...zip) => (await this.#xlsx()).unzip(...zip)
      const { tables, encoding, separator } = await tablesIn(file, unzip, chosen)
      // Another text may have been typed since.
      if (file !== this.#file) return
      this.#encoding = this.#fileName === '' ? '' : encoding
      this.#separator = separator
      if (separator !== undefined) this.#part<HTMLSelectElement>('separator').value = separator
      const isHeader = (row: TableRow) =>
        columnsByHeader(seenColumns(row, []), this.#settings.parts).some((part) => part !== undefined)
      this.#tables = tables.map((table) => belowTitle(table, isHeader))
      this.#use(this.#tables[0])
      if (tables.length === 0) this.#refuse(word('empty'))
    } catch {
      if (file === this.#file) this.#refuse(filled(word('unreadable'), this.#fileName))
    }
  }

  #xlsx(): Promise<typeof import('./xlsx.ts')> {
    return import(this.#settings.xlsx)
  }

  #refuse(reason: string): void {
    this.#use(undefined)
    const problem = this.#part('problem')
    problem.textContent = reason
    problem.hidden = false
  }

  #use(table: SheetTable | undefined): void {
    this.#running?.abort()
    this.#guessing?.abort()
    this.#part('problem').hidden = true
    this.#part('results').hidden = true
    this.#part('columns').hidden = true
    this.#table = table
    if (table === undefined) return
    const wrong = faultOf(table)
    if (wrong !== undefined) {
      this.#refuse(wrong)
      return
    }
    this.#part('columns').hidden = false
    this.#showSource(table)
    this.#part<HTMLInputElement>('has-header').checked = hasHeader(table.rows, this.#settings.parts)
    void this.#guess()
  }

  #showSource(table: SheetTable): void {
    const sheets = this.#part<HTMLSelectElement>('sheet')
    const field = (select: HTMLElement) => select.closest('.field') as HTMLElement
    field(sheets).hidden = this.#tables.length < 2
    sheets.replaceChildren(
      ...this.#tables.map(({ name }, at) => new Option(name, String(at), at === 0, table === this.#tables[at])),
    )
    field(this.#part('separator')).hidden = this.#separator === undefined
  }

  get #hasHeader(): boolean {
    return this.#part<HTMLInputElement>('has-header').checked
  }

  get #header(): TableRow | undefined {
    return this.#hasHeader ? this.#table?.rows[0] : undefined
  }

  get #rows(): readonly TableRow[] {
    const rows = this.#table?.rows ?? []
    return this.#hasHeader ? rows.slice(1) : rows
  }

  // Its columns.

  /** Shows the meaning by the headers at once, and the meaning by the values when the server has found it. */
  async #guess(): Promise<void> {
    const table = this.#table
    if (table === undefined) return
    this.#guessing?.abort()
    this.#guessing = new AbortController()
    const { signal } = this.#guessing
    const { parts, api } = this.#settings
    const columns = seenColumns(this.#header ?? Array<string>(table.width).fill(''), this.#rows)
    const byHeader = columnsByHeader(columns, parts)
    const samples = samplesOf(columns, byHeader, parts).slice(0, MAX_SAMPLES)
    this.#showColumns(orFreeText(byHeader, columns))
    if (samples.length === 0) return
    try {
      const sent: SentRow[] = samples.map(({ part, value }) => ({ [part]: value.slice(0, MAX_VALUE) }))
      const found = await resolveRows(api, sent, { signal })
      const scores = found.map(bestScore)
      if (!signal.aborted) this.#showColumns(orFreeText(columnsByValues(byHeader, samples, scores), columns))
    } catch {
      // The meaning by the headers stays.
    }
  }

  #showColumns(columns: Columns): void {
    const header = this.#header ?? columns.map((_, at) => filled(word('column'), columnLetters(at)))
    const source = [this.#fileName, this.#encoding].filter((one) => one !== '').join(', ')
    const counts = filled(word('size'), formatted(this.#rows.length), formatted(columns.length))
    this.#part('source').textContent = source === '' ? counts : `${source}: ${counts}`
    showColumns(this.#part('columns'), { header, rows: this.#rows, columns, parts: this.#settings.parts })
    this.#part('columns').addEventListener('change', () => this.#guessing?.abort(), { once: true })
  }

  // Every row looked up.

  async #start(): Promise<void> {
    const columns = chosenColumns(this.#part('columns'))
    const problem = this.#part('columns-problem')
    problem.hidden = columns.some((part) => part !== undefined)
    problem.textContent = problem.hidden ? '' : word('noColumn')
    if (!problem.hidden || this.#rows.length === 0) return
    this.#guessing?.abort()
    this.#running?.abort()
    this.#resolving = new Resolving(this.#rows, columns, this.#resolving)
    this.#savedChoices = 0
    const isFreeText = columns.includes(FREE_TEXT)
    this.#within = isFreeText ? this.#part<HTMLSelectElement>('within').value : ''
    const last = this.#settings.parts.findLast(({ name }) => columns.includes(name))
    this.#results.show(this.#resolving, {
      within: isFreeText ? this.#within : (last?.collection ?? ''),
      written: (row) => writtenIn(this.#rows[row] ?? [], columns),
    })
    this.#part('results').hidden = false
    this.#part('results').querySelector('h2')?.focus()
    await this.#go()
  }

  async #go(): Promise<void> {
    const resolving = this.#resolving
    if (resolving === undefined) return
    this.#running = new AbortController()
    const { signal } = this.#running
    const { api } = this.#settings
    const within = this.#within
    this.#results.setRunning(true)
    try {
      for (const entries of resolving.unresolved()) {
        const found = await resolveRows(
          api,
          entries.map(({ sent }) => sent),
          { within, signal },
        )
        for (const [at, entry] of entries.entries()) {
          const resolution = found[at]
          if (resolution !== undefined) resolving.resolve(entry, resolution)
        }
        this.#results.update(entries)
      }
      this.#results.setRunning(false)
      announce(this.#results.summary)
    } catch (error) {
      if (resolving !== this.#resolving) return
      this.#results.setRunning(false, signal.aborted ? word('stopped') : reasonOf(error))
    }
  }

  // The table out.

  async #extended(): Promise<Cell[][]> {
    const resolving = this.#resolving
    if (resolving === undefined) return []
    const names = await this.#levelNames(resolving)
    this.#savedChoices = resolving.choices
    return extendedRows(this.#header, this.#rows, resolving, {
      names,
      parts: this.#settings.parts,
      verdictHeader: word('verdictHeader'),
      verdictOf: (entry) => this.#results.verdictOf(entry),
    })
  }

  /** The names of all levels; those that no row has in full are looked up by their codes. */
  async #levelNames(resolving: Resolving): Promise<LevelNames> {
    const names = new LevelNames(resolving)
    for (const [collection, codes] of unnamedLevels(resolving, names))
      try {
        for (const found of await resolveRows(this.#settings.api, [...codes], { within: collection }))
          if (found.url !== null) names.add(found as CandidateRecord)
      } catch {
        // A level without a name is left out.
      }
    return names
  }

  async #downloadXlsx(): Promise<void> {
    const { writtenWorkbook } = await this.#xlsx()
    const about = [...this.#settings.about, [word('madeOn'), new Date().toISOString().slice(0, 10)]] as const
    const workbook = writtenWorkbook([
      { name: word('sheetName'), rows: await this.#extended(), isFrozen: true },
      { name: word('aboutName'), rows: about },
    ])
    const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    this.#download(new Blob([workbook], { type }), 'xlsx')
  }

  async #downloadCsv(): Promise<void> {
    this.#download(new Blob([writtenCsv(await this.#extended())], { type: 'text/csv;charset=utf-8' }), 'csv')
  }

  #download(content: Blob, extension: string): void {
    const href = URL.createObjectURL(content)
    const base = this.#fileName.replace(/\.[^.]*$/, '') || word('fileName')
    element('a', { href, download: `${base}-${word('fileSuffix')}.${extension}` }).click()
    setTimeout(() => URL.revokeObjectURL(href), 60_000)
  }
}

const MAX_SAMPLES = 3_000
const MAX_VALUE = 300

/** The score of the nearest record, also of an ambiguous row. */
const bestScore = ({ score, alternatives }: ResolvedRow): number =>
  Math.max(score ?? 0, ...alternatives.map((one) => one.score))

function reasonOf(error: unknown): string {
  if (error instanceof BodyRefused) return word('refusedByProxy')
  return error instanceof RequestFailure ? error.message : word('failed')
}

function faultOf({ rows }: SheetTable): string | undefined {
  if (rows.length === 0) return word('empty')
  return rows.length > MAX_ROWS ? filled(word('tooMany'), formatted(rows.length), formatted(MAX_ROWS)) : undefined
}

/** The text of a row in the columns that are looked up. */
const writtenIn = (row: TableRow, columns: Columns): string =>
  row.filter((cell, at) => columns[at] !== undefined && cell !== '').join(', ')

/** The files of Excel before 2007. */
const isOldWorkbook = (bytes: Uint8Array): boolean => bytes[0] === 0xd0 && bytes[1] === 0xcf

for (const root of document.querySelectorAll<HTMLElement>('[data-resolver]')) new Resolver(root)
