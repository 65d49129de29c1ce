// The flags of commands that read a data package.
import { yes } from './flags.ts'

export const packageFlags = {
  'allow-private-addresses': {
    description: 'also fetch from addresses of this machine and its network, which are refused otherwise',
    parse: yes,
  },
} as const
