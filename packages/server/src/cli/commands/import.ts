// nomenclator import SOURCE: the sources that rows can come from, each a command.
import { importBundled } from './import-bundled.ts'
import { importInegi } from './import-inegi.ts'
import { importMirror } from './import-mirror.ts'
import { importPackage } from './import-package.ts'
import { importSynthetic } from './import-synthetic.ts'
import { importV1 } from './import-v1.ts'

export const importCommands = [
  importPackage,
  importInegi,
  importV1,
  importMirror,
  importBundled,
  importSynthetic,
] as const
