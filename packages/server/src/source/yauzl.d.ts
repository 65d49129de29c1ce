// The part of yauzl that is used here; the package itself carries no types.
declare module 'yauzl' {
  import type { Readable } from 'node:stream'

  export type Entry = {
    readonly compressedSize: number
    readonly crc32: number
    readonly extraFields: readonly unknown[]
    readonly fileNameRaw: Buffer
    readonly generalPurposeBitFlag: number
    readonly relativeOffsetOfLocalHeader: number
    readonly uncompressedSize: number
  }

  export type ZipFile = {
    readonly entryCount: number
    eachEntry(): AsyncIterableIterator<Entry>
    openReadStreamPromise(entry: Entry): Promise<Readable>
    close(): void
  }

  export function openPromise(
    path: string,
    options: { readonly autoClose: boolean; readonly decodeStrings: boolean },
  ): Promise<ZipFile>

  export function fromBufferPromise(bytes: Buffer, options: { readonly decodeStrings: boolean }): Promise<ZipFile>

  export function getFileNameLowLevel(
    flags: number,
    fileName: Buffer,
    extraFields: readonly unknown[],
    strict: boolean,
  ): string
}
