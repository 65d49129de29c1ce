// describe writes a descriptor or refuses to; check reports faults and findings.
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordingTerminal } from '../../../../../test/support/command.ts'
import { profileFaults } from '../../../../../test/support/profile.ts'
import { run } from '../run.ts'

const OFFICES = 'clave;nombre;región\n01;Centro;N\n02;Norte;S\n'
const REGIONS = 'code,name\nN,North\nS,South\n'

class Tables {
  readonly path = mkdtempSync(join(tmpdir(), 'nomenclator-describe-'))

  constructor(files: Readonly<Record<string, string | Buffer>>) {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.path, name), text)
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8')
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

async function called(...argv: string[]) {
  const { said, terminal } = recordingTerminal()
  return { exitCode: await run(argv, {}, terminal), ...said }
}

describe('a table that can be no list yet is described, and one line says what to choose', () => {
  test('without a key', async () => {
    using tables = new Tables({ 'clothes.csv': 'colour,size\nred,M\nred,M\nblue,M\nblue,M\ngreen,M\n' })
    const { exitCode, out } = await called('describe', tables.path)
    expect(exitCode).toBe(0)
    expect(out.split('\n')[0]).toBe(
      'clothes: no list yet; no 4 columns or fewer are filled and different in every row; declare a primaryKey in its schema, or add a ' +
        'column of codes; "primaryKey": ["colour"] with "nomenclator:lossy": true at the resource leaves out 2 of 5 rows',
    )
    const [resource] = JSON.parse(tables.read('datapackage.json')).resources
    expect(resource.schema).toEqual({
      fields: ['colour', 'size'].map((name) => ({ name, type: 'string', 'nomenclator:role': 'fact' })),
    })
    expect((await called('check', tables.path)).exitCode).toBe(1)
    const chosen = { ...resource, 'nomenclator:lossy': true, schema: { ...resource.schema, primaryKey: ['colour'] } }
    writeFileSync(join(tables.path, 'datapackage.json'), JSON.stringify({ name: 'a', resources: [chosen] }))
    expect((await called('check', tables.path)).out).toContain('clothes: 3 records by colour')
  })

  test('without a header, which is asked about', async () => {
    using tables = new Tables({ 'states.csv': '01,Aguascalientes,AGS\n02,Baja California,BC\n03,Campeche,CAMP\n' })
    const { exitCode, out } = await called('describe', tables.path)
    expect(exitCode).toBe(0)
    expect(out).toStartWith(
      'states: no list yet; its first row names no columns, since "01" is like the values below it; write',
    )
    const { resources, ...rest } = JSON.parse(tables.read('datapackage.json'))
    expect(resources).toEqual([{ name: 'states', path: 'states.csv', type: 'table' }])
    for (const [header, records] of [
      [false, 3],
      [true, 2],
    ]) {
      const said = { ...rest, resources: [{ ...resources[0], dialect: { header } }] }
      writeFileSync(join(tables.path, 'datapackage.json'), JSON.stringify(said))
      expect((await called('check', tables.path)).out).toContain(`states: ${records} records by `)
    }
  })

  test.each([
    ['years are names of columns beside others', 'country,2019,2020\nAA,10,12\nBB,20,22\n'],
    ['so are codes of other forms', 'Q1,Q2\na,b\nc,d\n'],
  ])('%s', async (_, text) => {
    using tables = new Tables({ 'counts.csv': text })
    expect((await called('describe', tables.path)).out).toContain('counts: 2 records by ')
  })
})

