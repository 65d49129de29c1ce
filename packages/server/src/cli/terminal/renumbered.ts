// What is said of a collection that is numbered otherwise in two releases.
export const RENUMBERED = 'numbered otherwise than before: nothing of it can be compared'
