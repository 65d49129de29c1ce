// Signed releases: made and checked by the commands, kept with the release, served, and required by whoever serves.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, cpSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { followCurrent } from '../../packages/server/src/release/home/follow.ts'
import { ReleaseStore } from '../../packages/server/src/release/home/release-store.ts'
import { openReleaseToServe, type ReleaseToServe } from '../../packages/server/src/release/home/release-to-serve.ts'
import { withUnsignedFiles } from '../../packages/server/src/release/home/signature-check.ts'
import { rebuildRelease } from '../../packages/server/src/release/home/upgrade.ts'
import {
  ENTITY_MANIFEST_FILE,
  type EntityManifest,
  manifestText,
  releasedEntity,
} from '../../packages/server/src/release/manifest.ts'
import {
  type PublicKey,
  parsePublicKey,
  parseSecretKey,
  signMessage,
  verifySignature,
} from '../../packages/server/src/release/signing/minisign.ts'
import {
  proofOf,
  sequenceIn,
  signableRelease,
  signedBytes,
  signRelease,
  type Trust,
  trustIn,
} from '../../packages/server/src/release/signing/release-signature.ts'
import { runHere } from '../support/command.ts'
import { TestDirectory, TestHome, ThreeReleases, writeTables } from '../support/releases.ts'
import { appOf, responseTo } from '../support/responses.ts'
import { Service } from '../support/service.ts'

setDefaultTimeout(180_000)

const scratch = new TestDirectory()
const model = await ThreeReleases.create()
const [a, b, c] = model.digests as [string, string, string]
const KEY = join(scratch.path, 'key')
const OTHER = join(scratch.path, 'other')
let keys: readonly PublicKey[]

afterAll(() => {
  model[Symbol.dispose]()
  scratch[Symbol.dispose]()
})

const secretKey = (name = KEY) => parseSecretKey(readFileSync(`${name}.key`, 'utf8'), undefined)
const sign = (home: TestHome, digest: string, name = KEY) =>
  home.store.placeSignature(digest, signRelease(secretKey(name), home.store.read(digest)))
/** A home with all three releases, some of them activated in this order. */
const homeOf = (...activated: readonly string[]) => model.copyTo(new TestHome(), ...activated)
const required = (home: TestHome, more: Partial<Trust> = {}) => new ReleaseStore(home.path, trustIn(keys, more))

beforeAll(async () => {
  for (const name of [KEY, OTHER]) expect(await runHere('keygen', '--out', name)).toMatchObject({ code: 0 })
  keys = [parsePublicKey(readFileSync(`${KEY}.pub`, 'utf8')) as PublicKey]
})

describe('keygen', () => {
  test('writes a secret key that only its owner reads, and a public one', () => {
    expect(statSync(`${KEY}.key`).mode & 0o777).toBe(0o600)
    expect(secretKey().publicKey).toEqual(keys[0] as PublicKey)
  })

  test('replaces no key', async () => {
    const before = readFileSync(`${KEY}.key`, 'utf8')
    expect(await runHere('keygen', '--out', KEY)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is there already'),
    })
    expect(readFileSync(`${KEY}.key`, 'utf8')).toBe(before)
  })
})

