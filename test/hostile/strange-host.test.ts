// A client with a made-up Host must not reach others through a cache: a response that repeats it may not be kept for long.
import { afterAll, describe, expect, test } from 'bun:test'
import { explorerPages } from '../../packages/server/src/explorer/mount.ts'
import { type DocumentedOperation, queryOf } from '../support/openapi.ts'
import { OpenapiService } from '../support/openapi-service.ts'
import { appOf, responseTo } from '../support/responses.ts'

const STRANGE = 'evil.example'
const OURS = 'catalogs.example.org'
const service = await OpenapiService.create()
afterAll(() => service[Symbol.dispose]())

const [first = '', second = ''] = service.home.digests
const connection = { listeningUrl: 'http://127.0.0.1', peer: undefined }
const appWith = (baseUrl: string | undefined) =>
  appOf(() => service.release, {
    store: service.home.store,
    policy: { baseUrl, trustedProxies: undefined },
    pages: explorerPages,
  })
const apps = { own: appWith(undefined), fixed: appWith(`https://${OURS}`) }

/** Every operation, as it is and with whatever names a release by its whole digest; lists in pages that have links. */
function targetsOf(operation: DocumentedOperation): string[] {
  const has = (name: string) => queryOf(operation).some((parameter) => parameter.name === name)
  const more = has('per_page') ? ['per_page=1'] : []
  const named = has('release') ? [`release=${service.release.digest}`] : has('to') ? [`to=${second}`] : []
  const from = has('from') ? [`${service.pathOf(operation)}?from=${first}&to=${second}`] : []
  return [service.target(operation), service.target(operation, ...more, ...named), ...from]
}

async function look(app: ReturnType<typeof appOf>, target: string, method: string) {
  const response = await responseTo(app, { target, method, headers: { Host: STRANGE } }, connection)
  const all = `${JSON.stringify([...response.headers])}${await response.text()}`
  const isKept = /immutable|max-age|s-maxage/.test(response.headers.get('cache-control') ?? '')
  // A redirect may be kept unless it says otherwise.
  const mayBeKept = isKept || response.status === 308
  return { reflects: all.includes(STRANGE), mayBeKept }
}

const targets = service.documented.operations.flatMap(targetsOf)
const slashed = targets.map((target) => target.replace(/(\?|$)/, '/$1'))

describe('what repeats a strange host', () => {
  test.each([...new Set([...targets, ...slashed])])('may not be kept for long: %s', async (target) => {
    for (const method of ['GET', 'HEAD']) {
      const { reflects, mayBeKept } = await look(apps.own, target, method)
      expect({ reflects, mayBeKept }).not.toEqual({ reflects: true, mayBeKept: true })
      expect((await look(apps.fixed, target, method)).reflects).toBe(false)
    }
  })

  test('are some responses, and others are kept', async () => {
    const seen = await Promise.all(targets.map((target) => look(apps.own, target, 'GET')))
    expect(seen.some(({ reflects }) => reflects)).toBe(true)
    expect(seen.some(({ mayBeKept }) => mayBeKept)).toBe(true)
  })
})

test('with a fixed address, what has links may be kept where the release is named', async () => {
  for (const path of ['/api/v2?', '/api/v2/search?q=a&', '/api/v2/paises?per_page=1&']) {
    const target = `${path}release=${service.release.digest}`
    expect([
      (await look(apps.fixed, target, 'GET')).mayBeKept,
      (await look(apps.own, target, 'GET')).mayBeKept,
    ]).toEqual([true, false])
  }
})
