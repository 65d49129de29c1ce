// The flags that all import commands share.
import { type ValuesOf, wholeNumber, yes } from './flags.ts'
import { home } from './home-flag.ts'

export const wait = {
  value: 'SECONDS',
  says: 'how long to wait while another process changes the releases',
  absent: '60',
  parse: wholeNumber(0, 86_400),
} as const

export const importFlags = {
  'dry-run': { says: 'do everything but activate, and tell what would change', parse: yes },
  'accept-changes': { says: 'activate even if much is lost or identifiers change owner', parse: yes },
  wait,
  home,
  json: { says: 'print the report as one JSON document', parse: yes },
} as const

export type ImportValues = ValuesOf<typeof importFlags>
