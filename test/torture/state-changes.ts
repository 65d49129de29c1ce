// One change to one file of an artefact, which follows from a seed: a field, a name, or bytes.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pick, type Random } from '../../packages/server/src/source/synthetic/random.ts'

const CODES = '\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnp\u2066'
const HEADER = 'es\r\nX-Owned: 1\r\nContent-Type: text/html\r\n\r\n<script>owned()</script>'
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'then', '.', '..', '']
const LARGE = 100_000
const DEEP = 10_000

const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

/** Values that no field expects. */
const VALUES: readonly (() => unknown)[] = [
  ...[null, true, false, 0, -1, 0.5, 1e308, 2 ** 53, '', ' ', [], {}, [null], { a: {} }].map((value) => () => value),
  ...[CODES, HEADER, '<script>owned()</script>', 'javascript:owned()', '../../../owned', '/etc/passwd'].map(
    (value) => () => value,
  ),
  ...['(', '(a+)+$', '(?<=a)b', '9999-99-99', '2999-01-01T00:00:00.000Z', 'municipio', 'a\nb', '\ud800', '0'].map(
    (value) => () => value,
  ),
  ...NAMES.map((value) => () => value),
  () => 'x'.repeat(LARGE),
  () => 'é\u0301'.repeat(LARGE),
  () => Array.from({ length: LARGE }, (_, at) => at),
  () => Object.fromEntries(Array.from({ length: LARGE }, (_, at) => [`n${at}`, at])),
  () => nested(DEEP),
]

type Place = { readonly holder: Record<string, unknown> | unknown[]; readonly name: string; readonly path: string }

/** Every member and element of a document. */
function placesIn(value: unknown, path = ''): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((name) => {
    const at = `${path}/${name}`
    return [{ holder, name, path: at }, ...placesIn(holder[name], at)]
  })
}

/** Sets a member as JSON would have it, also one that is called like the prototype. */
const define = (holder: object, name: string, value: unknown) =>
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true })

function changeMember(random: Random, { holder, name }: Place, all: readonly Place[]): string {
  const members = holder as Record<string, unknown>
  const before = members[name]
  const changes: readonly (() => string)[] = [
    () => {
      define(holder, name, pick(random, VALUES)())
      return 'another value'
    },
    () => {
      const other = pick(random, all)
      define(holder, name, structuredClone((other.holder as Record<string, unknown>)[other.name]))
      return `the value of ${other.path}`
    },
    () => {
      Reflect.deleteProperty(holder, name)
      return 'left out'
    },
    () => {
      if (Array.isArray(holder)) holder.push(structuredClone(before))
      else {
        const renamed = pick(random, [...NAMES, CODES, HEADER, 'x'.repeat(LARGE)])
        Reflect.deleteProperty(holder, name)
        define(holder, renamed, before)
        return `called ${JSON.stringify(renamed).slice(0, 80)}`
      }
      return 'twice'
    },
    () => {
      define(holder, name, typeof before === 'string' ? before + pick(random, [CODES, HEADER]) : String(before))
      return 'as a text, or with more'
    },
    () => {
      define(holder, name, [before])
      return 'in a list'
    },
  ]
  // Values of other kinds are the most.
  return (random(2) === 0 ? changes[0] : pick(random, changes))?.() ?? ''
}

/** Changes a member or element of a document that has one, and says which and how. */
export function changeOneMember(random: Random, document: object): string {
  const places = placesIn(document)
  const place = pick(random, places)
  return `${place.path} ${changeMember(random, place, places)}`
}

function jsonOf(text: string): object | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const filesOf = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('lock'))
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort()

/** Changes one file below a directory, which may share its files with others, and says what was changed. Documents are chosen more often than records. */
export function changeOneFile(random: Random, directory: string, only = /./): string {
  const files = filesOf(directory).filter((name) => only.test(name))
  const documents = files.filter((name) => /^[{[]/.test(readFileSync(join(directory, name), 'latin1')))
  const name = pick(random, random(4) > 0 && documents.length > 0 ? documents : files)
  const path = join(directory, name)
  const document = jsonOf(readFileSync(path, 'utf8'))
  if (document !== undefined && Object.keys(document).length > 0 && random(5) > 0) {
    const what = changeOneMember(random, document)
    replaceFile(path, JSON.stringify(document))
    return `${name}${what}`
  }
  return `${name} ${changeBytes(random, path, join(directory, pick(random, files)))}`
}

/** Writes other bytes into one file, which stays as long as it is, and says where. */
export function overwriteOneFile(random: Random, directory: string, only: RegExp): string {
  const name = pick(
    random,
    filesOf(directory).filter((name) => only.test(name)),
  )
  const path = join(directory, name)
  const bytes = readFileSync(path)
  const at = random(bytes.length)
  const end = Math.min(bytes.length, at + pick(random, [1, 4, 16, bytes.length]))
  const value = random(256)
  replaceFile(path, random(2) === 0 ? bytes.fill(value, at, end) : flipped(bytes, at, random(8)))
  return `${name} has other bytes from ${at} on`
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
  return bytes
}

function replaceFile(path: string, content: string | Uint8Array): void {
  rmSync(path)
  writeFileSync(path, content)
}

function changeBytes(random: Random, path: string, other: string): string {
  const bytes = readFileSync(path)
  const at = random(Math.max(1, bytes.length))
  const changes: readonly (() => string)[] = [
    () => {
      replaceFile(path, bytes.subarray(0, at))
      return `cut at ${at}`
    },
    () => {
      replaceFile(path, flipped(bytes, at, random(8)))
      return `flipped at ${at}`
    },
    () => {
      replaceFile(path, readFileSync(other))
      return `exchanged for ${other.slice(other.lastIndexOf('/') + 1)}`
    },
    () => {
      const inserted = Buffer.from(String(pick(random, [CODES, HEADER, '../../x', '[', '{', '\0', '-1', '"'])))
      replaceFile(path, Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]))
      return `longer at ${at}`
    },
    () => {
      replaceFile(path, Buffer.from('['.repeat(LARGE)))
      return 'deep'
    },
  ]
  return pick(random, changes)()
}
