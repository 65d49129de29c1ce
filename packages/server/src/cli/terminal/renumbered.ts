// The words for a collection whose keys were given anew between two releases.
export const RENUMBERED = 'numbered otherwise than before: nothing of it can be compared'
