// Reads a table of aliases: other names by which people call a record, each with its reason.
import { readFileSync } from 'node:fs'
import { wordsOf } from '../../catalog/words.ts'
import { builtInCatalog } from '../built-in.ts'
import type { Faults } from '../faults.ts'
import type { Alias } from '../source.ts'
import { hasWidth, parseCsvLine } from './csv.ts'

export const ALIAS_COLUMNS = ['entity', 'code', 'alias', 'reason'] as const
/** The most aliases of a file: all of them are in memory when a release is searched. */
const MAX_ALIASES = 20_000

/** The aliases of a file whose rows are in order; the faults of the others are reported. */
export function readAliases(path: string, faults: Faults): Alias[] {
  const [header = '', ...lines] = readFileSync(path, 'utf8')
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
  const aliases: Alias[] = []
  const fault = (line: number, column: string, value: unknown, expected: string) =>
    faults.add({ file: path, line, column, value, expected })
  if (header !== ALIAS_COLUMNS.join(',')) {
    fault(1, 'all', header, `the header ${ALIAS_COLUMNS.join(',')}`)
    return []
  }
  for (const [at, text] of lines.entries()) {
    if (text === '') continue
    const line = at + 2
    const values = parseCsvLine(text)
    if ('expected' in values) fault(line, ALIAS_COLUMNS[values.position] ?? 'all', text, values.expected)
    else if (hasWidth(values, ALIAS_COLUMNS.length, { file: path, line }, faults)) {
      const [entity, code, alias, reason] = values as [string, string, string, string]
      if (!builtInCatalog.entities.has(entity))
        fault(line, 'entity', entity, `one of ${[...builtInCatalog.entities.keys()].join(', ')}`)
      else if (wordsOf(alias).length === 0) fault(line, 'alias', alias, 'letters or digits')
      else aliases.push({ entity, code, alias, reason })
    }
  }
  if (aliases.length > MAX_ALIASES) fault(1, 'all', `${aliases.length} aliases`, `at most ${MAX_ALIASES}`)
  return aliases
}
