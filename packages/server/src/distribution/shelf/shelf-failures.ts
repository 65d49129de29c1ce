// Failures of a shared shelf, by what can be done about them.
import { OperationalError } from '../../base/operational-error.ts'
import { mismatchesText, parse, type Schema } from '../../base/schema.ts'

/** The shelf cannot be reached at the moment: a retry may succeed. */
export class ShelfAway extends OperationalError {}

/** The shelf is connected and does not respond: the failure is reported without another attempt. */
export class ShelfSilent extends ShelfAway {}

/** The shelf responds, but not as it should: a person has to change something. */
export class ShelfRefused extends OperationalError {}

/** The shelf was changed after the state that a change is based on. */
export class ShelfChanged extends OperationalError {}

/** A part of the shelf is not sound, does not match its digest, or this program cannot read it. */
export class ReleaseRefused extends OperationalError {}

/** Reads what a shelf has as a schema says; throws otherwise. `what` says what it is. */
export function soundPart<T>(schema: Schema<T>, value: unknown, what: string): T {
  const parsed = parse(schema, value)
  if ('value' in parsed) return parsed.value
  throw new ReleaseRefused(`the shelf has ${what} that is not sound: ${mismatchesText(parsed)}`)
}
