// The words for the changes of a collection between two releases.

const number = new Intl.NumberFormat('en')

/** The words for a collection whose keys were given anew. */
export const RENUMBERED = 'numbered otherwise than before: nothing of it can be compared'

/** The words for facts that no record has any more; empty if there are none. */
export const lostFactsText = (facts: readonly string[] = []): string =>
  facts.length === 0 ? '' : `; not known any more: ${facts.join(', ')}`

type Counts = { readonly added: number; readonly changed: number; readonly removed: number }

export const changeCounts = ({ added, changed, removed }: Counts): string =>
  `${number.format(added)} added, ${number.format(changed)} changed, ${number.format(removed)} removed`
