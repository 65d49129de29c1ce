// nomenclator types

import { typescriptOf } from '../../catalog/typescript.ts'
import { builtInCatalog } from '../../source/built-in.ts'
import { command } from '../command.ts'
import { homeFlags } from '../flags/shelf-flags.ts'
import { openHome } from '../home/open-home.ts'

const USE = `//
//   import { connect } from 'nomenclator-client'
//   import type { Collections } from './catalogs.ts'
//   const catalogs = connect<Collections>('https://catalogs.example.org')
`

export const typesCommand = command({
  name: 'types',
  summary: 'Print the TypeScript types of your lists',
  description: 'They are for nomenclator-client. Without a release, they are those of the built-in lists.',
  flags: homeFlags,
  examples: ['types > catalogs.ts', 'types --home /var/lib/nomenclator > catalogs.ts'],
  run: async ({ values, terminal }) => {
    const store = await openHome(values, terminal)
    const current = store.currentDigest()
    const catalog = current === undefined ? builtInCatalog : store.read(current).catalog
    const of = current === undefined ? 'the built-in catalog' : `release ${current}`
    terminal.out(`// Types of ${of}, printed by nomenclator types.\n${USE}\n${typescriptOf(catalog)}`)
    return 0
  },
})
