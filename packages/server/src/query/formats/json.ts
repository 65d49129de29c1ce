// Records as a JSON array.

import type { RecordFormat } from './record-format.ts'
import { recordJson } from './record-json.ts'

export const json: RecordFormat = {
  mediaTypes: ['application/json', 'text/json'],
  hasColumns: false,
  encoder: (entity, selection) => ({
    head: Buffer.from('['),
    records: recordJson(entity, selection, ',', ''),
    gap: Buffer.from(','),
    tail: Buffer.from(']'),
  }),
}
