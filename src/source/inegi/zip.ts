// Reads the CSV files inside a zip as streams; nothing is written to disk and no name in the zip is used as a path.
import { crc32 } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import { Failure } from '../../failure.ts'

type ZippedFile = { readonly name: string; readonly open: () => AsyncIterable<Buffer> }

const MAX_FILES = 10_000

/** The CSV files in a zip, in its order, without the files of metadata that macOS puts beside them. */
export async function csvFilesIn(path: string): Promise<ZippedFile[]> {
  const found: ZippedFile[] = []
  const others: string[] = []
  await withZip(path, async (zip) => {
    if (zip.entryCount > MAX_FILES) throw new Error(`it holds more than ${MAX_FILES} files`)
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry)
      const isTable = /\.csv$/i.test(name) && !/^(__MACOSX\/|(.*\/)?\._)/.test(name)
      if (isTable) found.push({ name, open: () => bytesOf(path, entry) })
      else others.push(name)
    }
  })
  if (found.length === 0) {
    const holds = others.length === 0 ? 'is empty' : `holds no CSV file, only ${others.slice(0, 5).join(', ')}`
    throw new Failure(`${path} ${holds}; give INEGI’s zip, or the CSV file itself`)
  }
  return found
}

async function* bytesOf(path: string, entry: Entry): AsyncGenerator<Buffer> {
  const zip = await openZip(path)
  try {
    let sum = 0
    const stream = await zip.openReadStreamPromise(entry)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      yield chunk
    }
    if (sum !== entry.crc32) throw new Error('its checksum does not match')
  } catch (error) {
    throw unreadable(path, error)
  } finally {
    zip.close()
  }
}

async function withZip(path: string, use: (zip: ZipFile) => Promise<void>): Promise<void> {
  const zip = await openZip(path)
  try {
    await use(zip)
  } catch (error) {
    throw unreadable(path, error)
  } finally {
    zip.close()
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false, decodeStrings: false })
  } catch (error) {
    throw unreadable(path, error)
  }
}

const nameOf = ({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry) =>
  getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false).replace(/\p{Cc}/gu, '?')

function unreadable(path: string, error: unknown): Error {
  if (error instanceof Failure || !(error instanceof Error)) return error as Error
  return new Failure(`${path} cannot be read as a zip: ${error.message}; download it again`)
}
