// docs/your-own-catalog.md is followed step by step: its commands and requests give what it shows, in both languages.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import schema from '../../data/nomenclator.schema.json' with { type: 'json' }
import { FIELD_ROLES } from '../../packages/server/src/source/package/profile.ts'
import { expectGolden } from '../support/golden.ts'
import { Walkthrough, withBlocksOf } from '../support/walkthrough.ts'

setDefaultTimeout(180_000)

const pathOf = (name: string) => join(import.meta.dir, '..', '..', 'docs', name)
const ENGLISH = pathOf('your-own-catalog.md')
const SPANISH = pathOf('your-own-catalog.es.md')
const ORIGIN = 'http://127.0.0.1:8080'
const read = (path: string) => Bun.file(path).text()

test('the commands and requests of the page give what it shows, and its links lead somewhere', async () => {
  await using reader = new Walkthrough()
  const document = await read(ENGLISH)
  const written = await reader.follow(document)
  await expectGolden(ENGLISH, written)
  await expectGolden(SPANISH, withBlocksOf(await read(SPANISH), written))
  const targets = [...document.matchAll(/["<]http:\/\/127\.0\.0\.1:8080(\/[^">]*)[">]/g)].map(
    ([, target = '']) => target,
  )
  expect(targets.length).toBeGreaterThan(3)
  for (const target of targets)
    expect(`${target} ${(await reader.get({ target, headers: {} })).status}`).toBe(`${target} 200`)
  const [picker = ''] = document.match(/<nomenclator-picker .*/) ?? []
  const { body } = await reader.get({ target: '/picker?lang=en', headers: {} })
  expect(unescaped(body)).toContain(picker)
  expect(unescaped(body)).toContain(`${ORIGIN}/picker/nomenclator-picker.js`)
})

test.each([ENGLISH, SPANISH])('%s has every property of the profile, and every role of a field', async (path) => {
  const rows = (await read(path)).split('\n').filter((line) => line.startsWith('| `nomenclator:'))
  const { list, field } = schema.definitions
  const named = (of: string) => rows.filter((row) => row.includes(`| ${of} |`)).map((row) => row.split('`')[1] ?? '')
  const [ofList = '', ofField = ''] = path === ENGLISH ? ['resource', 'field'] : ['recurso', 'campo']
  const own = ({ properties }: { properties: object }) =>
    Object.entries(properties).flatMap(([name, { description }]) =>
      name.startsWith('nomenclator:') && !/^(?:Written by an export|Of lists that ship)/.test(String(description))
        ? [name]
        : [],
    )
  expect(named(ofList).toSorted()).toEqual(own(list).toSorted())
  expect(named(ofField).toSorted()).toEqual(own(field).toSorted())
  const roles = rows.find((row) => row.startsWith(`| \`nomenclator:role\` | ${ofField} |`)) ?? ''
  expect(FIELD_ROLES.filter((role) => !roles.includes(`\`${role}\``))).toEqual([])
})

const SOURCES = join(import.meta.dir, '..', '..', 'packages', 'server', 'src', 'source', 'package')
const KIND =
  /\b(?:add|#?find|#?tell\w*)\(\s*(?:[\w.#]+,\s*)*(?:isWidened \? )?'([a-z]+(?:-[a-z]+)*)'(?: : '([a-z-]+)')?/g

test.each([ENGLISH, SPANISH])('%s has every kind of finding, and no other', async (path) => {
  const files = [...new Bun.Glob('**/*.ts').scanSync(SOURCES)].filter((file) => !file.endsWith('.test.ts'))
  const texts = await Promise.all(files.map((file) => read(join(SOURCES, file))))
  const kinds = texts.flatMap((text) => [...text.matchAll(KIND)].flatMap(([, one = '', other = '']) => [one, other]))
  const [, table = ''] = (await read(path)).split(/^\| (?:finding|observación) \|.*$/m)
  const named = table.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
  expect(named.map(([, kind]) => kind).toSorted()).toEqual([...new Set(kinds)].filter((kind) => kind !== '').toSorted())
})

const unescaped = (html: string) =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
