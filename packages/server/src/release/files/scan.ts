// Reads records and facts from beginning to end without mapping their files: memory stays flat.
import { closeSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../base/json.ts'
import type { Entity, FactValue, Values } from '../../catalog/entity.ts'
import { flatten, type PublishedRecord, recordParser } from '../../catalog/flatten.ts'
import { FACTS_FILE } from '../manifest.ts'
import type { StoredEntity } from '../release.ts'
import { openFileSync } from './regular-file.ts'

const CHUNK = 1 << 20
const NEWLINE = 0x0a

type Facts = Readonly<Record<string, FactValue>>

/** The rows of an entity on disk, a page at a time, with the facts that are known of each. */
export function* scanRows(definition: Entity, recordsFile: string, factsFile?: string): Generator<readonly Values[]> {
  const facts = factsFile === undefined ? undefined : scanLines<Facts>(factsFile)
  for (const page of scanLines<readonly PublishedRecord[]>(recordsFile, recordParser(definition))) {
    yield page.map((record) => {
      const row = flatten(definition, record)
      return facts === undefined ? row : { ...row, ...(facts.next().value as Facts) }
    })
  }
}

/** The rows of an entity of a release, page by page. */
export const scanEntity = (definition: Entity, { directory, manifest }: StoredEntity): Generator<readonly Values[]> =>
  scanRows(
    definition,
    join(directory, 'records'),
    manifest.files.facts === undefined ? undefined : join(directory, FACTS_FILE),
  )

/** The lines of a file, each parsed: of records, a page at a time. */
export function* scanLines<T>(path: string, parse: (json: string) => unknown = parseJson): Generator<T> {
  const descriptor = openFileSync(path)
  const decoder = new TextDecoder()
  let buffer = new Uint8Array(CHUNK)
  let held = 0
  try {
    for (;;) {
      const read = readSync(descriptor, buffer, held, buffer.length - held, null)
      if (read === 0) return
      held += read
      let start = 0
      for (
        let end = buffer.indexOf(NEWLINE, held - read);
        end !== -1 && end < held;
        end = buffer.indexOf(NEWLINE, start)
      ) {
        yield parse(decoder.decode(buffer.subarray(start, end))) as T
        start = end + 1
      }
      if (start === 0 && held === buffer.length) buffer = Buffer.concat([buffer], held * 2)
      buffer.copyWithin(0, start, held)
      held -= start
    }
  } finally {
    closeSync(descriptor)
  }
}
