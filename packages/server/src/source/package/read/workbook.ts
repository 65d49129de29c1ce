// A workbook, .xlsx or .ods, as sheets of rows.
import { type NamedFile, UnusableZip } from '../../unusable-zip.ts'
import { openDocumentSheets } from './open-document.ts'
import type { OpenedWorkbook, Sheet, WorkbookPart } from './workbook-part.ts'
import { xlsxSheets } from './xlsx.ts'

const MAX_SHEETS = 1_000
/** Processor time for the XML of a workbook, beside some for each of its bytes. */
const MAX_SECONDS = 10
const SECONDS_PER_BYTE = 2e-6

/** True of the parts of a workbook that have its tables. */
export const isWorkbookPart = (name: string): boolean => /^(xl\/.*\.(xml|rels)|content\.xml)$/.test(name)

/** The sheets of a workbook, by the parts of its zip. */
export async function sheetsIn(
  files: readonly WorkbookPart[],
  workbook: NamedFile & { readonly size: number },
  cpuTime: OpenedWorkbook['cpuTime'],
): Promise<readonly Sheet[]> {
  const { path, name, size } = workbook
  const given = { path, name, cpuTime, left: (MAX_SECONDS + SECONDS_PER_BYTE * size) * 1e6 }
  const parts = new Map(files.map((file) => [file.name, file]))
  const content = parts.get('content.xml')
  const sheets = content === undefined ? await xlsxSheets(parts, given) : await openDocumentSheets(content, given)
  if (sheets.length === 0) throw new UnusableZip(given, 'holds no sheet', 'save it as .xlsx again, or as CSV')
  if (sheets.length > MAX_SHEETS)
    throw new UnusableZip(given, `holds more than ${MAX_SHEETS} sheets`, 'save those that matter as CSV')
  return sheets
}
