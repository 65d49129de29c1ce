// Where the releases live: the flag that all commands share.
import { join, resolve } from 'node:path'
import type { Flag } from './flags.ts'

const PROJECT = join(import.meta.dir, '..', '..')

export const home = {
  value: 'DIR',
  env: 'NOMENCLATOR_HOME',
  description: 'where the releases live; default is var in the project',
  parse: (path) => resolve(path),
} as const satisfies Flag<string>

export const homeOf = (given: string | undefined): string => given ?? join(PROJECT, 'var')
