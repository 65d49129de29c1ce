// A program of a CommonJS project, which prints what it gets and what it is refused.
import { connect, connectV1, NomenclatorError, NotFound, offline, type Pais, sync } from 'nomenclator-client'
import { fileStore } from 'nomenclator-client/file'

declare const process: { readonly argv: readonly string[] }
declare function require(name: string): typeof import('nomenclator-client')

async function main(url: string): Promise<void> {
  const catalogs = connect(url)
  const country: Pais = await catalogs.paises.get(484)
  const copy = new Map()
  await sync(catalogs, copy)
  const copied = await offline(copy).paises.get(484)
  const { total } = await connectV1(url).paises.page()
  console.log(country.descPais, copied.descPais, total > 200, typeof fileStore)
  const error = await catalogs.paises.get(1_000_000).catch((reason: unknown) => reason)
  if (!(error instanceof NotFound)) throw error
  console.log(error.name, error.constructor.name, error instanceof NomenclatorError)
  // As an ES module, the package has classes of its own.
  const asModule = await import('nomenclator-client')
  console.log(asModule.NotFound === NotFound, error instanceof asModule.NotFound, error instanceof asModule.TimedOut)
  console.log(require('nomenclator-client').NotFound === NotFound)
}

main(process.argv[2] ?? '')
