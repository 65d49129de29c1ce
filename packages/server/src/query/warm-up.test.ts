// What a process asks itself before anyone else does: rows of the release, so that the first requests find what they need.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { bundledRelease, releaseOf, sourceOf, tiny } from '../../../../test/support/releases.ts'
import { resolveRow } from './resolve/resolve.ts'
import { isSure } from './resolve/verdict.ts'
import { sampleRows, warmUp } from './warm-up.ts'

setDefaultTimeout(180_000)

test('its rows are of all kinds, and mean records', async () => {
  const release = await bundledRelease()
  const rows = sampleRows(release, 'localidad')
  expect(rows).toHaveLength(16)
  expect(rows.filter((row) => 'text' in row)).toHaveLength(6)
  const levels = rows.flatMap((row) => ('parts' in row ? row.parts.size : []))
  expect(new Set(levels)).toEqual(new Set([3, 4]))
  const sure = rows.filter((row) => isSure(resolveRow(release, row).verdict))
  expect(sure.length).toBeGreaterThan(rows.length / 2)
})

test('small collections are only searched', async () => {
  const release = await releaseOf(sourceOf(tiny))
  expect([...release.catalog.entities.keys()].flatMap((name) => sampleRows(release, name))).toEqual([])
  await warmUp(release)
})
