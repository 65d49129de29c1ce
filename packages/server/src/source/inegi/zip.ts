// The CSV files inside the zip that INEGI publishes.
import { type NamedFile, UnusableZip } from '../unusable-zip.ts'
import { filesInZip, isMetadata, type ZippedFile } from '../zip.ts'

const TOO_MUCH = { why: 'which no table of INEGI does', advice: 'if it is right, unpack it and give the CSV file' }

/** The CSV files in a zip, in its order, without the files of metadata that macOS puts beside them. */
export async function csvFilesIn(given: NamedFile): Promise<readonly ZippedFile[]> {
  const isTable = (name: string) => /\.csv$/i.test(name) && !isMetadata(name)
  const { files, others } = await filesInZip(given, isTable, TOO_MUCH)
  if (files.length === 0) {
    const holds = others.length === 0 ? 'is empty' : `holds no CSV file, only ${others.slice(0, 5).join(', ')}`
    throw new UnusableZip(given, holds, 'give INEGI’s zip, or the CSV file itself')
  }
  return files
}
