// Finds the files of a release that are not made of its records, by building them anew beside it.

import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { own } from '../../base/json.ts'
import { ENTITY_MANIFEST_FILE, MANIFEST_FILE, manifestText, OPTIONAL_FILES } from '../manifest.ts'
import { readManifest, readReleasedEntity } from '../release.ts'
import { ReleaseStore } from './release-store.ts'
import { rebuildRelease } from './upgrade.ts'

/** The files that the others are built from. */
const ORIGINALS = [ENTITY_MANIFEST_FILE, 'records', ...OPTIONAL_FILES]

/** The paths of the files that differ from new ones; all digests of the release must fit. */
export async function tamperedFiles(store: ReleaseStore, digest: string): Promise<string[]> {
  const home = mkdtempSync(join(tmpdir(), 'nomenclator-'))
  try {
    const beside = new ReleaseStore(home)
    const manifest = readManifest(store.releaseDirectory(digest), digest)
    mkdirSync(beside.releaseDirectory(digest), { recursive: true })
    writeFileSync(join(beside.releaseDirectory(digest), MANIFEST_FILE), manifestText(manifest))
    for (const entity of Object.values(manifest.entities)) link(store, beside, entity.digest)
    await rebuildRelease(beside, digest)
    const rebuilt = readManifest(beside.releaseDirectory(digest), digest)
    return Object.entries(manifest.entities).flatMap(([name, released]) => {
      const expected = rebuilt.entities[name]
      if (expected === undefined || expected.digest === released.digest) return []
      const directory = store.entityDirectory(released.digest)
      const sound = readReleasedEntity(beside.entityDirectory(expected.digest), expected).files
      const others = Object.entries(readReleasedEntity(directory, released).files)
      const forged = others.filter(([file, { sha256 }]) => own(sound, file)?.sha256 !== sha256)
      // If no file differs, the manifest of the entity does.
      const names = forged.length === 0 ? [ENTITY_MANIFEST_FILE] : forged.map(([file]) => file)
      return names.map((file) => `${join(directory, file)} (${name})`)
    })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function link(store: ReleaseStore, beside: ReleaseStore, entity: string): void {
  mkdirSync(beside.entityDirectory(entity), { recursive: true })
  for (const file of ORIGINALS) {
    const path = join(store.entityDirectory(entity), file)
    if (existsSync(path)) symlinkSync(path, join(beside.entityDirectory(entity), file))
  }
}
