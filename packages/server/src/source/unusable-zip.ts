// The failure of a zip that is damaged, that holds nothing of use, or that would unpack to too much.
import { OperationalError } from '../base/operational-error.ts'

/** A file on disk, and what it is called in messages. */
export type NamedFile = { readonly path: string; readonly name: string }

export class UnusableZip extends OperationalError {
  readonly path: string
  /** The name of the zip, and what is wrong with it. */
  readonly what: string

  constructor({ path, name }: NamedFile, what: string, advice: string) {
    super(`${name} ${what}; ${advice}`)
    this.path = path
    this.what = `${name} ${what}`
  }
}
