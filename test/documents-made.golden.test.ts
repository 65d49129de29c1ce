// The parts of documents that follow from tables of the program are as they are there.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { MADE_FILES, MADE_PARTS, madePartsIn, ROOT } from './support/made-parts.ts'

test('no document lacks what follows from the lists and tables of the program; npm run record writes it', async () => {
  const stale: string[] = []
  for (const [path, made] of MADE_FILES) {
    const file = Bun.file(join(ROOT, path))
    const text = await file.text()
    const expected = await made(text)
    if (process.env.RECORD === '1') await Bun.write(file, expected)
    else if (expected !== text) {
      const lines = new Set(text.split('\n'))
      stale.push(
        `${path} lacks: ${expected
          .split('\n')
          .filter((line) => !lines.has(line))
          .join('; ')}`,
      )
    }
  }
  expect(stale).toEqual([])
})

test('every part is in one document', async () => {
  const texts = await Promise.all(MADE_FILES.map(([path]) => Bun.file(join(ROOT, path)).text()))
  expect(texts.flatMap(madePartsIn).toSorted()).toEqual(MADE_PARTS.toSorted())
})
