// The table of routes: the properties of a path.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { allowedAt, maxBodyAt, ROUTE_LABELS, routeLabelAt, surfaceAt } from './routes.ts'

describe('requests are counted as', () => {
  test.each([
    ['/', 'home'],
    ['/api/v1', 'v1 index'],
    ['/api/v1/', 'v1 index'],
    ['/api/v1/paises', 'v1 page'],
    ['/api/v1/nothing/at/all', 'v1 page'],
    ['/api/v2', 'v2 index'],
    ['/api/v2/', 'v2 index'],
    ['/api/v2/paises', 'v2 list'],
    ['/api/v2/paises/', 'v2 list'],
    ['/api/v2/paises/all', 'v2 bulk'],
    ['/api/v2/paises/484', 'v2 record'],
    ['/api/v2/estados/9/municipios', 'v2 list'],
    ['/api/v2/municipios/7/localidades/1', 'v2 record'],
    ['/api/v2/municipios/7/localidades/all', 'v2 bulk'],
    ['/api/v2/a/b/c/d/e', 'other'],
    ['/api/v2/search', 'v2 search'],
    ['/api/v2/releases', 'v2 releases'],
    ['/api/v2/releases/abc', 'v2 releases'],
    ['/api/v2/changes', 'v2 changes'],
    ['/reconcile', 'reconcile'],
    ['/reconcile/suggest/entity', 'reconcile'],
    ['/reconciled', 'other'],
    ['/wscatgeo/v2/mgem/14', 'wscatgeo'],
    ['/wscatgeography', 'other'],
    ['/api/openapi.json', 'openapi'],
    ['/api/profile.json', 'profile'],
    ['/explore', 'explorer'],
    ['/explore/paises/484', 'explorer'],
    ['/releases', 'explorer'],
    ['/docs/run', 'explorer'],
    ['/explorer', 'other'],
    ['/map', 'map'],
    ['/map/points/0/localidades.bin', 'map'],
    ['/picker/levels.json', 'picker'],
    ['/assets/explorer.js', 'assets'],
    ['/api', 'other'],
    ['/etc/passwd', 'other'],
    ['', 'other'],
    ['*', 'other'],
  ] as const)('%p is %s', (path, route) => expect(routeLabelAt(path)).toBe(route))

  test('anything is one of a closed set', () => {
    const paths = fc.oneof(
      fc.string(),
      fc.array(fc.webSegment()).map((parts) => `/api/v2/${parts.join('/')}`),
    )
    fc.assert(fc.property(paths, (path) => expect(ROUTE_LABELS).toContain(routeLabelAt(path))))
  })
})

describe('a path belongs to', () => {
  test.each([
    ['/api/v1', 'v1'],
    ['/api/v1/', 'v1'],
    ['/api/v1/paises', 'v1'],
    ['/api/v1x', 'none'],
    ['/api/v2', 'v2'],
    ['/api/v2/', 'v2'],
    ['/api/v2/resolve', 'v2'],
    ['/api/v2/paises/484', 'v2'],
    ['/api/v2x', 'none'],
    ['/api/openapi.json', 'v2'],
    ['/api/openapi.json/', 'v2'],
    ['/api/openapi.jsonl', 'none'],
    ['/reconcile', 'reconcile'],
    ['/reconcile/preview', 'reconcile'],
    ['/reconciled', 'none'],
    ['/', 'pages'],
    ['//', 'none'],
    ['//explore', 'none'],
    ['/explore', 'pages'],
    ['/explore/paises/484', 'pages'],
    ['/explorer', 'none'],
    ['/releases', 'pages'],
    ['/docs/run', 'pages'],
    ['/map/localidades', 'pages'],
    ['/picker/levels.json', 'pages'],
    ['/assets/explorer.js', 'pages'],
    ['/api', 'none'],
    ['', 'none'],
    ['*', 'none'],
  ] as const)('%p: %s', (path, surface) => expect(surfaceAt(path).name).toBe(surface))
})

test.each([
  ['/api/v1/paises', false],
  ['/api/v2/paises', true],
  ['/api/openapi.json', true],
  ['/reconcile', true],
  ['/explore', false],
  ['/nothing', false],
] as const)('responses at %p tell the id of the request: %p', (path, isExtended) =>
  expect(surfaceAt(path).isExtended).toBe(isExtended),
)

test.each([
  ['/api', false],
  ['/api/', false],
  ['/api/nothing', false],
  ['/api/v1/nothing', false],
  ['/api/v2/nothing', false],
  ['/apis', true],
  ['/reconcile/nothing', true],
  ['/explore/nothing', true],
  ['/nothing', true],
] as const)('a browser is shown a problem at %p as a page: %p', (path, hasProblemPages) =>
  expect(surfaceAt(path).hasProblemPages).toBe(hasProblemPages),
)

test.each([
  ['/api/v2/resolve', 5_000_000],
  ['/api/v2/resolve/', undefined],
  ['/reconcile', 1_000_000],
  ['/reconcile/', 1_000_000],
  ['/reconcile/preview', undefined],
  ['/api/v1/paises', undefined],
  ['/api/v2/search', undefined],
  ['/', undefined],
  ['*', undefined],
] as const)('a body that is posted to %p may have so many bytes: %p', (path, max) => {
  expect(maxBodyAt(path)).toBe(max)
  expect(allowedAt(path)).toBe(max === undefined ? 'GET, HEAD, OPTIONS' : 'GET, HEAD, OPTIONS, POST')
})
