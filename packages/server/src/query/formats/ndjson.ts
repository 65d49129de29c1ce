// Records as newline-delimited JSON: one on every line.

import { recordJson } from './json.ts'
import { NO_BYTES, type RecordFormat } from './record-format.ts'

export const ndjson: RecordFormat = {
  title: 'NDJSON',
  description: 'there is a record on every line',
  mediaTypes: ['application/x-ndjson', 'application/jsonl'],
  hasColumns: false,
  encoder: (entity, selection) => ({
    head: NO_BYTES,
    records: recordJson(entity, selection, '\n', '\n'),
    gap: NO_BYTES,
    tail: () => NO_BYTES,
  }),
}
