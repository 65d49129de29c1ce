/** Writes the bundled tables of places and audiences from the pinned packages: `npm ci && npm run prepare-data`. */
import { join } from 'node:path'
import { audiencias } from './audiencia.ts'
import {
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
import { type Municipio, municipioTable, readMunicipios } from './municipio.ts'
import { packagePath } from './package-file.ts'
import { paises } from './pais.ts'
import { checkMisfiled, correctedSeats } from './seat.ts'
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
const { localidades, misfiled, ...leftOut } = await readLocalidades(municipios)
const seats = correctedSeats(localidades)
checkMisfiled(misfiled, seats, localidades, municipios)
const cabeceraOf = ({ idMunicipio }: Municipio) => seats.get(idMunicipio)?.place.geonameId.toString()
const municipio = municipioTable(municipios, cabeceraOf)
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
checkReference(estado, pais, 'idPais')
checkReference(municipio, estado, 'idEstado')
checkReference(localidad, municipio, 'idEstado', 'idMunicipio')
checkStatesNotSwapped(municipio)
const moved = new Set(movedLocalidades.map(({ code }) => code))
checkPublished(await readPublished('municipio.csv'), municipio, ['idEstado', 'cveMunicipio'], ['idMunicipio'])
checkPublished(await readPublished('localidad.csv'), localidad, ['cveLocalidad'], ['idMunicipio', 'idLocalidad'], moved)

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
console.log(`municipalities with a known seat: ${seats.size}`)
console.log(`places left out for want of a municipality: ${leftOut.withoutMunicipio}`)
console.log(`places left out for an unknown municipality: ${leftOut.unknownMunicipio}`)
console.log(`places left out as sections of a city or abandoned: ${leftOut.unwantedKinds}`)
console.log(`places left out for want of a name: ${leftOutLocalidades.length}`)
console.log(`places left out because they are misfiled: ${misfiled.length}`)
console.log(`localities moved: ${movedLocalidades.length}, renamed: ${localidadNames.length}`)
console.log(`localities of unknown population: ${localidades.filter(({ place }) => !place.population).length}`)
