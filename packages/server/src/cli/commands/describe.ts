// nomenclator describe PATH...
import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { type Described, describeFiles } from '../../source/package/describe-files.ts'
import { describedText, examinedJson } from '../../source/package/package-report.ts'
import { PROFILE_FILE, profileText, STANDARD_PROFILE } from '../../source/package/profile-file.ts'
import { command } from '../command.ts'
import { text, UsageError, yes } from '../flags/flags.ts'
import { jsonFlag, jsonText } from '../flags/json-flag.ts'
import { STANDARD, writeOutput } from '../terminal/output.ts'
import { lookingAt } from './check-package.ts'

const DESCRIPTOR = 'datapackage.json'
const MAX_FILES = 1_000

const flags = {
  output: {
    value: 'FILE',
    description: `write the descriptor there; - prints it (default ${DESCRIPTOR} beside the tables)`,
    parse: text,
  },
  force: { description: 'replace a descriptor that is there', parse: yes },
  explain: { description: 'print every decision', parse: yes },
  ...jsonFlag('what was decided'),
  home: {
    value: 'DIR',
    description: 'a home whose lists the tables may refer to; without it, those that ship with the program',
    parse: (path: string) => resolve(path),
  },
} as const

export const describeCommand = command({
  name: 'describe',
  summary: 'Write the datapackage.json of CSV or Excel files',
  description:
    'It infers types, keys, names, languages, trees and references, and prints a line for each list and for each decision in doubt.',
  operands: { usage: 'PATH...', min: 1, max: MAX_FILES },
  flags,
  examples: ['describe ./offices', 'describe offices.csv regions.csv --output -', 'describe ./offices --force --json'],
  run: async ({ values, operands, terminal }) => {
    if (values.json && values.output === STANDARD)
      throw new UsageError(['--json and --output - both print; give one of them'])
    const directory = directoryOf(operands)
    const output = values.output ?? join(directory, DESCRIPTOR)
    refuseReplacing(output, values.force)
    const described = await describeFiles(operands, values.home === undefined ? {} : await lookingAt(values.home))
    writeOutput(output, jsonText(withSchema(described, output)), terminal)
    if (output !== STANDARD) writeOutput(join(dirname(output), PROFILE_FILE), profileText(), terminal)
    if (values.json) terminal.out(jsonText(asJson(described, output)))
    else if (output === STANDARD) terminal.err(asText(described, values.explain))
    else terminal.out(`${asText(described, values.explain)}${outcome(output, directory)}`)
  },
})

/** A descriptor that is printed has no file of the schema beside it. */
const withSchema = ({ descriptor }: Described, output: string) =>
  output === STANDARD ? { ...descriptor, $schema: STANDARD_PROFILE } : descriptor

/** The directory of the tables; paths in the descriptor are relative to it. */
function directoryOf([first = '']: readonly string[]): string {
  const stat = statSync(first, { throwIfNoEntry: false })
  if (stat === undefined)
    throw new OperationalError(`there is no file or directory ${first}; give the tables to describe`)
  return stat.isDirectory() ? first : dirname(first)
}

function refuseReplacing(output: string, isForced: boolean): void {
  if (output === STANDARD || isForced || !existsSync(output)) return
  throw new OperationalError(`${output} is there already; give --force to replace it, or another file with --output`)
}

const outcome = (output: string, directory: string) =>
  dirname(resolve(output)) === resolve(directory)
    ? `${output} is written. Look through it, then check it: nomenclator check ${directory}\n`
    : `${output} is written. Its paths begin at ${directory}: move it there.\n`

const asText = ({ examined }: Described, explains: boolean) => describedText(examined, explains)

function asJson({ examined }: Described, output: string) {
  const { faults, faultCount, ...report } = examinedJson(examined)
  return { output, ...report }
}
