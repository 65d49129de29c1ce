// The municipalities of a file of INEGI in an empty home, which is completed with all localities that ship: too many for each run of the tests.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { bundledSource } from '../../packages/server/src/source/bundled.ts'
import { Faults } from '../../packages/server/src/source/faults.ts'
import { Findings } from '../../packages/server/src/source/findings.ts'
import { runHere } from '../support/command.ts'
import { type InegiPlace, inegiTable } from '../support/inegi-file.ts'
import { bundledRelease, TestDirectory, TestHome } from '../support/releases.ts'

setDefaultTimeout(180_000)

describe('with the bundled data,', () => {
  /** The bundled municipalities in INEGI's layout, in the order of their codes. */
  async function bundledPlaces(): Promise<InegiPlace[]> {
    const rowsOf = async (name: string) =>
      (await Array.fromAsync(bundledSource().read(name, report))).flatMap(({ rows }) => rows)
    const report = { faults: new Faults(), findings: new Findings() }
    const stateNames = new Map(
      (await rowsOf('estado')).map(({ idEstado, descEstado }) => [idEstado, String(descEstado)]),
    )
    const places = (await rowsOf('municipio')).map(({ idEstado, cveMunicipio, descMunicipio }) => ({
      state: String(idEstado).padStart(2, '0'),
      stateName: stateNames.get(idEstado as number) as string,
      code: String(cveMunicipio),
      name: String(descMunicipio),
      localities: [],
    }))
    return places.sort((a, b) => (a.state + a.code).localeCompare(b.state + b.code))
  }

  test('every code has the same identifier, and every locality its municipality, whichever source comes first', async () => {
    using directory = new TestDirectory()
    using home = new TestHome()
    const file = inegiTable(join(directory.path, 'municipios.csv'), 'municipio', await bundledPlaces())
    const { code, out } = await runHere('import', 'inegi', file, '--home', home.path, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ childless: [] })
    const bundled = await bundledRelease()
    const released = home.current().manifest.entities
    for (const name of ['municipio', 'localidad'])
      expect([name, released[name]?.records]).toEqual([name, bundled.manifest.entities[name]?.records])
  })
})
