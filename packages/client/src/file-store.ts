// A copy in one file of JSON, a snapshot that `offline` reads; replaced as a whole.
import { appendFile, open, readFile, rename, rm } from 'node:fs/promises'
import { fits, valueIn } from './json.ts'
import { nameIn, type Snapshot, type Store } from './store.ts'

type Part = { readonly digest: string; readonly records: readonly object[] }

/** Downloads that are not committed stand in a file beside the snapshot, a line for each collection. */
export function fileStore(path: string): Store {
  const partPath = `${path}.part`
  // Each file is read once.
  let committed: Promise<Snapshot | undefined> | undefined
  let staged: Promise<Map<string, Part['records']>> | undefined
  const snapshot = () => {
    committed ??= textOf(path).then((text) => (text === '' ? undefined : JSON.parse(text)))
    return committed
  }
  const parts = () => {
    staged ??= textOf(partPath).then((text) => new Map(text.split('\n').flatMap(parsedPart)))
    return staged
  }
  const get = async (digest: string): Promise<readonly object[] | undefined> => {
    const copy = await snapshot()
    return (await parts()).get(digest) ?? copy?.collections[nameIn(copy, digest) ?? '']
  }
  return {
    head: snapshot,
    get,
    put: async (digest, records) => {
      const before = await parts()
      // The line break in front ends a line that was cut off.
      await appendFile(partPath, `\n${JSON.stringify({ digest, records } satisfies Part)}\n`)
      before.set(digest, records)
    },
    commit: async (head) => {
      const file = await open(`${path}.new`, 'w')
      try {
        // One collection at a time, so that the text of all of them is never in memory.
        await file.write(`${JSON.stringify(head).slice(0, -1)},"collections":{`)
        for (const [at, [name, digest]] of Object.entries(head.digests).entries())
          await file.write(`${at === 0 ? '' : ','}\n${JSON.stringify(name)}:${JSON.stringify(await get(digest))}`)
        await file.write('}}\n')
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}.new`, path)
      await rm(partPath, { force: true })
      committed = undefined
      staged = undefined
    },
  }
}

/** The text of a file, empty if there is none. */
const textOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })

/** The records of a line under their digest; nothing of a line that was cut off when a download was interrupted. */
function parsedPart(line: string): [string, Part['records']][] {
  const part = valueIn(line)
  return fits(part, { digest: 'string', records: ['object'] }) ? [[part.digest, part.records]] : []
}
