// SQL files are imported as text.
declare module '*.sql' {
  const sql: string
  // biome-ignore lint/style/noDefaultExport: an import as text has no other export.
  export default sql
}
