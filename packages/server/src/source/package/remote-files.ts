// The files of a package that is published at an address: each is downloaded when it is read, and kept until it changes.
import { basename } from 'node:path'
import { OperationalError } from '../../base/operational-error.ts'
import { DOWNLOAD_LIMITS, download } from '../download.ts'
import type { TextFile } from '../lines.ts'
import { textFile } from '../lines.ts'
import type { NamedFile } from '../unusable-zip.ts'
import { publicAddress } from './address-check.ts'
import { isAddress, MissingFile, type PackageFiles, pathFault } from './package-files.ts'

export type RemoteOptions = {
  /** Where downloads are kept. */
  readonly downloads: () => string
  /** Whether addresses of this machine and its network may be fetched from. */
  readonly allowsPrivate: boolean
  readonly onProgress?: (url: string, done: number, size: number | undefined) => void
}

const ADVICE = 'download the package by hand and give its directory'

/** Downloads one file; its name in messages is its address without what may be a secret. */
export async function fetchFile(address: string, options: RemoteOptions): Promise<NamedFile> {
  const url = URL.parse(address)
  if (url === null) throw new OperationalError(`${address} is not an address`)
  if (`${url.username}${url.password}` !== '')
    throw new OperationalError('give the address without name and password: it is published with the release')
  url.hash = ''
  const { path } = await download(url.href, {
    ...DOWNLOAD_LIMITS,
    directory: options.downloads(),
    wrongStart,
    advice: ADVICE,
    ...(options.allowsPrivate ? {} : { addressOf: publicAddress }),
    onStart: () => undefined,
    onProgress: (done, size) => options.onProgress?.(url.href, done, size),
    onRetry: () => undefined,
  })
  return { path, name: `${url.origin}${url.pathname}` }
}

/** A page that says that there is nothing is no table. */
function wrongStart(start: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(start).trimStart().toLowerCase()
  return /^(<!doctype html|<html)/.test(text) ? 'a web page, where a file of a package was expected' : undefined
}

async function fetchText(address: string, options: RemoteOptions): Promise<TextFile> {
  const { path, name } = await fetchFile(address, options)
  return { ...textFile(path), file: name }
}

/** The files beside a descriptor. */
export function remoteFiles(descriptor: string, options: RemoteOptions): PackageFiles {
  const { pathname, hostname } = new URL(descriptor)
  const folder = basename(pathname.replace(/\/[^/]*$/, ''))
  return {
    fallbackName: folder === '' ? hostname : folder,
    paths: undefined,
    find: async (path) => {
      const fault = pathFault(path)
      if (fault !== undefined) throw new MissingFile(path, fault)
      const encoded = path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')
      return fetchText(new URL(encoded, descriptor).href, options)
    },
  }
}

/** Files that may also be addresses, which are then downloaded. */
export function withAddresses(files: PackageFiles, options: RemoteOptions): PackageFiles {
  return { ...files, find: (path) => (isAddress(path) ? fetchText(path, options) : files.find(path)) }
}
