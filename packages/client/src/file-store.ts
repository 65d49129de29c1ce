// A copy in one file of JSON, a snapshot that `offline` reads; replaced as a whole.
import { appendFile, open, readFile, rename, rm } from 'node:fs/promises'
import type { Head, Snapshot, Store } from './store.ts'

type Part = { readonly digest: string; readonly records: readonly object[] }

/** What was downloaded and not committed stands in a file beside it, a line for each collection. */
export function fileStore(path: string): Store {
  const partPath = `${path}.part`
  // Each file is read once.
  let committed: Promise<Snapshot | undefined> | undefined
  let staged: Promise<Map<string, Part['records']>> | undefined
  const snapshot = () => {
    committed ??= textOf(path).then((text) => (text === undefined ? undefined : JSON.parse(text)))
    return committed
  }
  const parts = () => {
    staged ??= textOf(partPath).then(
      (text = '') =>
        new Map(
          text
            .split('\n')
            .flatMap(parsedPart)
            .map(({ digest, records }) => [digest, records]),
        ),
    )
    return staged
  }
  const get = async (digest: string): Promise<readonly object[] | undefined> => {
    const part = (await parts()).get(digest)
    if (part !== undefined) return part
    const { digests = {}, collections = {} } = (await snapshot()) ?? {}
    const [name = ''] = Object.entries(digests).find(([, committed]) => committed === digest) ?? []
    return collections[name]
  }
  return {
    head: snapshot,
    get,
    put: async (digest, records) => {
      const before = await parts()
      // A line of its own even after one that was cut off.
      await appendFile(partPath, `\n${JSON.stringify({ digest, records } satisfies Part)}\n`)
      before.set(digest, records)
    },
    commit: async (head: Head) => {
      const file = await open(`${path}.new`, 'w')
      try {
        await file.write(`${JSON.stringify(head).slice(0, -1)},"collections":{`)
        let separator = ''
        for (const [name, digest] of Object.entries(head.digests)) {
          await file.write(`${separator}\n${JSON.stringify(name)}:${JSON.stringify(await get(digest))}`)
          separator = ','
        }
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

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
}

/** None in a line that was cut off when a download was interrupted. */
function parsedPart(line: string): Part[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}
