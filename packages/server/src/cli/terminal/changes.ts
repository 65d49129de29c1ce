// The words for the changes of a collection between two releases.

const number = new Intl.NumberFormat('en')

/** The words for a collection whose keys were given anew. */
export const RENUMBERED = 'numbered otherwise than before: nothing of it can be compared'

type Counts = { readonly added: number; readonly changed: number; readonly removed: number }

export const changeCounts = ({ added, changed, removed }: Counts): string =>
  `${number.format(added)} added, ${number.format(changed)} changed, ${number.format(removed)} removed`
