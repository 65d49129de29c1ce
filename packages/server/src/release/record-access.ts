// Ways to read the records of an entity one after the other: from disk, or mapped into memory.
import { RecordReader } from './files/record-reader.ts'
import type { OpenEntity } from './release.ts'

/** What it gives is a view that is good until more is read. */
export type RecordAccess = Disposable & Pick<RecordReader, 'record' | 'records'>

/** Access to a release that is open anyway, and may be removed from disk while it is read. */
export const fromMappedFiles = ({ records }: OpenEntity): RecordAccess => ({
  record: (position) => records.record(position),
  records: (first, next) => Array.from({ length: next - first }, (_, at) => records.record(first + at)),
  [Symbol.dispose]: () => {},
})

/** Access for a single pass over millions of records: mapped, they would all count as memory of this process. */
export const fromDisk = ({ stored, count }: OpenEntity): RecordAccess =>
  new RecordReader(stored?.directory as string, count)

/** Access for a single pass over a release that may have been removed from disk, but is mapped. */
export function fromDiskOrMapped(entity: OpenEntity): RecordAccess {
  if (entity.count === 0) return fromMappedFiles(entity)
  try {
    return fromDisk(entity)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return fromMappedFiles(entity)
  }
}
