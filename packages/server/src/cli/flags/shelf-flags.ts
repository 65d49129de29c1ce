// The flags that all commands with a home have: the home, and the shelf that it follows.
import { OperationalError } from '../../base/operational-error.ts'
import {
  parseShelfAddress,
  passwordOf,
  type ShelfAddress,
  withoutPassword,
} from '../../distribution/postgres/address.ts'
import type { ShelfLogin } from '../../distribution/postgres/session.ts'
import { parseHttpShelf } from '../../distribution/shelf/http-address.ts'
import type { OpenShelf } from '../../distribution/shelf/shelf-reader.ts'
import { type Flag, type InvalidFlag, text, type ValuesOf } from './flags.ts'
import { home } from './home-flag.ts'

/** A shelf in PostgreSQL, or one that is read over HTTP. */
export type SharedShelf = ShelfAddress | { readonly urls: readonly string[] }

function parseShared(value: string): SharedShelf | InvalidFlag {
  if (/^https?:/i.test(value)) return parseHttpShelf(value)
  const address = parseShelfAddress(value)
  return 'allowed' in address ? { allowed: `${address.allowed}, or https://host` } : address
}

export const homeFlags = {
  home,
  shelf: {
    value: 'URL',
    env: 'NOMENCLATOR_SHELF',
    description:
      'a shelf that several machines share, such as postgres://user@host/database?sslmode=verify-full or https://host of another node; the home is then a copy of it',
    parse: parseShared,
    shown: withoutPassword,
  } as const satisfies Flag<SharedShelf>,
  'shelf-password-file': {
    value: 'FILE',
    env: 'NOMENCLATOR_SHELF_PASSWORD_FILE',
    description: 'file with its password; else that of the address, PGPASSWORD, PGPASSFILE or ~/.pgpass',
    parse: text,
  },
} as const

export type HomeValues = ValuesOf<typeof homeFlags>

/** The login for a shelf in PostgreSQL, the only kind that can be changed from another machine. */
export function loginOf(shelf: SharedShelf, values: HomeValues): ShelfLogin {
  if ('urls' in shelf)
    throw new OperationalError(
      `${shelf.urls[0]} can be followed, and not changed: change the home that it is served from, or name a shelf in PostgreSQL with --shelf`,
    )
  const password = () => passwordOf(shelf, values['shelf-password-file'], process.env)
  // A password file that cannot be read is refused before anything is begun.
  password()
  return { address: shelf, password }
}

/** Opens a shelf to be read. */
export async function openerOf(shelf: SharedShelf, values: HomeValues): Promise<OpenShelf> {
  if ('urls' in shelf) return (await import('../../distribution/shelf/http-shelf.ts')).openHttpShelf(shelf.urls)
  const { openPgShelf } = await import('../../distribution/postgres/pg-shelf.ts')
  return openPgShelf(loginOf(shelf, values))
}
