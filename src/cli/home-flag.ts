// Where the releases live: the flag that all commands share.
import { resolve } from 'node:path'
import { defaultHome } from '../program.ts'
import type { Flag } from './flags.ts'

export const home = {
  value: 'DIR',
  env: 'NOMENCLATOR_HOME',
  description: 'where the releases live; default is var in the project, ~/.local/share/nomenclator for the executable',
  parse: (path) => resolve(path),
} as const satisfies Flag<string>

export const homeOf = (given: string | undefined): string => given ?? defaultHome()
