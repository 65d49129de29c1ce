// nomenclator import sepomex FILE
import { OperationalError } from '../../base/operational-error.ts'
import { ReleaseStore } from '../../release/home/release-store.ts'
import type { HomeList } from '../../source/sepomex/sepomex.ts'
import { importCommand } from '../home/import-command.ts'

/** The code of a locality begins with that of its municipality. */
const MUNICIPALITY_DIGITS = 5

export const importSepomex = importCommand({
  source: 'sepomex',
  summary: "Import Mexico's postal codes and settlements (colonias)",
  description:
    'FILE is the text file of the postal service (CPdescarga.txt), or a zip of it. Its licence lets nobody pass it on: download it yourself. The municipalities of the home come first: import inegi.',
  operands: { usage: 'FILE', min: 1, max: 1 },
  flags: {},
  readsHome: true,
  examples: ['import sepomex CPdescarga.txt', 'import sepomex CPdescargatxt.zip --dry-run'],
  open: async ({ operands }, home) => {
    const { sepomexSource } = await import('../../source/sepomex/sepomex.ts')
    const { onlyOneNamed, recordsByCode } = await import('../../release/package-references.ts')
    const store = new ReleaseStore(home)
    const digest = store.currentDigest()
    if (digest === undefined)
      throw new OperationalError(
        'this home has no municipalities yet; import them first with nomenclator import inegi, or nomenclator import bundled',
      )
    const release = store.read(digest)
    const listOf = (collection: string): HomeList => {
      const list = recordsByCode(release, collection)
      if (list !== undefined) return list
      throw new OperationalError(`this home has no list ${collection}; import it first with nomenclator import inegi`)
    }
    const localityOf = onlyOneNamed(release, 'localidades', MUNICIPALITY_DIGITS)
    const lists = { states: listOf('estados'), municipalities: listOf('municipios'), localityOf }
    return { source: await sepomexSource(operands[0] as string, { catalog: release.catalog, ...lists }) }
  },
})
