// Tables that give other names of the records of a list.
import { identityFrom } from '../../catalog/entity.ts'
import { wordsOf } from '../../catalog/words.ts'
import { Findings } from '../findings.ts'
import type { Alias } from '../source.ts'
import type { AliasPlan } from './descriptor.ts'
import type { ReadTable } from './package-tables.ts'
import type { Surveyed } from './survey.ts'

/** All of them are in memory when a release is searched. */
const MAX_ALIASES = 20_000
const MAX_ALIAS = 1_000
const BETWEEN_CODES = '-'

type AliasTables = { readonly aliases: readonly Alias[]; readonly findings: ReadonlyMap<string, Findings> }

export async function readAliasTables(
  plans: readonly AliasPlan[],
  tables: ReadonlyMap<string, ReadTable>,
  lists: ReadonlyMap<string, Surveyed>,
): Promise<AliasTables> {
  const aliases: Alias[] = []
  const findings = new Map<string, Findings>()
  for (const plan of plans) {
    const own = new Findings()
    findings.set(plan.resource, own)
    const read = tables.get(plan.resource)
    const list = lists.get(plan.entity)
    if (read === undefined || list === undefined) continue
    for await (const alias of aliasesOf(plan, read, list, own)) {
      if (aliases.length < MAX_ALIASES) aliases.push(alias)
      else
        own.add('too-many-aliases', `aliases beyond the first ${MAX_ALIASES} are left out`, {
          file: read.table.file,
          value: alias.alias,
        })
    }
  }
  return { aliases, findings }
}

async function* aliasesOf(
  plan: AliasPlan,
  { table }: ReadTable,
  { records, plan: { entity } }: Surveyed,
  findings: Findings,
): AsyncGenerator<Alias> {
  const at = (column: string) => table.header.indexOf(column)
  const code = plan.code.map(at)
  const [alias, reason] = [at(plan.alias), plan.reason === undefined ? -1 : at(plan.reason)]
  const isNumber = entity.key.map((field) => entity.fields[field]?.kind === 'id')
  for await (const { file, lines, rows } of table.rows()) {
    for (const [index, row] of rows.entries()) {
      const parts = code.map((column) => row[column] ?? '')
      const name = (row[alias] ?? '').replace(/\s+/g, ' ')
      const place = { file, line: lines[index] as number }
      if (wordsOf(name).length === 0 || name.length > MAX_ALIAS) {
        findings.add('alias-left-out', 'an alias has no letters or digits, or too many, and is left out', {
          ...place,
          column: plan.alias,
          value: name.slice(0, 60),
        })
        continue
      }
      if (!records.has(identityFrom(parts.map((part, key) => (isNumber[key] ? Number(part) : part))))) {
        findings.add('alias-of-nothing', 'an alias is of a record that is not there, and is left out', {
          ...place,
          column: plan.code.join(', '),
          value: parts.join(', '),
        })
        continue
      }
      yield { entity: entity.name, code: parts.join(BETWEEN_CODES), alias: name, reason: row[reason] ?? '' }
    }
  }
}
