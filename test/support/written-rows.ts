// The verdict on a row as a line of text, in the form of tests and of the documentation.

import { resolveRow } from '../../packages/server/src/query/resolve/resolve.ts'
import { codeReader } from '../../packages/server/src/release/official-codes.ts'
import type { Release } from '../../packages/server/src/release/release.ts'

const PARTS = ['estado', 'municipio', 'localidad']
const EMPTY = ['', '–']

/**
 * The verdict on a row, and the official code and the name of the record that it means. Parts have slashes between them, and an empty
 * one is a dash or nothing; without a slash it is free text.
 */
export function answerTo(release: Release, written: string): string {
  const cells = written.split('/').map((cell) => cell.trim())
  const parts = PARTS.flatMap((part, at) => {
    const cell = cells[at] ?? ''
    return EMPTY.includes(cell) ? [] : [[part, cell] as const]
  })
  const { verdict, record } = resolveRow(release, cells.length === 1 ? { text: written } : { parts: new Map(parts) })
  if (record === undefined) return verdict
  const { definition, records } = release.entity(record.name)
  const json = JSON.parse(new TextDecoder().decode(records.record(record.position)))
  const name = json.descLocalidad ?? json.descMunicipio ?? json.descEstado ?? json.descPais ?? json.descripcion
  return [verdict, codeReader(release, definition)(record.position) ?? [], name].flat().join(' ')
}
