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
    const release = (await openHome(values, terminal)).openCurrent()
    const origin = release === undefined ? 'the built-in catalog' : `release ${release.digest}`
    const types = typescriptOf(release?.catalog ?? builtInCatalog)
    terminal.data(`// Types of ${origin}, printed by nomenclator types.\n${USE}\n${types}`)
  },
})
