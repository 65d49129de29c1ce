// The releases of a home that another version of the program wrote, in a format of its own.
import { type OtherFormat, parseManifest } from '../manifest.ts'
import { OtherFormatRelease } from '../release.ts'
import type { ReleaseStore } from './release-store.ts'

type InOtherFormat = OtherFormat & { readonly digest: string }

/** The releases in another format: those that were current come first, the latest before the others. */
function inOtherFormat(store: ReleaseStore): InOtherFormat[] {
  const onDisk = new Set(store.digests())
  const digests = new Set([...store.knownHistory(), ...onDisk]).intersection(onDisk)
  return [...digests].flatMap((digest) => {
    const parsed = parseManifest(store.manifestText(digest) ?? '')
    return parsed.state === 'readable' || parsed.state === 'damaged' ? [] : [{ ...parsed, digest }]
  })
}

/** The releases to upgrade. */
export const outdatedReleases = (store: ReleaseStore): InOtherFormat[] =>
  inOtherFormat(store).filter(({ state }) => state === 'outdated')

/** Why the releases that are too old or too new are refused. */
export const refusedFormats = (store: ReleaseStore): OtherFormatRelease[] =>
  inOtherFormat(store).flatMap((one) => (one.state === 'outdated' ? [] : new OtherFormatRelease(one.digest, one)))

/** True if there is a release to upgrade. */
export const isOutdated = (store: ReleaseStore): boolean => outdatedReleases(store).length > 0
