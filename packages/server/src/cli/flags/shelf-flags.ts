// Where the shared shelf is: the flags that all commands with a home have.
import {
  parseShelfAddress,
  passwordOf,
  type ShelfAddress,
  withoutPassword,
} from '../../distribution/postgres/address.ts'
import type { ShelfLogin } from '../../distribution/postgres/session.ts'
import { type Flag, text } from './flags.ts'
import { home } from './home-flag.ts'

export const homeFlags = {
  home,
  shelf: {
    value: 'URL',
    env: 'NOMENCLATOR_SHELF',
    description:
      'a shelf in PostgreSQL that several machines share, such as postgres://user@host/database?sslmode=verify-full; the home is then a copy of it',
    parse: parseShelfAddress,
    shown: withoutPassword,
  } as const satisfies Flag<ShelfAddress>,
  'shelf-password-file': {
    value: 'FILE',
    env: 'NOMENCLATOR_SHELF_PASSWORD_FILE',
    description:
      'a file with the password for the shelf; else that of the address, PGPASSWORD, PGPASSFILE or ~/.pgpass',
    parse: text,
  },
} as const

export type HomeValues = {
  readonly home: string | undefined
  readonly shelf: ShelfAddress | undefined
  readonly 'shelf-password-file': string | undefined
}

/** How to get into the shelf that a command was given. */
export const loginOf = (address: ShelfAddress, values: HomeValues): ShelfLogin => ({
  address,
  password: passwordOf(address, values['shelf-password-file'], process.env),
})
