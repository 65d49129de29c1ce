// The way of a request through API v2 without a socket: which release it reads, and how long its response may be kept.
import { beforeAll, describe, expect, test } from 'bun:test'
import { releaseOf, sourceOf, tiny } from '../../../../../test/support/releases.ts'
import type { Release } from '../../release/release.ts'
import { profileText } from '../../source/package/profile-file.ts'
import type { HttpResponse } from '../exchange.ts'
import { ProblemError } from '../problem.ts'
import { PROFILE_PATH } from '../routes.ts'
import { OpenReleases } from './open-releases.ts'
import { parseV2 } from './pipeline.ts'
import { writeCursor } from './request/query-string.ts'

let release: Release
beforeAll(async () => {
  // Each area has the other's identifier for its code.
  const area = [
    { cveArea: '2', descripcion: 'Artes', idArea: 1 },
    { cveArea: '1', descripcion: 'Ciencias', idArea: 2 },
  ]
  const campo = [
    { cveCampo: '11', descripcion: 'Lógica pura', idCampo: 11, idArea: 1 },
    { cveCampo: '12', descripcion: 'Lógica aplicada', idCampo: 12, idArea: 2 },
  ]
  release = await releaseOf(sourceOf({ ...tiny, area, campo, disciplina: [], subdisciplina: [] }))
})

function respond(target: string, isBaseUrlFixed = false): HttpResponse {
  const [path = '', query = ''] = target.split('?')
  const releases = new OpenReleases(() => release, undefined)
  const context = { releases, cache: undefined, baseUrlOf: () => 'http://catalogs.example.org', isBaseUrlFixed }
  return parseV2(context, {
    method: 'GET',
    path: `/api/v2/${path}`,
    query,
    headers: new Map(),
  }).respond() as HttpResponse
}

const IMMUTABLE = 'public, max-age=31536000, immutable'
const cacheControl = ({ head }: HttpResponse) => /^Cache-Control: (.*)\r$/m.exec(head)?.[1]

test('the profile of data packages is where editors can load it', async () => {
  const context = { releases: new OpenReleases(() => release, undefined), cache: undefined, baseUrlOf: () => '' }
  const request = { method: 'GET' as const, path: PROFILE_PATH, query: '', headers: new Map() }
  const { status, body } = (await parseV2({ ...context, isBaseUrlFixed: true }, request).respond()) as HttpResponse
  expect(status).toBe(200)
  expect(JSON.parse(Buffer.from(body as Uint8Array).toString())).toEqual(JSON.parse(profileText()))
})

describe('a response never changes', () => {
  test.each([
    ['a list without links, of a release that is named whole', 'paises?', 64, false, true],
    ['a list with links to an address that the client chose', 'paises?per_page=1&', 64, false, false],
    ['a list with links to the address that is configured', 'paises?per_page=1&', 64, true, true],
    ['a list of a release that is named in short', 'paises?', 12, true, false],
    ['a record', 'paises/484?', 64, false, true],
    ['suggestions with addresses that the client chose', 'search?q=mexico&', 64, false, false],
    ['suggestions with the address that is configured', 'search?q=mexico&', 64, true, true],
  ])('%s', (_, target, digits, isBaseUrlFixed, isImmutable) => {
    const named = `${target}release=${release.digest.slice(0, digits)}`
    expect(cacheControl(respond(named, isBaseUrlFixed)) === IMMUTABLE).toBe(isImmutable)
    expect(cacheControl(respond(target.replace(/[?&]$/, ''), isBaseUrlFixed))).not.toBe(IMMUTABLE)
  })
})

test('the memory of a body may be freed: no record is in it', () => {
  const { body, ownsBody } = respond('audiencias/1')
  expect(ownsBody).toBe(true)
  expect((body as Uint8Array).buffer).not.toBe(release.entity('audiencia').records.record(0).buffer)
})

test('the checksums of a release never change where it is named whole', () => {
  expect(cacheControl(respond(`releases/${release.digest}/checksums`))).toBe(IMMUTABLE)
  expect(cacheControl(respond(`releases/${release.digest.slice(0, 12)}/checksums`))).not.toBe(IMMUTABLE)
  expect(cacheControl(respond(`releases/${release.digest}/manifest`))).not.toBe(IMMUTABLE)
})

const GONE = '0'.repeat(64)
test.each([
  ['a release that is gone', () => 'paises?release=00000000', 'release-gone'],
  ['a cursor of a release that is gone', () => `paises?after=${writeCursor(GONE, 1)}`, 'release-gone'],
  ['the same, where it is named too', () => `paises?release=${GONE}&after=${writeCursor(GONE, 1)}`, 'release-gone'],
  ['an unknown parameter in a release that is gone', () => 'paises?release=00000000&nada=1', 'unknown-parameter'],
  ['an unknown collection in a release that is gone', () => 'nada?release=00000000', 'not-found'],
  ['too little of a digest', () => `paises?release=${release.digest.slice(0, 7)}`, 'bad-parameter'],
  ['a release that is no digest', () => 'releases/current', 'not-found'],
])('%s is a problem', (_, target, kind) => {
  const problemOf = (): string | undefined => {
    try {
      respond(target())
    } catch (error) {
      if (error instanceof ProblemError) return error.problem.kind
    }
    return undefined
  }
  expect(problemOf()).toBe(kind)
})

test.each([
  ['areas-conocimiento:1', 'Lógica pura'],
  ['areas-conocimiento:1&by=id', 'Lógica pura'],
  ['areas-conocimiento:1&by=code', 'Lógica aplicada'],
])('a number in within is an identifier before it is a code: %s', (within, name) => {
  const { body } = respond(`search?q=logica&within=${within}`)
  const suggestions = JSON.parse(new TextDecoder().decode(body as Uint8Array)) as { name: string }[]
  expect(suggestions.map((suggestion) => suggestion.name)).toEqual([name])
})
