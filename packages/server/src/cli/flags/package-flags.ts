// The flags of commands that read a data package.
import { yes } from './flags.ts'

export const packageFlags = {
  'allow-private-addresses': {
    description: 'also download from this machine and its network',
    parse: yes,
  },
} as const
