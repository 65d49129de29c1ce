// The package nomenclator-verify as users get it: packed, installed into an empty folder by npm, and run by Node.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { version } from '../../packages/server/src/base/version.ts'
import { ran } from '../support/command.ts'
import { jumbled } from '../support/jumbled-catalog.ts'
import { output, pack, StrangeProject } from '../support/packed.ts'
import { plainV1 } from '../support/plain-v1.ts'
import { releaseOf } from '../support/releases.ts'
import { serverOf } from '../support/server.ts'
import { smallSource } from '../support/small-source.ts'
import { header, onPages } from '../support/v1-faults.ts'

const project = new StrangeProject()
const installed = project.file('node_modules', 'nomenclator-verify')
const release = await releaseOf(smallSource(jumbled))
const ours = serverOf(() => release)

beforeAll(async () => {
  const tarball = await pack('verify', project.path)
  await output(['npm', 'install', '--offline', '--no-package-lock', tarball], project.path)
})
afterAll(async () => {
  await ours.close()
  project[Symbol.dispose]()
})

/** Runs the program that npm has linked. */
const run = (...argv: readonly string[]) =>
  ran([project.file('node_modules', '.bin', 'nomenclator-verify'), ...argv], { cwd: project.path })

test('has one module, which needs nothing but Node', () => {
  const manifest = JSON.parse(readFileSync(`${installed}/package.json`, 'utf8'))
  expect(Object.keys(manifest).filter((member) => /dependencies/i.test(member))).toEqual([])
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  expect(readdirSync(`${installed}/dist`)).toEqual(['main.js'])
  const source = readFileSync(`${installed}/dist/main.js`, 'utf8')
  expect(source).toStartWith('#!/usr/bin/env node\n')
  expect(source).not.toMatch(/\bBun\b/)
  const imports = new Bun.Transpiler({ loader: 'js' }).scanImports(source.replace(/^#!.*\n/, ''))
  expect(imports.filter(({ path }) => !path.startsWith('node:'))).toEqual([])
})

test('finds that our own server conforms, and gives no advice', async () => {
  const { code, out, err } = await run(ours.url, '--deep', '--json')
  expect([code, err]).toEqual([0, ''])
  const found = JSON.parse(out)
  const others = found.checks.filter(({ status }: { status: string }) => status !== 'ok')
  expect([found.conforms, others, found.collections.length]).toEqual([true, [], 5])
})

test('names the rule that a faulty server breaks, and gives advice in a line', async () => {
  await using faulty = await plainV1(onPages(header('X-Per-Page', '20')))
  const { code, out } = await run(faulty.url, '--only', 'paises', '--junit', project.file('verify.xml'))
  expect(code).toBe(1)
  expect(out).toContain('\n           came:     X-Per-Page: 20\n           expected: X-Per-Page: 10\n')
  const page = `${faulty.url}/api/v1/paises?format=api&page=1`
  expect(out).toMatch(/\nadvice +etag +A page has an ETag\.\n/)
  expect(out).toContain(`\n         GET ${page}: no ETag\n`)
  expect(out).toEndWith(`${faulty.url} does not speak the contract of API v1: x-per-page.\n`)
  expect(readFileSync(project.file('verify.xml'), 'utf8')).toContain('<failure message="X-Per-Page is 10')
})

test('compares two servers', async () => {
  const { code, out } = await run(ours.url, '--against', ours.url, '--only', 'audiencias')
  expect([code, out.split('\n').at(-2)]).toEqual([0, 'They are the same.'])
})

test('describes itself', async () => {
  const help = await run('--help')
  expect([help.code, help.err]).toEqual([0, ''])
  expect(help.out).toContain('Usage: nomenclator-verify URL [FLAGS]')
  expect(help.out).toContain('  --sample N         the number of pages of each collection to request (default 20)\n')
  expect(await run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

test.each<[readonly string[], string]>([
  [[], 'give one URL'],
  [['http://a', 'http://b'], 'give one URL'],
  [['host'], '"host" is not the http or https address of a service'],
  [['http://a', '--smaple', '3'], '--smaple'],
  [['http://a', '--sample', '0'], '--sample was "0"; allowed is a whole number from 1 to 1000000'],
  [['http://a', '--only', 'estados'], 'allowed is some of localidades, municipios'],
  [['http://127.0.0.1:1', '--json', '--junit', '-'], 'give one of them'],
])('refuses the call %j', async (argv, words) => {
  const { code, out, err } = await run(...argv)
  expect([code, out]).toEqual([2, ''])
  expect(err).toStartWith('nomenclator-verify: ')
  expect(err).toContain(words)
  expect(err).toEndWith('\nnomenclator-verify --help describes the command.\n')
})

test('ends with exit code 2 where nothing listens', async () => {
  const { code, out } = await run('http://127.0.0.1:1', '--no-advice', '--only', 'paises')
  expect([code, out.split('\n').at(-2)]).toEqual([2, 'http://127.0.0.1:1 could not be checked.'])
})
