// The bundled data with fewer of its localities, for tests that read all of them or sort them again and again.
import { bundledSource } from '../../packages/server/src/source/bundled.ts'
import type { Block, GivenRow, Source } from '../../packages/server/src/source/source.ts'

type IsKept = (row: GivenRow, at: number) => boolean

async function* keptRows(blocks: ReturnType<Source['read']>, isKept: IsKept): AsyncGenerator<Block> {
  let before = 0
  for await (const { file, lines, rows } of blocks) {
    const kept = rows.map((row, at) => isKept(row, before + at))
    yield { file, lines: lines.filter((_, at) => kept[at]), rows: rows.filter((_, at) => kept[at]) }
    before += rows.length
  }
}

export function bundledWithLocalities(isKept: IsKept): Source {
  const source = bundledSource()
  return {
    ...source,
    read: (name, report) => {
      const blocks = source.read(name, report)
      return name === 'localidad' ? keptRows(blocks, isKept) : blocks
    },
  }
}
