// The types of the built-in records in the client are those that nomenclator types prints where there is no release.
import { test } from 'bun:test'
import { join } from 'node:path'
import { expectGolden } from '../support/golden.ts'
import { nomenclator, TestDirectory } from '../support/releases.ts'

test('the types of the client are printed by nomenclator types', async () => {
  using home = new TestDirectory()
  const { out } = await nomenclator('types', '--home', home.path)
  await expectGolden(join(import.meta.dir, '..', '..', 'packages', 'client', 'src', 'built-in-types.ts'), out)
})
