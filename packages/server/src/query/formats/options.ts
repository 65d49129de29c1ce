// Records as the options of a form: the value and the label of each.
import { choiceReader } from './choices.ts'
import { json } from './json.ts'
import type { RecordFormat } from './record-format.ts'

/** A list of no more options is sent whole. */
const MAX_WHOLE = 5_000

export const options: RecordFormat = {
  description:
    'the official code of each record, or else its key, as value, and its name as label, whichever fields are named',
  // Names are in the order of their language only for compute workers.
  cost: { fixed: Number.POSITIVE_INFINITY, perKilobyte: 0 },
  mediaTypes: ['application/json'],
  hasColumns: false,
  extension: 'json',
  wholeUpTo: MAX_WHOLE,
  reader: (_, entity, { language }) => {
    const choiceOf = choiceReader(entity, [language])
    return (record, position) => {
      const {
        value,
        labels: [label],
      } = choiceOf(record, position)
      return Buffer.from(JSON.stringify({ value, label }))
    }
  },
  encoder: (entity, _, about) => json.encoder(entity, { fields: undefined, facts: false, embed: 'full' }, about),
}
