/** Writes the bundled tables of places and audiences: `npm ci && npm run prepare-data -- LOCALITIES MUNICIPALITIES`. */
import { join } from 'node:path'
import { audiencias } from './audiencia.ts'
import { estados } from './estado.ts'
import { checkReference, checkTable, checkUnique } from './expectations.ts'
import { inegiLocalidades, inegiMunicipios } from './inegi.ts'
import { localidadTable } from './localidad.ts'
import { municipioIds, municipioTable } from './municipio.ts'
import { packagePath, refuse } from './package-file.ts'
import { paises } from './pais.ts'
import { parseCsv, renderCsv, type Table } from './table.ts'

const [localidadesPath, municipiosPath, ...rest] = process.argv.slice(2)
if (localidadesPath === undefined || municipiosPath === undefined || rest.length > 0)
  refuse("give INEGI's two files: localidades-inegi-2026.zip and municipios-inegi-2025.csv")

const output = join(import.meta.dir, '..')

// The terms of both ask that their notice goes along with the data.
const notices = {
  'Unicode-3.0.txt': 'cldr-localenames-full/LICENSE',
  'MIT-i18n-iso-countries.txt': 'i18n-iso-countries/LICENSE',
}

const published = parseCsv('municipio.csv', await Bun.file(join(output, 'municipio.csv')).text())

const pais = await paises()
const municipio = municipioTable(await inegiMunicipios(municipiosPath), municipioIds(published))
const estado = estados(municipio)
const ids = municipioIds(municipio)
const localidad = localidadTable(await inegiLocalidades(localidadesPath), (code) => ids.get(code))
const audiencia = audiencias()
const tables = [pais, estado, municipio, localidad, audiencia]

const cabecera = municipio.columns.indexOf('cabecera')
const withSeat: Table = { ...municipio, rows: municipio.rows.filter((row) => row[cabecera] !== '') }

for (const each of tables) checkTable(each)
for (const column of ['cvePais', 'idPais']) checkUnique(pais, column)
for (const column of ['cveEstado', 'cveRenapo', 'idEstado']) checkUnique(estado, column)
checkUnique(municipio, 'idMunicipio')
checkUnique(municipio, 'idEstado', 'cveMunicipio')
checkUnique(localidad, 'idMunicipio', 'idLocalidad')
checkUnique(audiencia, 'clave')
checkReference(estado, pais, ['idPais'])
checkReference(municipio, estado, ['idEstado'])
checkReference(localidad, municipio, ['idEstado', 'idMunicipio'])
checkReference(withSeat, localidad, ['idMunicipio', 'cabecera'], ['idMunicipio', 'cveLocalidad'])

for (const each of tables) {
  const csv = renderCsv(each)
  // libdeflate writes no time, so that the same table gives the same bytes.
  const bytes = each.file.endsWith('.gz') ? Bun.gzipSync(csv, { level: 12, library: 'libdeflate' }) : Buffer.from(csv)
  await Bun.write(join(output, each.file), bytes)
  console.log(`${each.file}: ${each.rows.length} rows, ${bytes.length} bytes`)
}
for (const [name, source] of Object.entries(notices)) {
  await Bun.write(join(output, 'LICENSES', name), Bun.file(packagePath(source)))
}
