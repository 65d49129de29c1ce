// What a body may be: how long, and how many rows, lines, values and levels it may have. All of it is checked while the body
// arrives, before anything is parsed.

/** The body of a request for rows to be resolved. */
export const MAX_ROWS_BYTES = 5_000_000
export const MAX_ROWS = 10_000
/** Lines that are passed over. */
export const MAX_BLANK_LINES = 10_000
/** A row has some parts of 300 characters, each of which may be written as an escape of six bytes. */
export const MAX_ROW_BYTES = 50_000
/** The values of a row: members of an object, or columns of a table. */
export const MAX_ROW_VALUES = 100

/** The body of a form. */
export const MAX_FORM_BYTES = 1_000_000
export const MAX_FORM_FIELDS = 100
/** The values of a field that is JSON, on all its levels together. */
export const MAX_FORM_VALUES = 20_000

/** What a row or a field has of objects and lists within one another. */
export const MAX_JSON_LEVELS = 16