describe('sign and verify-release', () => {
  test('of the current release, and of another', async () => {
    using home = homeOf(a, b)
    for (const digest of [[], [a.slice(0, 12)]]) {
      const named = ['--home', home.path, ...digest]
      expect(await runHere('verify-release', ...named, '--key', `${KEY}.pub`)).toMatchObject({
        code: 1,
        err: expect.stringContaining('it is not signed'),
      })
      expect(await runHere('sign', ...named, '--key', `${KEY}.key`)).toMatchObject({ code: 0 })
      const verified = await runHere('verify-release', ...named, '--key', keys[0]?.text ?? '', '--json')
      expect(JSON.parse(verified.out)).toMatchObject({
        digest: digest.length === 0 ? b : a,
        key: keys[0]?.id,
        coversDefinitions: true,
      })
      expect(await runHere('verify-release', ...named, '--key', `${OTHER}.pub`)).toMatchObject({
        code: 1,
        err: expect.stringContaining(`not by ${secretKey(OTHER).publicKey.id}`),
      })
      // With a key that is on its way out beside the new one.
      const both = await runHere('verify-release', ...named, '--key', `${OTHER}.pub,${KEY}.pub`)
      expect(both.code).toBe(0)
    }
    expect(home.store.history()).toEqual([b, a])
  })

  test('refuse a release with other content than it was built with', async () => {
    using home = homeOf(a)
    sign(home, a)
    const path = home.fileOf(a, 'pais', 'records')
    const records = readFileSync(path, 'utf8')
    chmodSync(path, 0o644)
    writeFileSync(path, records.replace('Francia', 'Francis'))
    for (const command of [
      ['sign', '--key', `${KEY}.key`],
      ['verify-release', '--key', `${KEY}.pub`],
    ])
      expect(await runHere(...command, '--home', home.path)).toMatchObject({
        code: 1,
        err: expect.stringContaining('has other content than it was built with'),
      })
  })

  test('keep a signature that was made elsewhere', async () => {
    using home = homeOf(a)
    const path = join(home.path, 'checksums.minisig')
    const signature = signMessage(secretKey(), signedBytes(home.store.read(a).manifest), 'made by minisign')
    writeFileSync(path, signature)
    expect(await runHere('sign', '--home', home.path, '--signature', path)).toMatchObject({ code: 0 })
    const verified = await runHere('verify-release', '--home', home.path, '--key', `${KEY}.pub`, '--json')
    expect(JSON.parse(verified.out)).toMatchObject({ trustedComment: 'made by minisign', covers: ['records'] })
    await expect(openReleaseToServe(required(home))).rejects.toThrow(
      'its signature covers its records, and not the files',
    )
    expect(withUnsignedFiles(required(home))).toEqual([a])
    await rebuildRelease(home.store, a)
    expect((await openReleaseToServe(required(home)))?.release.digest).toBe(a)
    writeFileSync(path, 'hello')
    expect(await runHere('sign', '--home', home.path, '--signature', path)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not a signature of minisign'),
    })
  })

  test('tell which file of a release is not the one that was signed, though every digest fits', async () => {
    using home = homeOf(a)
    sign(home, a)
    const released = home.released(a, 'pais')
    const directory = home.store.entityDirectory(released.digest)
    const manifest: EntityManifest = JSON.parse(readFileSync(join(directory, ENTITY_MANIFEST_FILE), 'utf8'))
    const index = readFileSync(join(directory, 'index'))
    index[0] = (index[0] ?? 0) ^ 1
    const sha256 = new Bun.CryptoHasher('sha256').update(index).digest('hex')
    const forged = { ...manifest, files: { ...manifest.files, index: { size: index.length, sha256 } } }
    const { digest } = releasedEntity(forged)
    cpSync(directory, home.store.entityDirectory(digest), { recursive: true })
    for (const [name, content] of [
      [ENTITY_MANIFEST_FILE, manifestText(forged)],
      ['index', index],
    ] as const) {
      const path = join(home.store.entityDirectory(digest), name)
      chmodSync(path, 0o644)
      writeFileSync(path, content)
    }
    const whole = home.store.read(a).manifest
    home.store.placeRelease({ ...whole, entities: { ...whole.entities, pais: { ...released, digest } } })
    expect(await home.verify(a)).toEqual([])
    expect(await runHere('verify-release', '--home', home.path, '--key', `${KEY}.pub`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${join(home.store.entityDirectory(digest), 'index')} (pais)`),
    })
    for (const flags of [[], ['--require-signature', `${KEY}.pub`]])
      expect(await runHere('releases', 'verify', a, '--home', home.path, ...flags)).toMatchObject({
        code: 1,
        out: expect.stringContaining('manifest.json is not the one that was signed'),
      })
    await expect(openReleaseToServe(required(home))).rejects.toThrow('manifest.json is not the one that was signed')
  })

  test('by two keys, of which any is enough', async () => {
    using home = homeOf(a)
    const flags = ['--home', home.path, '--key']
    const verify = async (key: string) => JSON.parse((await runHere('verify-release', ...flags, key, '--json')).out)
    expect(await runHere('sign', ...flags, `${KEY}.key`, '--expires-days', '3')).toMatchObject({ code: 0 })
    expect(await runHere('sign', ...flags, `${OTHER}.key`)).toMatchObject({ code: 0 })
    const [report, other] = [await verify(`${KEY}.pub`), await verify(`${OTHER}.pub`)]
    expect(report).toMatchObject({ keys: [keys[0]?.id], expired: false })
    expect(other).toMatchObject({ keys: [secretKey(OTHER).publicKey.id], expired: false })
    expect(Date.parse(report.expires) - Date.now()).toBeLessThanOrEqual(3 * 86_400_000)
    // The second adds to the first; a key that signs again goes on.
    expect([other.sequence, sequenceIn(home.store.signatureOf(a))]).toEqual([report.sequence, report.sequence])
    expect(await runHere('sign', ...flags, `${KEY}.key`)).toMatchObject({ code: 0 })
    expect(sequenceIn(home.store.signatureOf(a))).toBeGreaterThan(report.sequence)
    expect((await verify(`${OTHER}.pub,${KEY}.pub`)).key).toBe(keys[0]?.id)
  })

  test('by another key, in whose favour the old one resigns', async () => {
    using home = homeOf(a)
    const rotate = (...more: readonly string[]) =>
      runHere('rotate-keys', '--home', home.path, '--key', `${KEY}.key`, '--to', `${OTHER}.pub`, ...more)
    const sign = (name: string) => runHere('sign', '--home', home.path, '--key', `${name}.key`)
    await sign(KEY)
    expect(await rotate()).toMatchObject({ code: 1, err: expect.stringContaining('is not signed by the new keys yet') })
    await sign(OTHER)
    const rotated = await rotate('--json')
    expect([rotated.err, JSON.parse(rotated.out)]).toEqual([
      '',
      { keys: [secretKey(OTHER).publicKey.id], signedBy: [secretKey().publicKey.id] },
    ])
    // A node that was given the old key trusts the new one, and it alone.
    const verified = await runHere('verify-release', '--home', home.path, '--key', `${KEY}.pub`, '--json')
    expect(JSON.parse(verified.out)).toMatchObject({ keys: [secretKey(OTHER).publicKey.id] })
    expect(required(home).read(a).proof?.key).toEqual(secretKey(OTHER).publicKey)
    expect(Object.keys(home.store.releaseFiles(a))).toContain('keys.json')
  })

  test('of a release that is gone back to: again, or it is told that others will not follow', async () => {
    using home = homeOf(a, b)
    for (const digest of [a, b]) await runHere('sign', digest, '--key', `${KEY}.key`, '--home', home.path)
    const sequences = () => [a, b].map((digest) => sequenceIn(home.store.signatureOf(digest)))
    const [before = 0, current = 0] = sequences()
    expect(before).toBeLessThan(current)
    const told = await runHere('rollback', '--home', home.path)
    expect([told.code, told.err]).toEqual([0, expect.stringContaining(`activate ${a.slice(0, 12)} --sign FILE`)])
    expect(await runHere('activate', b, '--home', home.path)).toMatchObject({ code: 0, err: '' })
    expect(await runHere('rollback', '--sign', `${KEY}.key`, '--home', home.path)).toMatchObject({
      code: 0,
      err: '',
    })
    expect([home.store.currentDigest(), sequences().map((one) => one > current)]).toEqual([a, [true, false]])
    await runHere('activate', b, '--sign', `${KEY}.key`, '--home', home.path)
    expect(sequences().map((one) => one > current)).toEqual([true, true])
  })

  test('refuse what is not a key', async () => {
    using home = homeOf(a)
    expect(await runHere('sign', '--home', home.path, '--key', `${KEY}.pub`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not a secret key'),
    })
    const wrong = await runHere('verify-release', '--home', home.path, '--key', '/nowhere')
    expect(wrong.err).toContain('allowed is a public key of minisign')
  })
})

describe('a signature', () => {
  test('is of the checksums of the release, and tells the digest of its definitions', () => {
    const release = model.store.read(a)
    const signature = signRelease(secretKey(), release)
    const checksums = new TextEncoder().encode(
      `nomenclator release 1\n${Object.entries(release.manifest.entities)
        .map(
          ([name, { count, records, facts }]) =>
            `${name} ${count} ${records}${facts === undefined ? '' : ` ${facts}`}\n`,
        )
        .join('')}`,
    )
    expect(new Bun.CryptoHasher('sha256').update(checksums).digest('hex')).toBe(a)
    expect(verifySignature(keys[0] as PublicKey, checksums, signature)).toHaveProperty('trustedComment')
    const signable = signableRelease(release)
    expect(proofOf(signable, signature, trustIn(keys))).toMatchObject({
      covers: ['records', 'definitions', 'origin', 'files'],
    })
    expect(proofOf({ ...signable, definitions: 'others' }, signature, trustIn(keys))).toEqual({
      wrong: 'its definitions are not those that were signed',
    })
  })

  test('is of one release alone', () => {
    const signature = signRelease(secretKey(), model.store.read(a))
    expect(proofOf(signableRelease(model.store.read(b)), signature, trustIn(keys))).toEqual({
      wrong: expect.stringContaining('does not hold'),
    })
  })

  test('stays when the release is imported again, and goes with it', async () => {
    using home = homeOf(a, b)
    sign(home, a)
    sign(home, b)
    await home.import(ThreeReleases.source('Uno'))
    expect([home.store.currentDigest(), home.store.signatureOf(a) === undefined]).toEqual([a, false])
    home.store.remove(b)
    expect(home.store.signatureOf(b)).toBeUndefined()
    // The rest of a replacement that was cut short is swept away.
    writeFileSync(join(home.store.releaseDirectory(a), 'checksums.minisig.next'), 'half')
    home.store.sweep()
    expect(() => statSync(join(home.store.releaseDirectory(a), 'checksums.minisig.next'))).toThrow()
    expect(await home.verify(a)).toEqual([])
  })

  test('is there before a release that is imported with --sign is current', async () => {
    using home = new TestHome()
    const rows = writeTables(join(home.path, 'rows'), ThreeReleases.rows('Uno'))
    const flags = ['--home', home.path, '--sign', `${KEY}.key`, '--accept-changes']
    expect(await runHere('import', 'package', rows, ...flags)).toMatchObject({ code: 0 })
    expect((await openReleaseToServe(required(home)))?.release.digest).toBe(home.store.currentDigest() as string)
  })
})

describe('where a signature is required', () => {
  test('the current release is served if it is signed, or else the one before that is', async () => {
    using home = homeOf(a, b)
    await expect(openReleaseToServe(required(home))).rejects.toThrow(
      'is refused: it is not signed. Only what is signed by key',
    )
    sign(home, a)
    expect(await openReleaseToServe(required(home))).toMatchObject({
      release: { digest: a },
      reason: expect.stringContaining('it is not signed'),
    })
    sign(home, b, OTHER)
    expect((await openReleaseToServe(required(home)))?.release.digest).toBe(a)
    sign(home, b)
    expect(await openReleaseToServe(required(home))).toMatchObject({ release: { digest: b } })
  })

  test('a release is swapped to when its signature has arrived, and not before', async () => {
    using home = homeOf(a)
    sign(home, a)
    const store = required(home)
    const events: string[] = []
    using following = followCurrent(store, (await openReleaseToServe(store)) as ReleaseToServe, {
      log: ({ event }) => events.push(event),
    })
    home.store.activate(b)
    await following.look()
    expect([following.release().digest, following.degraded(), events]).toEqual([
      a,
      [expect.stringContaining('it is not signed')],
      ['release-refused'],
    ])
    sign(home, b)
    await following.look()
    expect([following.release().digest, following.degraded(), events.slice(1)]).toEqual([
      b,
      [],
      ['release-swapped', 'release-mended'],
    ])
  })

  test('a signature that expires is told, refused where the operator says so, and renewed by another', async () => {
    using home = homeOf(a)
    const place = (expires: number) =>
      home.store.placeSignature(a, signRelease(secretKey(), home.store.read(a), { expires }))
    place(Date.now() - 1_000)
    await expect(openReleaseToServe(required(home, { refusesExpired: true }))).rejects.toThrow('has expired on')
    const store = required(home)
    const events: string[] = []
    using following = followCurrent(store, (await openReleaseToServe(store)) as ReleaseToServe, {
      log: ({ event }) => events.push(event),
    })
    await following.look()
    expect([following.degraded(), events]).toEqual([[expect.stringContaining('HAS EXPIRED on')], ['signature-expired']])
    place(Date.now() + 60_000)
    await following.look()
    expect([following.degraded(), events.at(-1)]).toEqual([[], 'signature-renewed'])
  })

  test('other definitions than the signed ones are refused', () => {
    using home = homeOf(a)
    sign(home, a)
    const { digest } = home.released(a, 'audiencia')
    const path = join(home.store.entityDirectory(digest), ENTITY_MANIFEST_FILE)
    chmodSync(path, 0o644)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"title": "', '"title": "x '))
    const altered = new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')
    const { manifest } = model.store.read(a)
    const entities = { ...manifest.entities, audiencia: { ...home.released(a, 'audiencia'), digest: altered } }
    renameSync(home.store.entityDirectory(digest), home.store.entityDirectory(altered))
    home.store.placeRelease({ ...manifest, entities })
    expect(home.store.read(a).digest).toBe(a)
    expect(() => required(home).read(a)).toThrow('its definitions are not those that were signed')
  })

  test('an unsigned release is not there for requests that name it', async () => {
    using home = homeOf(a, b)
    sign(home, a)
    const store = required(home)
    const app = appOf(() => store.open(a), { store })
    const get = (target: string) => responseTo(app, { target }, { listeningUrl: 'http://x', peer: undefined })
    expect((await get(`/api/v2/paises?release=${b}`)).status).toBe(410)
    expect((await get(`/api/v2/paises?release=${a}`)).status).toBe(200)
    const listed = (await (await get('/api/v2/releases')).json()) as { digest: string }[]
    expect(listed.map(({ digest }) => digest)).toEqual([a])
    sign(home, c)
    expect((await get(`/api/v2/paises?release=${c}`)).status).toBe(200)
  })

  test('a service does not start without, and says what to do', async () => {
    using home = homeOf(a)
    const refused = async (flags: readonly string[], env: Record<string, string> = {}) => {
      const service = new Service({ flags: ['--port', '0', '--workers', '1', ...flags], env })
      return [await service.exited(), service.said.err]
    }
    expect(await refused(['--home', home.path], { REQUIRE_SIGNATURE: `${KEY}.pub` })).toEqual([
      1,
      expect.stringContaining(`sign it with nomenclator sign ${a.slice(0, 12)}`),
    ])
    using empty = new TestHome()
    expect(await refused(['--home', empty.path, '--require-signature', keys[0]?.text ?? ''])).toEqual([
      1,
      expect.stringContaining('the bundled one would not be signed'),
    ])
  })
})

describe('over API v2', () => {
  test('the checksums, the signature and the manifest are served, to be checked by others', async () => {
    using home = homeOf(a, b)
    sign(home, a)
    const app = appOf(() => home.current(), { store: home.store })
    const get = (target: string) =>
      responseTo(app, { target: `/api/v2/releases/${target}` }, { listeningUrl: 'http://x', peer: undefined })
    const checksums = await get(`${a}/checksums`)
    const body = new Uint8Array(await checksums.arrayBuffer())
    expect(new Bun.CryptoHasher('sha256').update(body).digest('hex')).toBe(a)
    expect(checksums.headers.get('Cache-Control')).toContain('immutable')
    const signature = await get(`${a.slice(0, 8)}/signature`)
    expect(signature.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
    expect(signature.headers.get('Cache-Control')).toBe('public, no-cache')
    expect(verifySignature(keys[0] as PublicKey, body, await signature.text())).toHaveProperty('trustedComment')
    const unsigned = await get(`${b}/signature`)
    expect([unsigned.status, await unsigned.json()]).toEqual([
      404,
      expect.objectContaining({
        type: 'urn:nomenclator:problem:not-signed',
        detail: expect.stringContaining(`nomenclator sign ${b.slice(0, 12)}`),
      }),
    ])
    expect(await (await get(`${b}/manifest`)).json()).toMatchObject({ digest: b, entities: expect.any(Array) })
    expect((await get('nothing/signature')).status).toBe(404)
    expect((await get(`${a}/other`)).status).toBe(404)
    expect((await get(`${'0'.repeat(64)}/signature`)).status).toBe(410)
  })
})
