// The README, followed by a newcomer: what it says to type gives what it shows, in both languages. `…` stands for whatever comes there.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { ran } from '../support/command.ts'
import { PROGRAM, TestDirectory } from '../support/releases.ts'
import { eventually, Service } from '../support/service.ts'

setDefaultTimeout(120_000)

const ROOT = join(import.meta.dir, '..', '..')
const SHOWN_ORIGIN = 'http://127.0.0.1:8080'

/** The files that a reader is taken to have. */
const FILES = {
  'customers.csv':
    'estado,municipio,localidad\nJal.,Zapopan,La Venta del Astilero\nedo mex,Naucalpan,Sta. Cruz Acatlan\n' +
    'Oax,Huautla de Jimenez,Rio Santiago\nVer,Xalapa,Jalapa Enriquez\n',
  'offices.csv': 'key,name,city\nN1,Oficina norte,Monterrey\nS1,Oficina sur,Oaxaca\n',
}

const directory = new TestDirectory()
const home = join(directory.path, 'home')
let service: Service
beforeAll(async () => {
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(directory.path, name), content)
  const [program = '', ...sources] = PROGRAM
  if (sources.length === 0) symlinkSync(program, join(directory.path, 'nomenclator'))
  else
    writeFileSync(join(directory.path, 'nomenclator'), `#!/bin/sh\nexec '${PROGRAM.join("' '")}' "$@"\n`, {
      mode: 0o755,
    })
  service = await Service.over({ path: home }, { flags: ['--workers', '1'] })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  directory[Symbol.dispose]()
})

test('without a release the bundled data is built first, and used the next time', async () => {
  await eventually('it says so', () => service.said.err !== '')
  expect(service.said.err).toBe('No release yet: building one from the bundled data.\n')
  expect(new ReleaseStore(home).openCurrent()?.manifest.source.kind).toBe('bundled')
  await using again = await Service.over({ path: home }, { flags: ['--workers', '1'] })
  expect(again.said.err).toBe('')
  const listOf = async ({ url }: Service) => (await fetch(`${url}/api/v1/paises`)).text()
  expect((await listOf(again)).replaceAll(again.url, '')).toBe((await listOf(service)).replaceAll(service.url, ''))
})

const CURL = /^curl '(http:[^']+)'$/

async function outputOf(command: string): Promise<string> {
  const [, url] = CURL.exec(command) ?? []
  if (url === undefined) {
    const { out } = await ran(['sh', '-c', command], { cwd: directory.path, env: { NOMENCLATOR_HOME: home } })
    return out
  }
  const target = url.replace(SHOWN_ORIGIN, service.url)
  let body = ''
  await eventually(`${url} is served`, async () => {
    const response = await fetch(target)
    body = await response.text()
    return response.ok
  })
  return `${body}\n`
}

/** The expression that output must match as a whole. */
const patternOf = (shown: string) => new RegExp(`^${shown.split('…').map(RegExp.escape).join('[\\s\\S]*')}$`)

const examplesOf = (file: string) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((example) => example.split(/\n([\s\S]*)/, 2) as [command: string, shown: string]),
  )

const examples = examplesOf('README.md')

test('the README shows how to resolve a table, import a list and request both APIs', () => {
  expect(examples.map(([command]) => command.split(/[ ?]/).slice(0, 3).join(' '))).toEqual([
    './nomenclator resolve customers.csv',
    './nomenclator import package',
    `curl '${SHOWN_ORIGIN}/api/v2/offices q=ofisina+norte'`,
    `curl '${SHOWN_ORIGIN}/api/v1/municipios page=2'`,
  ])
  expect(examplesOf('README.es.md')).toEqual(examples)
})

test.each(examples)('%s', async (command, shown) => {
  expect(await outputOf(command)).toMatch(patternOf(shown))
})

test('the form element and the pages that it names are there', async () => {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const targets = [...text.matchAll(/["<(]http:\/\/127\.0\.0\.1:8080(\/[^">)]*)[">)]/g)].map(
    ([, target = '']) => target,
  )
  expect(targets.length).toBeGreaterThan(4)
  const statuses = await Promise.all(
    targets.map(async (target) => [
      target,
      (await fetch(`${service.url}${target}`, { headers: { accept: '*/*' } })).status,
    ]),
  )
  expect(statuses).toEqual(targets.map((target) => [target, 200]))
})
