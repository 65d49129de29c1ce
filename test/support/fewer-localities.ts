// A source with fewer of its localities, for tests that read all of them or sort them again and again.
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

async function* firstBlocks(blocks: ReturnType<Source['read']>, count: number): AsyncGenerator<Block> {
  let left = count
  for await (const block of blocks) {
    yield block
    if (--left <= 0) return
  }
}

const withBlocks = (source: Source, change: (blocks: ReturnType<Source['read']>) => AsyncGenerator<Block>): Source => ({
  ...source,
  expected: () => undefined,
  read: (name, report) => {
    const blocks = source.read(name, report)
    return name === 'localidad' ? change(blocks) : blocks
  },
})

export const withLocalities = (source: Source, isKept: IsKept): Source =>
  withBlocks(source, (blocks) => keptRows(blocks, isKept))

/** The others are not even read. */
export const withFirstLocalities = (source: Source): Source => withBlocks(source, (blocks) => firstBlocks(blocks, 2))

export const bundledWithLocalities = (isKept: IsKept): Source => withLocalities(bundledSource(), isKept)