describe('describe', () => {
  test('writes a descriptor that check finds sound, with nothing left to infer', async () => {
    using tables = new Tables({ 'offices.csv': OFFICES, 'regions.csv': REGIONS })
    const { exitCode, out } = await called('describe', tables.path)
    expect(exitCode).toBe(0)
    expect(out).toContain(
      'regions: 2 records by code; name name\noffices: 2 records by clave; name nombre; regions by región\n',
    )
    const descriptor = JSON.parse(tables.read('datapackage.json'))
    expect(profileFaults(descriptor)).toEqual([])
    expect(descriptor.$schema).toBe('./nomenclator.schema.json')
    expect(tables.read('nomenclator.schema.json')).toBe((await called('profile')).out)
    const { resources } = descriptor
    expect(resources[0]).toMatchObject({
      path: 'offices.csv',
      dialect: { delimiter: ';' },
      schema: { primaryKey: ['clave'] },
    })
    expect(await called('check', tables.path)).toEqual({
      exitCode: 0,
      out:
        'regions: 2 records by code; name name\noffices: 2 records by clave; name nombre; regions by región\n' +
        'Sound: 0 faults, 0 findings, 0 doubts.\n',
      err: '',
    })
  })

  test('names an encoding that is not UTF-8', async () => {
    using tables = new Tables({ 'offices.csv': Buffer.from(OFFICES, 'latin1') })
    await called('describe', tables.path)
    const { resources } = JSON.parse(tables.read('datapackage.json'))
    expect(resources[0].encoding).toBe('windows-1252')
    expect(resources[0].schema.fields[2].name).toBe('región')
  })

  test('replaces a descriptor only with --force', async () => {
    using tables = new Tables({ 'offices.csv': OFFICES, 'datapackage.json': '{"name":"mine","resources":[]}' })
    const file = join(tables.path, 'datapackage.json')
    await expect(called('describe', tables.path)).rejects.toThrow(`${file} is there already; give --force`)
    await expect(called('describe', join(tables.path, 'offices.csv'))).rejects.toThrow('is there already')
    await expect(called('describe', tables.path, '--output', file)).rejects.toThrow('is there already')
    expect(tables.read('datapackage.json')).toBe('{"name":"mine","resources":[]}')
    await called('describe', join(tables.path, 'offices.csv'), '--force')
    expect(JSON.parse(tables.read('datapackage.json')).resources).toHaveLength(1)
  })

  test('prints the descriptor alone, and the doubts beside it', async () => {
    using tables = new Tables({ 'offices.csv': OFFICES, 'regions.csv': REGIONS, 'other.csv': 'a\n1\n' })
    const files = ['offices.csv', 'regions.csv'].map((name) => join(tables.path, name))
    const { out, err } = await called('describe', ...files, '--output', '-')
    expect(JSON.parse(out).resources.map(({ name }: { name: string }) => name)).toEqual(['offices', 'regions'])
    expect(err).toContain('offices: 2 records by clave')
    const explained = await called('describe', ...files, '--output', '-', '--explain')
    expect(explained.err).toContain('offices: "región" refers to "code" of "regions", which has its values.')
    expect(existsSync(join(tables.path, 'datapackage.json'))).toBe(false)
  })

  test('prints what was decided as JSON', async () => {
    using tables = new Tables({ 'regions.csv': REGIONS })
    const output = join(tables.path, 'other.json')
    const { out } = await called('describe', tables.path, '--output', output, '--json')
    expect(JSON.parse(out)).toMatchObject({
      output,
      lists: [{ name: 'regions', key: ['code'], records: 2 }],
      notes: [
        { resource: 'regions', field: 'code' },
        { resource: 'regions', field: 'name' },
      ],
    })
    await expect(called('describe', tables.path, '--output', '-', '--json')).rejects.toThrow('both print')
  })

  test('names a file that is missing', async () => {
    await expect(called('describe', '/nowhere/at/all')).rejects.toThrow('there is no file or directory /nowhere/at/all')
  })
})

describe('check', () => {
  const DESCRIPTOR = JSON.stringify({
    name: 'post',
    resources: [
      { name: 'offices', path: 'offices.csv', schema: { fields: [{ name: 'clave' }], primaryKey: ['clave'] } },
      { name: 'regions', path: 'regions.csv' },
    ],
  })

  test('prints every fault with its place, and which lists are left out', async () => {
    using tables = new Tables({
      'datapackage.json': DESCRIPTOR,
      'offices.csv': 'clave,nombre\n01,a\n01,b\n',
      'regions.csv': REGIONS,
    })
    const { exitCode, out } = await called('check', tables.path)
    expect(exitCode).toBe(1)
    expect(out).toMatch(/offices\.csv:3, clave: "01"; expected a key that no row before it has, and line 2 has it/)
    expect(out).toContain('Left out of what can be published: offices\n')
    expect(out).toContain('regions: 2 records')
    expect(out).toContain('Not sound: 1 fault,')
  })

  test('prints the same as JSON', async () => {
    using tables = new Tables({
      'datapackage.json': DESCRIPTOR,
      'offices.csv': 'clave,nombre\n01,a\n01,b\n',
      'regions.csv': REGIONS,
    })
    const { exitCode, out } = await called('check', tables.path, '--json')
    expect(exitCode).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      sound: false,
      package: 'post',
      lists: [{ name: 'regions', records: 2 }],
      faults: [{ line: 3, column: 'clave', value: '"01"' }],
      leftOut: [{ resource: 'offices' }],
    })
  })

  test('names line and column of a descriptor that cannot be read', async () => {
    using tables = new Tables({ 'datapackage.json': '{\n  "name": "post",\n  "resources": [,]\n}\n' })
    const { exitCode, out } = await called('check', tables.path)
    expect(exitCode).toBe(1)
    expect(out).toMatch(/datapackage\.json:3, column 17/)
  })

  test('counts findings as faults only with --strict', async () => {
    using tables = new Tables({ 'regions.csv': 'code,name\nNA,Namibia\nMX,Mexico\n' })
    const lenient = await called('check', tables.path)
    expect(lenient.exitCode).toBe(0)
    expect(lenient.out).toContain('regions.csv:2, code: NA')
    const strict = await called('check', tables.path, '--strict')
    expect(strict.exitCode).toBe(1)
    expect(strict.out).toContain('Not sound: 0 faults, 1 finding')
  })

  test('refuses what is no package', async () => {
    using tables = new Tables({})
    await expect(called('check', tables.path)).rejects.toThrow('has neither a datapackage.json nor tables')
  })
})
