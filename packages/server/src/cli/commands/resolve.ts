// nomenclator resolve FILE
import { resolve as absolute } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { command } from '../command.ts'
import { type InvalidFlag, text, yes } from '../flags/flags.ts'
import { homeFlags } from '../flags/shelf-flags.ts'
import { openHome } from '../home/open-home.ts'
import { STANDARD } from '../terminal/output.ts'

export const resolveCommand = command({
  name: 'resolve',
  summary: 'Add official codes to the rows of a table',
  description: 'Each row gets identifiers and codes, and a score that says how sure the match is.',
  operands: { usage: 'FILE', min: 1, max: 1 },
  flags: {
    columns: {
      value: 'LIST',
      description:
        'columns to read, such as estado,municipio,localidad; ENTIDAD=estado reads a column with another name, and address=q one of free text; default is every column whose name is a list, or q',
      parse: text,
    },
    out: { value: 'FILE', description: 'file to write; - for standard output', defaultValue: '-', parse: text },
    threshold: {
      value: 'SCORE',
      description: 'lowest score, from 0 to 1, of a match that is filled in',
      defaultValue: '0',
      parse: scoreOf,
    },
    json: { description: 'print the summary as JSON', parse: yes },
    ...homeFlags,
  },
  examples: [
    'resolve students.csv --out resolved.csv',
    'resolve students.csv --columns estado,municipio,localidad --out resolved.csv',
    'resolve students.csv --columns NOM_ENT=estado,NOM_MUN=municipio --threshold 0.8 --out -',
    'resolve - --columns address=q --out - < addresses.csv',
  ],
  run: async ({ values, operands, terminal }) => {
    const [file] = operands as [string]
    if (values.out !== STANDARD && absolute(values.out) === absolute(file))
      throw new OperationalError(`--out ${values.out} is the file that is read; give another one`)
    const release = (await openHome(values, terminal)).openCurrent()
    if (release === undefined)
      throw new OperationalError('there is no release to resolve with; nomenclator import bundled makes one')
    const { resolveTable } = await import('../resolving/resolve-table.ts')
    const summary = await resolveTable(release, { ...values, file }, terminal)
    // Standard output has the rows.
    const print = values.out === STANDARD ? terminal.err : terminal.out
    print(values.json ? `${JSON.stringify(summary.json())}\n` : summary.text())
  },
})

function scoreOf(given: string): number | InvalidFlag {
  const score = /^[0-9]*\.?[0-9]+$/.test(given) ? Number(given) : Number.NaN
  return score >= 0 && score <= 1 ? score : { allowed: 'a number from 0 to 1, such as 0.8' }
}
