// The files of an entity are built in three parts, each from the same batches of rows and without need of the others.
import { join } from 'node:path'
import type { Batch } from '../catalog/batch.ts'
import type { Entity } from '../catalog/entity.ts'
import { batchRenderer, type RenderedParents } from '../catalog/render.ts'
import type { FileFacts } from './durable-file.ts'
import { ColumnsBuild } from './index/columns-build.ts'
import { WordsBuild } from './index/words-build.ts'
import type { EntityFilePart } from './manifest.ts'
import { type OnRecord, RecordWriter } from './record-file.ts'

export const PARTS = ['records', 'index', 'words'] as const
export type Part = (typeof PARTS)[number]

export type BuiltFiles = Partial<Record<EntityFilePart, FileFacts>>

export type PartBuild = Disposable & {
  /** The next rows, each at the position after the last. */
  add(batch: Batch): void
  /** Writes what is left; the files are on disk, whole, when this returns. */
  finish(): BuiltFiles
}

export type PartOrder = {
  readonly directory: string
  readonly parents: RenderedParents
  /** How many rows there will be, where that is known. */
  readonly expected: number | undefined
}

export function partBuild(part: Part, entity: Entity, order: PartOrder, onRecord?: OnRecord): PartBuild {
  const { directory, parents, expected } = order
  if (part === 'records') {
    const writer = new RecordWriter(directory, entity.name, onRecord)
    const render = batchRenderer(entity, parents)
    return {
      add: (batch) => render(batch, writer),
      finish: () => writer.finish(),
      [Symbol.dispose]: () => writer[Symbol.dispose](),
    }
  }
  const build = part === 'index' ? new ColumnsBuild(entity, parents, expected) : new WordsBuild(entity, expected)
  return {
    add: (batch) => build.add(batch),
    finish: () => ({ [part]: build.write(join(directory, `${entity.name}.${part}`)) }),
    [Symbol.dispose]: () => {},
  }
}
