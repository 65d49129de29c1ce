// The table of aliases that goes with lists that are defined: other names by which people call a record, each with its reason.
import { wordsOf } from '../../catalog/words.ts'
import { hasWidth } from '../csv.ts'
import type { Faults } from '../faults.ts'
import type { Alias } from '../source.ts'
import { delimitedText } from './read/delimited.ts'
import { UnreadableTable } from './read/unreadable-table.ts'

export const ALIAS_COLUMNS = ['entity', 'code', 'alias', 'reason'] as const
/** The most aliases of a table: all of them are in memory when a release is searched. */
const MAX_ALIASES = 20_000
/** The most bytes that a table of them may have. */
export const MAX_ALIAS_TABLE = 32 << 20

/** The aliases of a table whose rows are in order; the faults of the others are added. */
export function aliasesIn(file: string, text: string, lists: ReadonlySet<string>, faults: Faults): readonly Alias[] {
  const fault = (line: number, column: string, value: unknown, expected: string) =>
    faults.add({ file, line, column, value, expected })
  const { lines, rows } = rowsOf(file, text, faults)
  const header = rows[0] ?? []
  if (header.join() !== ALIAS_COLUMNS.join()) {
    fault(1, 'all', header.join(), `the header ${ALIAS_COLUMNS.join(',')}`)
    return []
  }
  const aliases: Alias[] = []
  for (let at = 1; at < rows.length; at++) {
    const [values, line] = [rows[at] as string[], lines[at] as number]
    if (!hasWidth(values, ALIAS_COLUMNS.length, { file, line }, faults)) continue
    const [entity, code, alias, reason] = values as [string, string, string, string]
    if (!lists.has(entity)) fault(line, 'entity', entity, `one of ${[...lists].join(', ')}`)
    else if (wordsOf(alias).length === 0) fault(line, 'alias', alias, 'letters or digits')
    else aliases.push({ entity, code, alias, reason })
  }
  if (aliases.length > MAX_ALIASES) fault(1, 'all', `${aliases.length} aliases`, `at most ${MAX_ALIASES}`)
  return aliases
}

function rowsOf(file: string, text: string, faults: Faults): ReturnType<typeof delimitedText> {
  try {
    const dialect = { delimiter: ',' }
    return delimitedText(text.replace(/^\ufeff/, ''), { file, dialect, tell: () => {} })
  } catch (error) {
    if (!(error instanceof UnreadableTable)) throw error
    faults.add(error.fault)
    return { lines: [], rows: [] }
  }
}
