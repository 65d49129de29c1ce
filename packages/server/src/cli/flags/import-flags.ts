// The flags that all import commands share.
import { type ValuesOf, wholeNumber, yes } from './flags.ts'
import { jsonFlag } from './json-flag.ts'
import { passwordFile, signFlags } from './key-flags.ts'
import { homeFlags } from './shelf-flags.ts'

export const wait = {
  value: 'SECONDS',
  description: 'how long to wait for another process that changes the releases, or for the shelf',
  defaultValue: '60',
  parse: wholeNumber(0, 86_400),
} as const

export const importFlags = {
  'dry-run': { description: 'build and compare, but change nothing; print what would change', parse: yes },
  'accept-changes': { description: 'import even if many records are lost or identifiers get other codes', parse: yes },
  ...signFlags,
  'password-file': passwordFile,
  wait,
  ...homeFlags,
  ...jsonFlag('the report'),
} as const

export type ImportValues = ValuesOf<typeof importFlags>
