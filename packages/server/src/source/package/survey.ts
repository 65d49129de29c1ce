// Reads a table to its end before anything is published of it: what its values are, which keys it has, what refers to nothing.
import { MAX_VALUE, rowChecker } from '../../catalog/check.ts'
import type { Identity } from '../../catalog/entity.ts'
import { nameFindings } from '../../catalog/name-findings.ts'
import { Faults, type SourceLocation } from '../faults.ts'
import { type ConstraintCheck, constraintCheck } from './constraints.ts'
import type { ListPlan } from './descriptor.ts'
import { FieldFindings } from './field-findings.ts'
import { excerpt, type FieldCount, fitted, type Odd, ownFields, tellOdd } from './fitted-plan.ts'
import type { OutsideLists } from './known-lists.ts'
import { ListRecords } from './list-records.ts'
import { LostZeros } from './lost-zeros.ts'
import type { Table, TableRows } from './read/rows.ts'
import { UnreadableTable } from './read/unreadable-table.ts'
import { type RepeatedRow, RepeatedRows } from './repeated-rows.ts'
import { type FieldObserver, type MadeRow, RowMaker } from './row-maker.ts'
import { lineOf, RowPlaces } from './row-places.ts'
import { plantTree } from './tree.ts'

/** What is known of a list once its table was read. */
export type Surveyed = {
  readonly plan: ListPlan
  readonly table: Table
  readonly records: ListRecords
  readonly rows: number
  readonly findings: FieldFindings
  /** What is odd about its names, which is reported again when they are published. */
  readonly nameFindings: FieldFindings
  readonly faults: Faults
  /** Columns of the key, where rows have the same. */
  readonly notUnique?: readonly string[]
}

/** The records of a list of the package that was read already, or of one outside of it. */
export const recordsIn =
  (lists: ReadonlyMap<string, Surveyed>, { definitions, recordsOf }: OutsideLists): SurveyContext['recordsOf'] =>
  (name) => {
    const own = lists.get(name)
    if (own !== undefined) return { entity: own.plan.entity, records: own.records }
    const entity = definitions.find((one) => one.name === name)
    return entity && { entity, records: recordsOf(name) }
  }

type SurveyContext = {
  readonly recordsOf: ConstructorParameters<typeof RowMaker>[2]
  /** The sets of fields of the list that others refer to it by. */
  readonly indexed: readonly (readonly string[])[]
  /** True if another key is inferred where this one does not hold. */
  readonly isKeyOpen: boolean
}

export async function survey(plan: ListPlan, table: Table, context: SurveyContext): Promise<Surveyed> {
  const surveying = new Survey(plan, table, context)
  return surveying.run()
}

const MAX_PLACES = 10_000
/** What people write where there is nothing. */
const LOOKS_MISSING = new Set(['NA', 'N/A', 'n/a', 'null', 'NULL', 'None', 'nan', 'NaN', '-', '--', '?', '#N/A'])
const MAX_LOOKS_MISSING = 4

class Survey {
  readonly #context: SurveyContext
  readonly #plan: ListPlan
  readonly #table: Table
  readonly #maker: RowMaker
  readonly #records: ListRecords
  readonly #faults = new Faults(MAX_PLACES)
  readonly #findings = new FieldFindings()
  readonly #nameFindings = new FieldFindings()
  readonly #names: readonly string[]
  readonly #places = new RowPlaces()
  readonly #counts: ReadonlyMap<string, FieldCount>
  readonly #constraints: ReadonlyMap<string, ConstraintCheck>
  readonly #lostZeros: ReadonlyMap<string, LostZeros>
  readonly #check: ReturnType<typeof rowChecker>
  readonly #repeated: RepeatedRows
  #rows = 0
  #place = 0
  #isUnique = true
  #hasBrokenText = false

