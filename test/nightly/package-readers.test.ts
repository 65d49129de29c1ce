// The lists that ship, imported by a reader of Data Packages that others wrote: it has the records that the server serves.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ran } from '../support/command.ts'
import { bundledRelease, TestDirectory } from '../support/releases.ts'
import { serverForAll } from '../support/server.ts'

const ROOT = join(import.meta.dir, '..', '..')

type ReadRow = Readonly<Record<string, string | number | null>>
type ShippedResource = { readonly name: string; path: string; compression?: string; 'nomenclator:collection'?: string }

const shipped = JSON.parse(readFileSync(join(ROOT, 'data', 'datapackage.json'), 'utf8'))
const resources: readonly ShippedResource[] = shipped.resources
const lists = resources.flatMap(({ name, 'nomenclator:collection': list }) =>
  list === undefined ? [] : [[list, name]],
)

const directory = new TestDirectory()
afterAll(() => directory[Symbol.dispose]())
const release = await bundledRelease()
const { url } = serverForAll(() => release)
const rowsByName = new Map<string, readonly ReadRow[]>()

async function succeeding(command: readonly string[], cwd: string): Promise<string> {
  const { code, out, err } = await ran(command, { cwd })
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${out}${err}`)
  return out
}

beforeAll(async () => {
  const reader = join(directory.path, 'reader')
  cpSync(join(ROOT, 'test', 'package-readers'), reader, {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  })
  await succeeding(['npm', 'ci', '--ignore-scripts', '--prefer-offline', '--no-fund', '--no-audit'], reader)
  const data = join(directory.path, 'data')
  cpSync(join(ROOT, 'data'), data, { recursive: true })
  // The library reads no compressed tables, as those in Python do: whoever has it unpacks them first.
  for (const resource of resources.filter(({ compression }) => compression === 'gz')) {
    const packed = join(data, resource.path)
    writeFileSync(packed.replace(/\.gz$/, ''), Bun.gunzipSync(readFileSync(packed)))
    rmSync(packed)
    resource.path = resource.path.replace(/\.gz$/, '')
    delete resource.compression
  }
  const descriptor = join(data, 'datapackage.json')
  writeFileSync(descriptor, JSON.stringify(shipped))
  const output = await succeeding(['node', join(reader, 'read.js'), descriptor], reader)
  for (const line of output.trimEnd().split('\n')) {
    const { name, rows } = JSON.parse(line) as { readonly name: string; readonly rows: readonly ReadRow[] }
    rowsByName.set(name, rows)
  }
}, 600_000)

test('the reader finds every table', () => {
  expect([...rowsByName.keys()]).toEqual(resources.map(({ name }) => name))
  expect(lists).toHaveLength(9)
})

test.each(lists)('%s are the rows that the reader has', async (list, name) => {
  const rows = rowsByName.get(name) ?? []
  const columns = Object.keys(rows[0] ?? {})
  const lineOf = (row: ReadRow) => JSON.stringify(columns.map((column) => row[column] ?? null))
  const response = await fetch(`${url}/api/v2/${list}/all?format=ndjson&facts=true&embed=id`)
  const records = (await response.text()).trimEnd().split('\n')
  expect(columns.length).toBeGreaterThan(2)
  const served = records.map((record) => lineOf(JSON.parse(record))).toSorted()
  const read = rows.map(lineOf).toSorted()
  // Two lists of 300,000 lines that differ are no message.
  expect([read.length, read.filter((line, at) => line !== served[at]).slice(0, 5)]).toEqual([served.length, []])
})
