// nomenclator profile
import { profileText } from '../../source/package/profile-file.ts'
import { command } from '../command.ts'
import { text } from '../flags/flags.ts'
import { STANDARD, writeOutput } from '../terminal/output.ts'

export const profileCommand = command({
  name: 'profile',
  summary: 'Print the JSON Schema of a datapackage.json',
  description: 'With it, editors complete and check the file. It has the standard and the properties nomenclator:*.',
  flags: {
    output: { value: 'FILE', description: 'write it there', defaultValue: STANDARD, parse: text },
  },
  examples: ['profile --output ./offices/nomenclator.schema.json', 'profile'],
  run: async ({ values, terminal }) => {
    writeOutput(values.output, profileText(), terminal)
  },
})
