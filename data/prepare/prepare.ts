/** Writes the bundled tables of places and audiences from the pinned packages: `npm ci && npm run prepare-data`. */
import { join } from 'node:path'
import { audiencias } from './audiencia.ts'
import {
  addedLocalidades,
  addedMunicipios,
  countryNames,
  leftOutLocalidades,
  localidadNames,
  movedLocalidades,
  municipioNames,
} from './corrections.ts'
import { estados } from './estado.ts'
import { checkPublished, checkReference, checkStatesNotSwapped, checkTable, checkUnique } from './expectations.ts'
import { localidadTable, readLocalidades } from './localidad.ts'
import { municipioTable, readMunicipios } from './municipio.ts'
import { packagePath } from './package-file.ts'
import { paises } from './pais.ts'
import { correctedSeats } from './seat.ts'
import { parseCsv, renderCsv, type Table } from './table.ts'

const output = join(import.meta.dir, '..')

// The terms of both ask that their notice goes along with the data.
const notices = {
  'Unicode-3.0.txt': 'cldr-localenames-full/LICENSE',
  'MIT-i18n-iso-countries.txt': 'i18n-iso-countries/LICENSE',
}

const readPublished = async (file: string): Promise<Table> => parseCsv(file, await Bun.file(join(output, file)).text())

const pais = await paises()
const estado = estados()
const { municipios, cleaned } = await readMunicipios()
const { localidades, ...leftOut } = await readLocalidades(municipios)
const seats = correctedSeats(localidades)
const municipio = municipioTable(municipios, ({ idMunicipio }) => seats.get(idMunicipio)?.code)
const localidad = localidadTable(localidades)
const audiencia = audiencias()
const tables = [pais, estado, municipio, localidad, audiencia]

for (const each of tables) checkTable(each)
for (const column of ['cvePais', 'idPais']) checkUnique(pais, column)
for (const column of ['cveEstado', 'cveRenapo', 'idEstado']) checkUnique(estado, column)
checkUnique(municipio, 'idMunicipio')
checkUnique(municipio, 'idEstado', 'cveMunicipio')
checkUnique(localidad, 'cveLocalidad')
checkUnique(localidad, 'idMunicipio', 'idLocalidad')
checkUnique(audiencia, 'clave')
checkReference(estado, pais, ['idPais'])
checkReference(municipio, estado, ['idEstado'])
checkReference(localidad, municipio, ['idEstado', 'idMunicipio'])
checkReference(municipio, localidad, ['idMunicipio', 'cabecera'], ['idMunicipio', 'cveLocalidad'])
checkStatesNotSwapped(municipio)
const moved = new Set(movedLocalidades.map(({ code }) => code))
checkPublished(await readPublished('municipio.csv'), municipio, ['idEstado', 'cveMunicipio'], ['idMunicipio'])
const published = await readPublished('localidad.csv')
checkPublished(published, localidad, ['cveLocalidad'], ['idMunicipio'], moved)
checkPublished(published, localidad, ['cveLocalidad', 'idMunicipio'], ['idLocalidad'])

for (const each of tables) {
  const csv = renderCsv(each)
  await Bun.write(join(output, each.file), csv)
  console.log(`${each.file}: ${each.rows.length} rows, ${Buffer.byteLength(csv)} bytes`)
}
for (const [name, source] of Object.entries(notices)) {
  await Bun.write(join(output, 'LICENSES', name), Bun.file(packagePath(source)))
}
console.log(`countries renamed: ${countryNames.length}`)
console.log(`municipality names cleaned: ${cleaned}, renamed: ${municipioNames.length}`)
console.log(`municipalities added: ${addedMunicipios.length}`)
console.log(`places left out for want of a municipality: ${leftOut.withoutMunicipio}`)
console.log(`places left out as sections of a city or abandoned: ${leftOut.unwantedKinds}`)
console.log(`places left out for want of a name: ${leftOutLocalidades.length}`)
console.log(`localities added: ${addedLocalidades.length}`)
console.log(`localities moved: ${movedLocalidades.length}, renamed: ${localidadNames.length}`)
console.log(`localities of unknown place: ${localidades.filter(({ latitude }) => latitude === undefined).length}`)
console.log(`localities of unknown population: ${localidades.filter(({ population }) => !population).length}`)
