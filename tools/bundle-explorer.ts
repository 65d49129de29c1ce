// Bundles the scripts and styles that the explorer sends to browsers: minified, under hashed names, compressed once, all in one JSON file.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { BuiltAsset } from '../packages/server/src/explorer/assets.ts'

const ROOT = join(import.meta.dir, '..')
const EXPLORER = join(ROOT, 'packages', 'server', 'src', 'explorer')
const SOURCES = join(EXPLORER, 'browser')
const BUILT = join(EXPLORER, 'built', 'assets.json')

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const PICKER = 'nomenclator-picker.ts'
/** The files of which each becomes one asset, under its name with the extension of what it becomes. */
const ENTRIES = [
  'explorer.ts',
  'map.ts',
  'resolver/resolver.ts',
  'resolver/xlsx.ts',
  PICKER,
  'explorer.css',
  'icon.svg',
]

async function bundleOf(entry: string): Promise<{ readonly source: string; readonly content: Uint8Array }> {
  const path = join(entry === PICKER ? join(ROOT, 'packages', 'picker', 'src') : SOURCES, entry)
  const source = basename(entry).replace(/\.ts$/, '.js')
  if (entry.endsWith('.svg')) return { source, content: await Bun.file(path).bytes() }
  // The picker stands on pages of others, as a module or as a classic script: as neither it leaves names behind.
  const format = entry === PICKER ? 'iife' : 'esm'
  const { outputs, success, logs } = await Bun.build({ entrypoints: [path], minify: true, target: 'browser', format })
  const [output, ...more] = outputs
  if (!success || output === undefined || more.length > 0) throw new AggregateError(logs, `${entry} was not bundled`)
  return { source, content: new Uint8Array(await output.arrayBuffer()) }
}

function assetOf(source: string, content: Uint8Array): BuiltAsset {
  const hash = new Bun.CryptoHasher('sha256').update(content).digest('hex').slice(0, 12)
  const [base, extension = ''] = source.split('.')
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  const bytes = content as Uint8Array<ArrayBuffer>
  const base64 = (encoded: Uint8Array) => Buffer.from(encoded).toString('base64')
  return {
    name: `${base}-${hash}.${extension}`,
    type: TYPES[extension] as string,
    integrity: `sha384-${new Bun.CryptoHasher('sha384').update(content).digest('base64')}`,
    content: {
      identity: base64(content),
      gzip: base64(Bun.gzipSync(bytes, { level: 9 })),
      br: base64(brotliCompressSync(content, brotli)),
      zstd: base64(Bun.zstdCompressSync(bytes, { level: 19 })),
    },
  }
}

const built = Object.fromEntries(
  (await Promise.all(ENTRIES.map(bundleOf))).map(({ source, content }) => [source, assetOf(source, content)]),
)
// Several commands may set the project up at once: each replaces the file as a whole.
mkdirSync(dirname(BUILT), { recursive: true })
const unfinished = `${BUILT}.${process.pid}`
writeFileSync(unfinished, `${JSON.stringify(built, null, 2)}\n`)
renameSync(unfinished, BUILT)