  constructor(plan: ListPlan, table: Table, context: SurveyContext) {
    const { recordsOf, indexed } = context
    this.#context = context
    this.#plan = plan
    this.#table = table
    this.#names = Object.keys(plan.entity.fields).filter((field) => plan.entity.fields[field]?.kind === 'name')
    this.#records = new ListRecords(indexed, table.header)
    const names = [...plan.fields.keys()]
    this.#counts = new Map(
      names.map((name) => [name, { given: 0, missing: 0, misfits: noneOdd(), unresolved: noneOdd() }]),
    )
    this.#constraints = new Map(
      [...plan.fields].flatMap(([name, { value }]) => {
        const check = value.constraints === undefined ? undefined : constraintCheck(value.constraints)
        return check === undefined ? [] : [[name, check]]
      }),
    )
    this.#lostZeros = new Map(
      [...plan.fields].flatMap(([name, { columns, value }]) =>
        columns.length === 1 &&
        (value.type === 'string' || [...plan.entity.key, ...plan.entity.code].includes(name)) &&
        plan.entity.fields[name]?.kind !== 'name'
          ? [[name, new LostZeros()]]
          : [],
      ),
    )
    this.#check = rowChecker(ownFields(plan.entity))
    this.#repeated = new RepeatedRows(table)
    this.#maker = new RowMaker(plan, table.header, recordsOf, (field) => this.#observerOf(field))
  }

  async run(): Promise<Surveyed> {
    try {
      for await (const batch of this.#table.rows({ faults: this.#faults, findings: this.#findings.of() })) {
        this.#takeBatch(batch)
        // Enough to know that it is no key; where it was inferred, another is.
        if (this.#repeated.areMany && this.#context.isKeyOpen) break
      }
      await this.#repeated.compare((...found) => this.#tellRepeated(...found))
      this.#refuseUncompared(this.#repeated.uncompared)
    } catch (error) {
      if (!(error instanceof UnreadableTable)) throw error
      this.#faults.add(error.fault)
    }
    const plan = fitted(this.#plan, this.#counts, this.#rows)
    this.#tellCounts(plan)
    for (const [field, lost] of this.#lostZeros) lost.tell(this.#findings.of(field), field)
    this.#plant()
    this.#checkNumber()
    const faults = await this.#allFaults()
    return {
      plan,
      table: this.#table,
      records: this.#records,
      rows: this.#records.size,
      findings: this.#findings,
      nameFindings: this.#nameFindings,
      faults,
      ...(this.#isUnique ? {} : { notUnique: this.#keyColumns }),
    }
  }

  /** Values that could not be decoded have one cause, which is reported before them. */
  async #allFaults(): Promise<Faults> {
    const cause = this.#hasBrokenText ? await this.#table.notUtf8() : undefined
    if (cause === undefined) return this.#faults
    const faults = new Faults(MAX_PLACES)
    faults.add(cause)
    faults.include(this.#faults)
    return faults
  }

  get #keyColumns(): readonly string[] {
    return this.#plan.entity.key.flatMap((field) => this.#plan.fields.get(field)?.columns ?? [])
  }

  #takeBatch({ file, lines, rows }: TableRows): void {
    for (let index = 0; index < rows.length; index++) {
      const values = rows[index] as string[]
      this.#place = this.#places.of(file, lines[index] as number)
      this.#rows++
      const row = this.#maker.make(values)
      const identity = this.#maker.identity(row)
      for (const { field, value, expected } of this.#check(row)) {
        // A key that is missing is reported as such.
        if (value === undefined) continue
        if (isBroken(value)) this.#hasBrokenText = true
        this.#faults.add({ ...this.#location, column: field, value, expected })
      }
      if (identity === undefined) this.#refuseBlankKey(row)
      else this.#takeRecord(identity, values, row)
    }
  }

  get #location(): SourceLocation {
    return this.#places.location(this.#place)
  }

  #refuseBlankKey(row: MadeRow): void {
    for (const field of this.#plan.entity.key) {
      if (row[field] !== undefined) continue
      if (this.#plan.leavesOutRows) {
        this.#leaveOutRow(this.#place, `no ${field}`)
        return
      }
      const counts = this.#counts.get(field)
      const [misfit] = counts?.misfits.examples.slice(-1) ?? []
      const column = this.#plan.fields.get(field)?.columns.join(', ') ?? field
      const value = misfit?.location.line === lineOf(this.#place) ? misfit.text : undefined
      const expected =
        value === undefined ? 'a value, because it is part of the key' : 'a whole number, because it is the key'
      this.#faults.add({ ...this.#location, column, value, expected })
    }
  }

  #takeRecord(identity: Identity, values: readonly string[], row: MadeRow): void {
    const earlier = this.#records.add(identity, this.#place, this.#maker.broader(values), values)
    if (earlier === undefined) {
      this.#lookAtNames(row)
      return
    }
    this.#repeated.add({ identity, earlier: this.#records.placeAt(earlier), place: this.#place, values })
  }

  #lookAtNames(row: MadeRow): void {
    for (const field of this.#names) {
      const name = row[field]
      if (typeof name !== 'string') continue
      for (const { kind, description } of nameFindings(name))
        this.#nameFindings.of(field).add(kind, description, { ...this.#location, column: field, value: excerpt(name) })
    }
  }

  /** So many rows with a key that was there before that nobody compares them. */
  #refuseUncompared(count: number): void {
    const { file } = this.#table
    if (count > 0) this.#isUnique = false
    for (let index = 0; index < count; index++)
      this.#faults.add({ file, line: 1, column: 'all', value: 'more rows', expected: 'keys of their own' })
  }

  /** Rows with a key that was there before: left out where they are the same, and else a fault. */
  #tellRepeated({ identity, earlier, place }: RepeatedRow, isSame: boolean): void {
    const shown = String(identity).replaceAll('\0', ', ')
    const [before, here] = [this.#places.location(earlier), this.#places.location(place)]
    const where = before.file === here.file ? `line ${before.line}` : `${before.file}:${before.line}`
    if (isSame) {
      const description = 'a row is the same as one before it, and is left out'
      this.#findings.of().add('repeated-row', description, { ...here, value: shown, says: `${shown}, as in ${where}` })
      return
    }
    if (this.#plan.leavesOutRows) {
      this.#leaveOutRow(place, `${shown}, as in ${where}`)
      return
    }
    this.#isUnique = false
    const expected = `a key that no row before it has, and ${where} has it; mend it, or declare a primaryKey of more fields`
    this.#faults.add({ ...here, column: this.#keyColumns.join(', '), value: shown, expected })
  }

  #leaveOutRow(place: number, says: string): void {
    const description = 'a row lacks its key, or has that of one before it, and is left out'
    this.#findings.of().add('row-left-out', description, { ...this.#places.location(place), says })
  }

  #observerOf(field: string): FieldObserver {
    const counts = this.#counts.get(field) as FieldCount
    const constraints = this.#constraints.get(field)
    const lostZeros = this.#lostZeros.get(field)
    const here = () => this.#location
    return {
      given: (text) => {
        counts.given++
        lostZeros?.take(text, here)
        if (text.length <= MAX_LOOKS_MISSING && LOOKS_MISSING.has(text)) this.#tellLooksMissing(field, text)
        const breach = constraints?.breach(text)
        if (breach !== undefined) this.#tellBreach(field, text, breach)
      },
      missing: () => {
        counts.missing++
        if (constraints?.isRequired) this.#tellBreach(field, '', 'a value, because it is required')
      },
      misfit: (text) => {
        this.#note(counts.misfits, text)
        if (isBroken(text)) this.#hasBrokenText = true
        if (text.length > MAX_VALUE || isBroken(text))
          this.#faults.add({
            ...this.#location,
            column: field,
            value: text,
            expected: `sound text of at most ${MAX_VALUE} characters`,
          })
      },
      unresolved: (text, whole) => {
        if (whole === undefined || this.#plan.entity.key.includes(field)) this.#note(counts.unresolved, text)
        else this.#tellLostZero(field, text, whole)
      },
      brokenLine: (text) =>
        this.#findings.of(field).add('line-break-in-name', 'a name or a code has line breaks, which became blanks', {
          ...this.#location,
          column: field,
          value: excerpt(text),
        }),
    }
  }

  #tellLostZero(field: string, text: string, whole: string): void {
    const counts = this.#counts.get(field) as FieldCount
    counts.missing++
    const description =
      'a value refers to no record of the other list, as if it had lost zeros at its beginning, and is left out; write the zeros in the file'
    const says = `${text}, which must have been ${whole}`
    this.#findings.of(field).add('lost-zero', description, { ...this.#location, column: field, value: text, says })
  }

  #note(odd: Odd, text: string): void {
    odd.count++
    if (odd.examples.length < MAX_PLACES) odd.examples.push({ location: this.#location, text })
  }

  /** A descriptor that declares the values for missing ones knows of this one. */
  #tellLooksMissing(field: string, text: string): void {
    if (this.#plan.fields.get(field)?.value.missingValues.length !== 0) return
    const description =
      'a value looks as if it stood for a missing one, and is published as it is; if it does, declare it in missingValues'
    this.#findings.of(field).add('looks-missing', description, { ...this.#location, column: field, value: text })
  }

  #tellBreach(field: string, text: string, expected: string): void {
    const description = 'a value breaks a constraint that the schema declares, and is published as it is'
    const value = excerpt(text)
    this.#findings.of(field).add('constraint', description, {
      ...this.#location,
      column: field,
      value,
      says: `${value}; expected ${expected}`,
    })
  }

  #tellCounts({ entity, fields }: ListPlan): void {
    for (const [field, { misfits, unresolved }] of this.#counts) {
      const isWidened = fields.get(field)?.value !== this.#plan.fields.get(field)?.value
      const type = this.#plan.fields.get(field)?.value.type
      const before = this.#plan.entity.fields[field]?.kind
      const findings = this.#findings.of(field)
      if (misfits.count > 0 && before !== 'id')
        tellOdd(
          findings,
          misfits,
          field,
          isWidened ? 'not-of-type' : 'value-left-out',
          isWidened
            ? 'values of a field are not of the type that it should have, so it is published as text'
            : 'a few values are not of the type of their field, and are left out',
          `; expected ${type}`,
        )
      const isKey = entity.key.includes(field)
      if (isKey) this.#refuseUnresolved(unresolved, field)
      else if (unresolved.count > 0)
        tellOdd(
          findings,
          unresolved,
          field,
          'reference-not-found',
          'a value refers to no record of the other list, and is left out',
          '',
        )
    }
  }

  /** Part of a key that refers to nothing: the row cannot be published, and its blank key was reported already. */
  #refuseUnresolved({ examples }: Odd, field: string): void {
    for (const { location, text } of examples)
      this.#faults.add({ ...location, column: field, value: text, expected: 'the key of a record of the other list' })
  }

  #plant(): void {
    const { broaderField } = this.#maker
    if (broaderField === undefined) return
    const plan = this.#plan.fields.get(broaderField)
    if (plan === undefined) return
    plantTree(this.#records, plan, (kind, description, place, text) => {
      const location = this.#places.location(place)
      this.#findings.of(broaderField).add(kind, description, { ...location, column: broaderField, value: text })
    })
  }

  #checkNumber(): void {
    const { expects } = this.#plan
    const { file } = this.#table
    if (expects !== undefined && this.#records.size < expects) {
      const expected = `at least ${expects}, as the descriptor says`
      this.#faults.add({ file, line: 1, column: 'all', value: `${this.#records.size} records`, expected })
    }
    if (this.#rows === 0) this.#findings.of().add('no-records', 'a file holds no records', { file })
  }
}

/** Whether bytes of it could not be decoded. */
const isBroken = (value: unknown) => typeof value === 'string' && value.includes('\ufffd')

const noneOdd = (): Odd => ({ count: 0, examples: [] })
