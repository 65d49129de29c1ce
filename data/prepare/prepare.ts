/** Writes the bundled tables of places and audiences from the pinned packages: `npm ci && npm run prepare-data`. */
import { join } from 'node:path'
import { audiencias } from './audiencia.ts'
import { estados } from './estado.ts'
import { checkReference, checkStatesNotSwapped, checkTable, checkUnique } from './expectations.ts'
import { readLocalidades } from './localidad.ts'
import { municipioTable, readMunicipios } from './municipio.ts'
import { packagePath } from './package-file.ts'
import { paises } from './pais.ts'
import { renderCsv } from './table.ts'

const output = join(import.meta.dir, '..')

// The terms of both ask that their notice goes along with the data.
const notices = {
  'Unicode-3.0.txt': 'cldr-localenames-full/LICENSE',
  'MIT-i18n-iso-countries.txt': 'i18n-iso-countries/LICENSE',
}

const pais = await paises()
const estado = estados()
const { municipios, renamed } = await readMunicipios()
const municipio = municipioTable(municipios)
const localidades = await readLocalidades(municipios)
const localidad = localidades.table
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

for (const each of tables) {
  const csv = renderCsv(each)
  await Bun.write(join(output, each.file), csv)
  console.log(`${each.file}: ${each.rows.length} rows, ${Buffer.byteLength(csv)} bytes`)
}
for (const [name, source] of Object.entries(notices)) {
  await Bun.write(join(output, 'LICENSES', name), Bun.file(packagePath(source)))
}
console.log(`municipality names cleaned: ${renamed}`)
console.log(`places left out for want of a municipality: ${localidades.withoutMunicipio}`)
console.log(`places left out for an unknown municipality: ${localidades.unknownMunicipio}`)
