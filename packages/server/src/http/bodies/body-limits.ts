// How large a body may be: its bytes, and its rows or fields.

export const MAX_ROWS_BYTES = 5_000_000
export const MAX_ROWS = 10_000
/** Lines of NDJSON or CSV, blank ones too. */
export const MAX_LINES = 25_000
/** A row has some parts of 300 characters, each of which may be written as an escape of six bytes. */
export const MAX_ROW_BYTES = 50_000
/** Members of an object, or columns of a table. */
export const MAX_ROW_VALUES = 100
/** Objects and lists within one another, in a row or a field of a form. */
export const MAX_JSON_LEVELS = 16

export const MAX_FORM_BYTES = 1_000_000
export const MAX_FORM_FIELDS = 100
