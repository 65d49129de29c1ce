// The releases that the search is measured on, built once and kept among the work files of the benchmark.
import { rmSync } from 'node:fs'
import { entityNames } from '../../src/catalog/entities.ts'
import { importRelease } from '../../src/release/import.ts'
import type { Release } from '../../src/release/release.ts'
import { Shelf } from '../../src/release/shelf.ts'
import { bundledSource } from '../../src/source/bundled.ts'
import type { Source } from '../../src/source/source.ts'
import { workPath } from '../machine/places.ts'
import { progress } from '../report/progress.ts'
import { grownSource } from './grown-source.ts'

/** As many as the official catalog has. */
export const LOCALITIES = 300_137

export type Subject = { readonly home: string; readonly release: Release; readonly records: number }

/** Small, and so built anew every time: it is never older than the data. */
export const bundledSubject = (): Promise<Subject> => built('bundled', bundledSource())

/** The bundled data with localities up to a multiple of what the official catalog has. */
export async function grownSubject(bundled: Subject, times: number, fresh: boolean): Promise<Subject> {
  const name = `x${times}`
  const growth = { localities: LOCALITIES * times, from: bundled.release.manifest.digest }
  const there = fresh ? undefined : subject(homeOf(name))
  const options = there?.release.manifest.source.options
  if (there !== undefined && options?.localities === growth.localities && options.from === growth.from) return there
  return built(name, await grownSource(bundledSource(), growth))
}

const homeOf = (name: string) => workPath('search', name)

async function built(name: string, source: Source): Promise<Subject> {
  const home = homeOf(name)
  rmSync(home, { recursive: true, force: true })
  const { show, end } = progress(`building ${name}`)
  await importRelease(new Shelf(home), source, {
    fallback: source,
    acceptChanges: true,
    dryRun: false,
    onProgress: (entity, done, expected) => entity === 'localidad' && show(done, expected ?? done),
  })
  end()
  const there = subject(home)
  if (there === undefined) throw new Error(`there is no release in ${home} after building it`)
  return there
}

/** What is in a home, if this program can read it. */
function subject(home: string): Subject | undefined {
  try {
    const release = new Shelf(home).openCurrent()
    if (release === undefined) return undefined
    const { entities } = release.manifest
    return { home, release, records: entityNames.reduce((sum, name) => sum + entities[name].count, 0) }
  } catch {
    return undefined
  }
}

/** The bytes of all indexes of a release. */
export const indexBytes = ({ release: { manifest } }: Subject): number =>
  entityNames.reduce(
    (sum, name) => sum + manifest.entities[name].files.index.size + manifest.entities[name].files.words.size,
    0,
  )
