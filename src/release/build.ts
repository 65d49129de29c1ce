// Builds a release in a directory of its own: rows are checked, ordered, rendered, written and digested.
import { join } from 'node:path'
import { type EntityName, entities, entityNames } from '../catalog/entities.ts'
import { Faults } from '../source/faults.ts'
import { Findings } from '../source/findings.ts'
import type { Source } from '../source/source.ts'
import { version } from '../version.ts'
import { syncDirectory, writeDurably } from './durable-file.ts'
import { EntityBuild } from './entity-build.ts'
import { isForThreads } from './entity-parts.ts'
import type { IdRegistry } from './id-registry.ts'
import { type EntityFacts, FORMAT, MANIFEST_FILE, type Manifest, releaseDigest } from './manifest.ts'
import { ParentRecords } from './parent-records.ts'
import { BuildThreads } from './threads/build-threads.ts'

/** Called now and then with how far the build is. */
export type OnProgress = (entity: EntityName, done: number, expected: number | undefined) => void

export async function buildRelease(
  source: Source,
  directory: string,
  numbers: IdRegistry,
  onProgress: OnProgress = () => {},
): Promise<Manifest> {
  const report = { faults: new Faults(), findings: new Findings() }
  const family = new ParentRecords()
  using threads = new BuildThreads()
  if (entityNames.some((name) => isForThreads(source.expected(name) ?? 0))) threads.start()
  using builds = new DisposableStack()
  const finished: Promise<readonly [EntityName, EntityFacts]>[] = []
  // Whatever ends a build, no thread makes a file any more when it has ended: whoever clears up finds all there are.
  await using ending = new AsyncDisposableStack()
  ending.defer(async () => void (await Promise.allSettled(finished)))
  for (const name of entityNames) {
    const expected = source.expected(name)
    const build = builds.use(new EntityBuild(entities[name], directory, family, numbers, report, expected, threads))
    for await (const block of source.read(name, report)) {
      build.take(block)
      await build.drained()
      onProgress(name, build.taken, expected)
    }
    // What threads do of it is waited for in the end: the next records need not.
    const facts = build.finish().then((found) => [name, found] as const)
    // Heard of below, unless something else ends the build before.
    facts.catch(() => {})
    finished.push(facts)
    onProgress(name, build.taken, build.taken)
  }
  const facts = Object.fromEntries(await Promise.all(finished))
  report.faults.throwIfAny()
  const built = facts as Manifest['entities']
  const manifest: Manifest = {
    format: FORMAT,
    digest: releaseDigest(built),
    built: new Date().toISOString(),
    source: source.origin,
    versions: { nomenclator: version, bun: Bun.version },
    entities: built,
    findings: report.findings.list(),
  }
  writeDurably(join(directory, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`)
  syncDirectory(directory)
  return manifest
}
