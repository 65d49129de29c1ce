// What can go wrong with a shared shelf, by what can be done about it.
import { OperationalError } from '../../base/operational-error.ts'

/** It cannot be reached at the moment, or went away: it is worth trying again. */
export class ShelfAway extends OperationalError {}

/** It is connected and does not respond: there is no use in waiting for what the next attempt says. */
export class ShelfSilent extends ShelfAway {}

/** It responds, but not as it should: somebody has to change something. */
export class ShelfRefused extends OperationalError {}

/** Another change was made since the state that this one was based on. */
export class ShelfChanged extends OperationalError {}

/** What the shelf offers is not what its digest says, or this program cannot read it. */
export class ReleaseRefused extends OperationalError {}
