// The flags that all import commands share.
import { type ValuesOf, wholeNumber, yes } from './flags.ts'
import { passwordFile, signFlags } from './key-flags.ts'
import { homeFlags } from './shelf-flags.ts'

export const wait = {
  value: 'SECONDS',
  description: 'how long to wait while another process changes the releases, or the shelf cannot be reached',
  defaultValue: '60',
  parse: wholeNumber(0, 86_400),
} as const

export const importFlags = {
  'dry-run': { description: 'do everything but activate, and tell what would change', parse: yes },
  'accept-changes': { description: 'activate even if much is lost or identifiers change owner', parse: yes },
  ...signFlags,
  'password-file': passwordFile,
  wait,
  ...homeFlags,
  json: { description: 'print the report as one JSON document', parse: yes },
} as const

export type ImportValues = ValuesOf<typeof importFlags>
