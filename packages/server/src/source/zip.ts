// Reads the files inside a zip as streams; nothing is written to disk and no name in the zip is used as a path.
import { closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import { OperationalError } from '../base/operational-error.ts'
import { type NamedFile, UnusableZip } from './unusable-zip.ts'

/** A zip on disk, or one that was read whole out of another file. */
type Zip = NamedFile & { readonly bytes?: Buffer }

export type ZippedFile = { readonly name: string; readonly open: () => AsyncIterable<Buffer> }

const MAX_FILES = 10_000
/** All files together. */
const MAX_UNPACKED = 4 * 2 ** 30
/** Tables shrink to a tenth or less. Only a bomb shrinks to this part, and a small one does no harm. */
const MAX_RATIO = 200
const MIN_BOMB = 64 << 20

/** The signatures of a zip's first entry, and of the end of an empty zip. */
const SIGNATURES = ['504b0304', '504b0506']

export const startsLikeZip = (start: Uint8Array): boolean =>
  SIGNATURES.includes(Buffer.from(start.subarray(0, 4)).toString('hex'))

/** True if a file on disk is a zip, by how it starts. */
export function isZipFile(path: string): boolean {
  const start = Buffer.alloc(4)
  const descriptor = openSync(path, 'r')
  try {
    readSync(descriptor, start, 0, 4, 0)
  } finally {
    closeSync(descriptor)
  }
  return startsLikeZip(start)
}

/** The words for a zip that would unpack to too much. */
type TooMuch = { readonly why: string; readonly advice: string }

/** The files in a zip that are wanted, in its order, and the names of the others. */
export async function filesInZip(given: Zip, isWanted: (name: string) => boolean, { why, advice }: TooMuch) {
  const files: ZippedFile[] = []
  const others: string[] = []
  let unpacked = 0
  await withZip(given, async (zip) => {
    if (zip.entryCount > MAX_FILES) throw new Error(`it holds more than ${MAX_FILES} files`)
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry)
      if (!isWanted(name)) {
        others.push(name)
        continue
      }
      unpacked += entry.uncompressedSize
      if (unpacked > MAX_UNPACKED || isBomb(entry)) {
        const megabytes = Math.round(unpacked / 1e6)
        throw new UnusableZip(given, `would unpack to ${megabytes} MB or more, ${why}`, advice)
      }
      files.push({ name, open: () => bytesOf(given, entry) })
    }
  })
  return { files, others }
}

/** True if macOS put it there as metadata of another file. */
export const isMetadata = (name: string): boolean => /^(__MACOSX\/|(.*\/)?\._)/.test(name)

/** The sizes are what the zip claims, but no entry unpacks to more than its claim. */
const isBomb = ({ uncompressedSize, compressedSize }: Entry) =>
  uncompressedSize > MIN_BOMB && uncompressedSize > compressedSize * MAX_RATIO

async function* bytesOf(given: Zip, entry: Entry): AsyncGenerator<Buffer> {
  const zip = await openZip(given)
  try {
    let sum = 0
    const stream = await zip.openReadStreamPromise(entry)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      yield chunk
    }
    if (sum !== entry.crc32) throw new Error('its checksum does not match')
  } catch (error) {
    throw unreadable(given, error)
  } finally {
    zip.close()
  }
}

async function withZip(given: Zip, use: (zip: ZipFile) => Promise<void>): Promise<void> {
  const zip = await openZip(given)
  try {
    await use(zip)
  } catch (error) {
    throw unreadable(given, error)
  } finally {
    zip.close()
  }
}

async function openZip(given: Zip): Promise<ZipFile> {
  try {
    if (given.bytes !== undefined) return await fromBufferPromise(given.bytes, { decodeStrings: false })
    return await openPromise(given.path, { autoClose: false, decodeStrings: false })
  } catch (error) {
    throw unreadable(given, error)
  }
}

const nameOf = ({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry) =>
  getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false).replace(/\p{Cc}/gu, '?')

function unreadable(given: NamedFile, error: unknown): Error {
  if (error instanceof OperationalError || !(error instanceof Error)) return error as Error
  return new UnusableZip(given, `cannot be read as a zip: ${error.message}`, 'download it again')
}
